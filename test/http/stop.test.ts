/** Tests that a stopping server completes the requests in flight and ends without delay. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { minimalSku, requestToken } from '../harness/api-client.ts';
import { timedIt } from '../harness/lost-time.ts';
import { scrape } from '../harness/metrics.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { openDeafClient } from '../harness/slow-client.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const CONNECTIONS = 20;
const TLS_CERT = path.resolve(import.meta.dirname, '../fixtures/tls-cert.pem');
const TLS_KEY = path.resolve(import.meta.dirname, '../fixtures/tls-key.pem');
/** Uses a new connection each time, and accepts the test's own certificate. */
const UNCHECKED = { rejectUnauthorized: false, agent: false } as const;

it('requests in flight are completed, and their keep-alive connections do not delay the stop', async (t) => {
  const server = await startTestServer({ STOP_SECONDS: '60' });
  const token = await requestToken(server.url, 'test');
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  t.after(() => agent.destroy());
  const uploads = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) => beginUpload(`${server.url}/merchant-skus/slow-${n}`, token, agent)),
  );
  const startMs = performance.now();
  const closed = server.close();
  const statuses = await Promise.all(uploads.map((finish) => finish()));
  await closed;
  // Open connections would delay the stop for STOP_SECONDS.
  assert.ok(performance.now() - startMs < 50_000, `closing took ${performance.now() - startMs} ms`);
  assert.deepEqual(statuses, Array(CONNECTIONS).fill(202));
});

it('clients of kept-alive connections see no reset: the last responses say that the connection ends', async (t) => {
  const server = await startTestServer();
  const agents = Array.from({ length: CONNECTIONS }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  t.after(() => {
    for (const agent of agents) agent.destroy();
  });
  let answers = 0;
  const started = Promise.withResolvers<void>();
  // Each client sends one request after the other, until a response ends its connection.
  const clients = agents.map(async (agent) => {
    for (;;) {
      const [response] = await once(http.get(`${server.url}/openapi.json`, { agent }), 'response');
      await response.toArray();
      assert.equal(response.statusCode, 200);
      if (++answers === 10 * CONNECTIONS) started.resolve();
      if (response.headers.connection === 'close') return;
    }
  });
  await started.promise;
  await Promise.all([server.close(), ...clients]);
});

timedIt('an idle connection is closed cleanly, even if its next request is on the way', async (t) => {
  const server = await startTestServer();
  const { hostname, port } = new URL(server.url);
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  t.after(() => socket.destroy());
  const request = requestBytes({ target: '/healthz' });
  socket.write(request);
  await once(socket, 'data');
  const closed = server.close();
  await once(socket.resume(), 'end');
  // A client that has not read the end yet sends more. Had the server closed its side too, the system would reset the connection: the
  // second write would fail.
  for (let time = 0; time < 2; time++) {
    await new Promise<void>((resolve, reject) => {
      socket.write(request, (error) => (error ? reject(error) : resolve()));
    });
    await setTimeout(50);
  }
  socket.end();
  await once(socket, 'close');
  await closed;
});

type Place = Readonly<{ host: string; port: number }>;

for (const [over, client, connect, settings] of [
  ['plain HTTP', http, (place: Place): net.Socket => net.connect(place), {}],
  ['TLS', https, (place: Place): net.Socket => tls.connect({ ...place, ...UNCHECKED }), { TLS_CERT, TLS_KEY }],
] as const) {
  it(`a client that reads its responses slowly gets all of them before the end, over ${over}`, async (t) => {
    const server = await startTestServer({ ...settings, STOP_SECONDS: '60', METRICS_PORT: '0' });
    const [answer] = await once(client.get(`${server.url}/openapi.json`, UNCHECKED), 'response');
    const page = Buffer.concat(await answer.toArray());
    // More than the buffers of both systems hold.
    const count = Math.ceil(20_000_000 / page.length);
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    t.after(() => socket.destroy());
    socket.pause();
    const request = requestBytes({ target: '/openapi.json' });
    socket.write(Buffer.concat(Array.from({ length: count }, () => request)));
    await waitUntil('all responses', 60_000, async () => {
      const served = 'offerbook_http_requests_total{method="GET",route="/openapi.json",status="200"}';
      return (await scrape(server.metricsUrl)).get(served) === count + 1 || undefined;
    });
    const closed = server.close();
    await refusesConnections(server.url);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).resume();
    await Promise.all([once(socket, 'close'), closed]);
    const received = Buffer.concat(chunks);
    assert.equal(received.toString('latin1').split('HTTP/1.1 200 OK').length - 1, count);
    assert.ok(received.subarray(-page.length).equals(page), 'the last one is whole');
  });
}

timedIt('new connections are refused, and a request in flight that never ends is cut off at the limit', async (t) => {
  const server = await startTestServer({ STOP_SECONDS: '5' });
  const token = await requestToken(server.url, 'test');
  const endless = await RawConnection.open(server.url);
  t.after(() => endless.destroy());
  const headers = { authorization: `Bearer ${token}`, 'content-length': '1000' };
  endless.write(requestBytes({ method: 'PUT', target: '/merchant-skus/endless', headers }));
  const deaf = await openDeafClient(server.url);
  t.after(() => deaf.destroy());
  // Once this request has its response, the server has read the other requests, so they are in flight.
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  const startMs = performance.now();
  const closed = server.close();
  await refusesConnections(server.url);
  assert.ok(performance.now() - startMs < 4900, 'connections were taken while the server waited for its requests');
  await endless.closed();
  await closed;
  const took_ms = performance.now() - startMs;
  assert.ok(took_ms >= 4900 && took_ms < 30_000, `the end took ${took_ms} ms`);
});

it('a server that is killed while it stops has lost nothing that it accepted', async (t) => {
  const DATA_DIR = await tempFolder();
  const server = await startServeProcess({ DATA_DIR, STOP_SECONDS: '60' });
  const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}` };
  const waiting = await RawConnection.open(server.url);
  t.after(() => waiting.destroy());
  const bytes = requestBytes({
    method: 'PUT',
    target: '/merchant-skus/late',
    headers,
    body: JSON.stringify(minimalSku()),
  });
  waiting.write(bytes.subarray(0, -1));
  const body = JSON.stringify(minimalSku());
  const early = await fetch(`${server.url}/merchant-skus/early`, { method: 'PUT', headers, body });
  assert.equal(early.status, 202);

  server.process.kill('SIGTERM');
  await refusesConnections(server.url);
  waiting.write(bytes.subarray(-1));
  assert.equal((await waiting.answer('PUT'))?.status, 202);
  await server.stop('SIGKILL');

  const again = await startServeProcess({ DATA_DIR });
  t.after(() => again.stop());
  for (const skuId of ['early', 'late']) {
    assert.equal((await fetch(`${again.url}/merchant-skus/${skuId}`, { headers })).status, 200, skuId);
  }
});

async function refusesConnections(url: string): Promise<void> {
  await waitUntil('the server to refuse connections', 30_000, () =>
    RawConnection.open(url).then(
      (opened) => void opened.destroy(),
      () => true,
    ),
  );
}

/** Resolves when the server has seen the head of the request; the function returned sends the body. */
function beginUpload(url: string, token: string, agent: http.Agent): Promise<() => Promise<number | undefined>> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, expect: '100-continue' };
    const request = http.request(url, { method: 'PUT', agent, headers });
    const answered = new Promise<number | undefined>((settle) => {
      request.on('response', (response) => {
        response.resume().on('end', () => settle(response.statusCode));
      });
    });
    request.on('error', reject);
    request.on('continue', () =>
      resolve(() => {
        request.end(JSON.stringify(minimalSku()));
        return answered;
      }),
    );
    request.flushHeaders();
  });
}
