/**
 * In charge of the metrics port. It has no password, so it listens on the loopback address alone, whatever `HOST` says;
 * who wants the figures elsewhere puts a scraper or a tunnel beside the server.
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

/** Rejects with the system's error when the port cannot be had. */
export async function startMetricsServer(port: number, writePage: () => Promise<string>): Promise<MetricsServer> {
  const server = http.createServer({ requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS }, (request, response) => {
    answer(request, writePage).then(
      ([status, type, text]) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500, { 'content-type': 'text/plain' }).end('The figures could not be read.\n'),
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.setTimeout(TIMEOUT_MS);
  // Of this process alone: workers of one server share what they listen on otherwise.
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
  if (url?.split('?')[0] !== '/metrics') return [404, 'text/plain', 'The figures are at /metrics.\n'];
  if (method !== 'GET' && method !== 'HEAD') return [405, 'text/plain', 'Only GET.\n'];
  return [200, EXPOSITION_TYPE, await writePage()];
}
