/**
 * Serves the metrics page. It has no authentication, so it listens on the loopback address only, regardless of `HOST`; run a
 * scraper or a tunnel on the same machine to read it from elsewhere.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXPOSITION_TYPE } from './exposition.ts';

const LOOPBACK = '127.0.0.1';
const CONNECTIONS_MAX = 32;
const TIMEOUT_MS = 10_000;

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Rejects with the system's error if the port is not available. */
export async function startMetricsServer(port: number, writePage: () => Promise<string>): Promise<MetricsServer> {
  const server = http.createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    answer(request, writePage).then(
      ([status, type, text]) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500, { 'content-type': 'text/plain' }).end('The metrics could not be read.\n'),
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.setTimeout(TIMEOUT_MS);
  // Exclusive, because cluster workers would otherwise share the port.
  server.listen({ port, host: LOOPBACK, exclusive: true });
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${taken}/metrics`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  { method, url }: http.IncomingMessage,
  writePage: () => Promise<string>,
): Promise<[status: number, type: string, text: string]> {
  if (url?.split('?')[0] !== '/metrics') return [404, 'text/plain', 'The metrics are at /metrics.\n'];
  if (method !== 'GET' && method !== 'HEAD') return [405, 'text/plain', 'Use GET.\n'];
  return [200, EXPOSITION_TYPE, await writePage()];
}
