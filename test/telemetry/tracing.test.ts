/** Tests that a trace follows a write through commit, review and webhook, also to another process, and what a collector that fails costs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { isRun } from '../harness/scope.ts';
import { type StorePlace, withPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const PATIENCE_MS = 60_000;
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE_ID}-${CLIENT_SPAN}-01`;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

/** A collector on loopback. `status`: how it responds. */
async function withCollector(
  status: number,
  run: (endpoint: string, spans: Span[], headers: IncomingHttpHeaders[]) => Promise<void>,
): Promise<void> {
  const spans: Span[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    assert.equal(request.url, '/v1/traces');
    headers.push(request.headers);
    spans.push(...resourceSpans[0].scopeSpans[0].spans);
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, headers);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

type Send = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Response>;

async function signedIn(url: string): Promise<Send> {
  const authorization = `Bearer ${await requestToken(url, 'test')}`;
  return (method, path, body, headers) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** Runs the function with a server, or with one that serves the API and one for background work. */
async function withServers(
  place: StorePlace,
  settings: Readonly<Record<string, string>>,
  isSplit: boolean,
  run: (send: Send) => Promise<void>,
): Promise<void> {
  const served = async (url: string) => run(await signedIn(url));
  if (!isSplit) return void (await withOfferbook(place, { demo: true, settings }, served));
  await withOfferbook(place, { demo: true, settings, role: 'api' }, async (url) => {
    await withOfferbook(place, { demo: true, settings, role: 'worker' }, () => served(url));
  });
}

async function followTrace(place: StorePlace, isSplit: boolean): Promise<void> {
  using receiver = await WebhookReceiver.open();
  await withCollector(200, async (endpoint, spans, headers) => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20b',
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    };
    await withServers(place, settings, isSplit, async (send) => {
      const types = ['offer.status_changed'];
      assert.equal((await send('POST', '/webhooks', { url: receiver.url, types })).status, 200);
      const written = await send('PUT', skuPath('TRACED'), minimalSku(), { traceparent: SAMPLED });
      assert.equal(written.status, 202);
      const [message] = await receiver.received(1);
      const found = await waitUntil('the spans of the write', PATIENCE_MS, async () => {
        const own = spans.filter(({ traceId }) => traceId === TRACE_ID);
        return own.some(({ name }) => name === 'webhook') && own.length >= 4 ? own : undefined;
      });
      const named = (name: string) => found.find((span) => span.name === name) ?? assert.fail(`no span ${name}`);
      const request = named('PUT /merchant-skus/{user_defined_sku_id}');
      assert.equal(request.parentSpanId, CLIENT_SPAN);
      for (const name of ['commit', 'review', 'webhook']) assert.equal(named(name).parentSpanId, request.spanId, name);
      assert.equal(message?.headers.traceparent, `00-${TRACE_ID}-${named('webhook').spanId}-01`);
      for (const { startTimeUnixNano, endTimeUnixNano } of found) {
        assert.ok(BigInt(startTimeUnixNano) < BigInt(endTimeUnixNano));
      }
      assert.equal(headers[0]?.['x-collector-key'], 'a b');
    });
  });
}

describe('traces', () => {
  it('follow a write to its review and webhook', { skip: !isRun('usual') }, () =>
    withPlace('sqlite', (place) => followTrace(place, false)),
  );

  it('follow a write to another process', { skip: !isRun('long') || postgresSkipped() }, () =>
    withPlace('postgres', (place) => followTrace(place, true)),
  );

  it(
    'are not exported if the client says so, and start again after a malformed header',
    { skip: !isRun('usual') },
    () =>
      withPlace('sqlite', (place) =>
        withCollector(200, async (endpoint, spans) => {
          await withServers(place, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, false, async (send) => {
            const refused = [
              '',
              `00-${'0'.repeat(32)}-${CLIENT_SPAN}-01`,
              `ff-${TRACE_ID}-${CLIENT_SPAN}-01`,
              `${SAMPLED}-00`,
            ];
            await send('GET', '/merchant-skus', undefined, { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-00` });
            for (const traceparent of refused) await send('GET', '/merchant-skus', undefined, { traceparent });
          });
          // The server exports what is left before it stops.
          const reads = spans.filter(({ name }) => name === 'GET /merchant-skus');
          assert.equal(reads.length, 4);
          assert.equal(new Set([TRACE_ID, ...reads.map(({ traceId }) => traceId)]).size, 5);
          for (const { parentSpanId } of reads) assert.equal(parentSpanId, undefined);
        }),
      ),
  );

  it('delay and refuse nothing while the collector fails', { skip: !isRun('usual') }, () =>
    withPlace('sqlite', (place) =>
      withCollector(503, async (endpoint) => {
        await withServers(place, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, false, async (send) => {
          assert.equal((await send('PUT', skuPath('TRACED'), minimalSku())).status, 202);
        });
      }),
    ),
  );
});
