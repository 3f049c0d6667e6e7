/** Image host for tests: a server on a free local port, which counts requests and ends with the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface TestHost {
  readonly port: number;
  /** `127.0.0.1:port`. */
  readonly host: string;
  readonly url: string;
  readonly connections: number;
  /** Received requests, in order. */
  readonly requests: readonly IncomingMessage[];
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function startHost(t: TestContext, handler: Handler, address = '127.0.0.1'): Promise<TestHost> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  return listen(t, server, requests, 'http', address);
}

export function startTlsHost(t: TestContext, pair: { cert: Buffer; key: Buffer }, handler: Handler): Promise<TestHost> {
  const requests: IncomingMessage[] = [];
  const server = createTlsServer(pair, (request, response) => {
    requests.push(request);
    handler(request, response);
  });
  return listen(t, server, requests, 'https', '127.0.0.1');
}

/** Sends whatever the handler writes. */
export function startRawHost(t: TestContext, handler: (socket: Socket) => void): Promise<TestHost> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    // Waits for the first request.
    socket.once('data', () => handler(socket));
  });
  return listen(t, server, [], 'http', '127.0.0.1');
}

async function listen(
  t: TestContext,
  server: Server,
  requests: readonly IncomingMessage[],
  scheme: string,
  address: string,
): Promise<TestHost> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    port,
    host,
    url: `${scheme}://${host}`,
    get connections() {
      return connections;
    },
    requests,
  };
}
