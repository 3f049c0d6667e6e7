/** Tests that whatever a client does to its connection, the server keeps serving the others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { it } from 'node:test';
import tls from 'node:tls';
import { limitHits, scrape } from '../harness/metrics.ts';
import { requestBytes } from '../harness/raw-http.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { withPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TLS_CERT = path.resolve(import.meta.dirname, '../fixtures/tls-cert.pem');
const TLS_KEY = path.resolve(import.meta.dirname, '../fixtures/tls-key.pem');
const ROUNDS = 5;

/** Requests that take the connection out of the server's normal handling. */
const OPENINGS: Readonly<Record<string, Buffer>> = {
  connect: requestBytes({ method: 'CONNECT', target: 'offers.example:443' }),
  upgrade: requestBytes({ target: '/healthz', headers: { connection: 'upgrade', upgrade: 'websocket' } }),
  'upgrade to HTTP/2': requestBytes({
    target: '/healthz',
    headers: { connection: 'upgrade, http2-settings', upgrade: 'h2c', 'http2-settings': '' },
  }),
  'an unfinished body': requestBytes({ method: 'POST', target: '/token', headers: { 'content-length': '9' } }),
  garbage: Buffer.from('garbage\r\n\r\n'),
  'a TLS hello that stops': Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
  'no byte': Buffer.alloc(0),
};

/** Resets the connection immediately, or after the response. */
async function reset(socket: net.Socket, raw: net.Socket, bytes: Buffer, isPatient: boolean): Promise<void> {
  const answered = Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {});
  await new Promise((resolve) => socket.write(bytes, resolve));
  if (isPatient) await answered;
  raw.resetAndDestroy();
}

async function openSocket(url: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Opens connections in every way at each address, and waits for responses if there are any. */
async function breakConnections(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    for (const [name, bytes] of Object.entries(OPENINGS)) {
      const hasAnswer = ['connect', 'upgrade', 'garbage'].includes(name);
      for (let round = 0; round < ROUNDS; round++) {
        const socket = await openSocket(url);
        await reset(socket, socket, bytes, hasAnswer && round % 2 === 0);
      }
    }
  }
}

it('connections that are reset at any point leave the server running', async () => {
  await withPlace('sqlite', async (place) => {
    const server = await startServeProcess({ ...place, METRICS_PORT: '0' });
    try {
      const [metricsUrl = ''] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(server.output()) ?? [];
      const [imageUrl = ''] = /http:\/\/\S+\.jpg/.exec(server.output()) ?? [];
      await breakConnections([server.url, metricsUrl, imageUrl]);
      for (const url of [`${server.url}/healthz`, metricsUrl, imageUrl]) assert.equal((await fetch(url)).status, 200);
      await waitUntil('the broken connections to be gone', 30_000, async () => {
        const connections = (await scrape(metricsUrl)).get('offerbook_http_connections') ?? 0;
        return connections <= 1 || undefined;
      });
      assert.equal(limitHits(await scrape(metricsUrl), 'time'), 0);
      assert.equal(server.process.exitCode, null, server.output());
      assert.doesNotMatch(server.output(), /uncaught/);
    } finally {
      await server.stop();
    }
  });
});

it('TLS connections that are reset within the handshake or after it leave the server running', async () => {
  await withPlace('sqlite', async (place) => {
    const server = await startServeProcess({ ...place, TLS_CERT, TLS_KEY });
    try {
      await breakConnections([server.url]);
      for (const [name, bytes] of Object.entries(OPENINGS)) {
        for (let round = 0; round < ROUNDS; round++) {
          const raw = await openSocket(server.url);
          const socket = tls.connect({ socket: raw, ca: readFileSync(TLS_CERT), servername: 'localhost' });
          socket.on('error', () => {});
          // Otherwise the connection is reset in the middle of the handshake.
          if (round % 2 === 0) await once(socket, 'secureConnect');
          await reset(socket, raw, bytes, round % 2 === 0 && ['connect', 'upgrade'].includes(name));
        }
      }
      const socket = tls.connect({ ...hostOf(server.url), ca: readFileSync(TLS_CERT) });
      socket.write(requestBytes({ target: '/healthz' }));
      const [answer] = await once(socket, 'data');
      socket.destroy();
      assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/);
      assert.doesNotMatch(server.output(), /uncaught/);
    } finally {
      await server.stop();
    }
  });
});

function hostOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
