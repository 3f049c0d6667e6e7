/** Tests that pipelined requests of one connection take effect in order. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Answer, Endpoint } from '../../src/http/endpoint.ts';
import { EAST } from '../api/fixtures/merchant-setup.ts';
import { ApiClient, minimalSku, skuPath } from '../harness/api-client.ts';
import { withEdgeServer } from '../harness/edge-server.ts';
import { pipeline, RawConnection, type RawRequest, requestBytes } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ROUNDS = 20;
const PATIENCE_MS = 60_000;

describe('writes and reads in one packet', () => {
  it('get the same responses as if each were sent after the response to the one before', async (t) => {
    const api = await ApiClient.open();
    t.after(() => api.server.close());
    const headers = { authorization: `Bearer ${api.token}` };
    const call = (method: string, target: string, body?: unknown): RawRequest => ({
      method,
      target,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const send = async (...requests: RawRequest[]) =>
      (await pipeline(api.server.url, requests)).map(({ status, body }) => ({
        status,
        body: body as { price?: number },
      }));
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 5 }] };
    for (let round = 1; round <= ROUNDS; round++) {
      const path = skuPath(api.newSkuId());
      const created = await send(
        call('PUT', path, minimalSku()),
        call('PUT', `${path}/price`, { price: round }),
        call('PATCH', `${path}/inventory`, stock),
        call('GET', path),
      );
      assert.deepEqual(
        created.map(({ status }) => status),
        [202, 202, 202, 200],
      );
      const changed = await send(call('PUT', `${path}/price`, { price: round + 0.5 }), call('GET', `${path}/price`));
      assert.deepEqual([changed[0]?.status, changed[1]?.body.price], [202, round + 0.5]);
      const around = await send(
        call('GET', `${path}/price`),
        call('PUT', `${path}/price`, { price: 99 }),
        call('HEAD', `${path}/price`),
        call('GET', `${path}/price`),
      );
      assert.deepEqual(
        around.map(({ status, body }) => [status, body?.price]),
        [
          [200, round + 0.5],
          [202, undefined],
          [200, undefined],
          [200, 99],
        ],
      );
    }
  });
});

describe('a request after one that is not completed yet', () => {
  it('starts at once if both are reads', async () => {
    const held = heldEndpoints('GET', 'GET');
    await withEdgeServer({ endpoints: held.endpoints }, async (url) => {
      const connection = await RawConnection.open(url);
      connection.write(held.requests);
      await held.begun(2);
      held.release();
      for (let answer = 0; answer < 2; answer++) assert.equal((await connection.answer('GET'))?.status, 200);
      connection.destroy();
    });
  });

  it('does not start if the connection closes', async () => {
    const held = heldEndpoints('PUT', 'PUT');
    await withEdgeServer({ endpoints: held.endpoints }, async (url) => {
      const gone = await watchedConnection(url);
      gone.connection.write(held.requests);
      await held.begun(1);
      gone.connection.destroy();
      await waitUntil('the server to see it', PATIENCE_MS, async () => gone.socket.destroyed || undefined);
      held.release();
      // Once these later requests have responses, the second request would have started, if it ever did.
      for (let other = 0; other < 5; other++) await fetch(`${url}/first`);
    });
    assert.deepEqual(held.calls(), ['PUT /first']);
  });

  it('is served when the server stops in the meantime, as the last request of its connection', async () => {
    const held = heldEndpoints('PUT', 'PUT');
    await withEdgeServer({ endpoints: held.endpoints }, async (url, stop) => {
      const connection = await RawConnection.open(url);
      connection.write(held.requests);
      await held.begun(1);
      const stopped = stop();
      await waitUntil('connections to be refused', PATIENCE_MS, () =>
        RawConnection.open(url).then(
          (opened) => void opened.destroy(),
          () => true,
        ),
      );
      held.release();
      for (const connected of ['keep-alive', 'close']) {
        const answer = await connection.answer('PUT', PATIENCE_MS);
        assert.deepEqual([answer?.status, answer?.headers.get('connection')], [200, connected]);
      }
      await connection.closed();
      await stopped;
    });
    assert.deepEqual(held.calls(), ['PUT /first', 'PUT /second']);
  });

  it('is not read while hundreds wait, until some are done', async () => {
    const count = 1000;
    const held = heldEndpoints('PUT', 'PUT');
    const padding = 'x'.repeat(1000);
    const request = requestBytes({ method: 'PUT', target: '/second', headers: { padding } });
    await withEdgeServer({ endpoints: held.endpoints }, async (url) => {
      const { connection, socket, received } = await watchedConnection(url);
      connection.write(held.requests);
      await held.begun(1);
      connection.write(Buffer.concat(Array.from({ length: count }, () => request)));
      await waitUntil('the server to stop reading', PATIENCE_MS, async () => socket.isPaused() || undefined);
      assert.ok(received() < count / 2, `${received()} requests were taken`);
      assert.deepEqual(held.calls(), ['PUT /first']);
      held.release();
      for (let n = 0; n < count + 2; n++) assert.equal((await connection.answer('PUT', PATIENCE_MS))?.status, 200);
      connection.destroy();
    });
    assert.equal(held.calls().length, count + 2);
  });
});

/** Two endpoints that respond when released, and the bytes of a request to each. */
function heldEndpoints(...methods: readonly ['GET' | 'PUT', 'GET' | 'PUT']) {
  const calls: string[] = [];
  const held = Promise.withResolvers<void>();
  const endpoints = methods.map((method, place): Endpoint => {
    const path = place === 0 ? '/first' : '/second';
    return {
      ...{ id: path, method, path, access: 'open', tag: '', summary: '' },
      handle: async (): Promise<Answer> => {
        calls.push(`${method} ${path}`);
        await held.promise;
        return { status: 200 };
      },
    };
  });
  return {
    endpoints,
    requests: Buffer.concat(endpoints.map(({ method, path }) => requestBytes({ method, target: path }))),
    calls: () => calls,
    begun: (count: number) =>
      waitUntil(`${count} calls to begin`, PATIENCE_MS, async () => calls.length >= count || undefined),
    release: () => held.resolve(),
  };
}

/** A connection, its server side, and the number of requests that Node has read from it. */
async function watchedConnection(url: string) {
  let socket: Socket | undefined;
  let count = 0;
  const look = (message: unknown) => {
    const { socket: of } = message as { socket: Socket };
    socket ??= of;
    if (of === socket) count++;
  };
  subscribe('http.server.request.start', look);
  const connection = await RawConnection.open(url);
  connection.write(requestBytes({ target: '/nowhere' }));
  await connection.answer('GET', PATIENCE_MS);
  if (socket === undefined) throw new Error('the request was not seen');
  socket.once('close', () => unsubscribe('http.server.request.start', look));
  return { connection, socket, received: () => count };
}
