/** Tests that a file of any size is sent at the speed of its reader, and nothing stays open when the reader disconnects. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import type { OpenEndpoint } from '../../src/http/endpoint.ts';
import { EventLog } from '../../src/telemetry/event-log.ts';
import { Telemetry } from '../../src/telemetry/telemetry.ts';
import { withEdgeServer } from '../harness/edge-server.ts';
import { requestBytes } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';

const CHUNK = Buffer.alloc(65_536, 120);
const CHUNKS = 16_384;
/** `fetch` asks for compressed responses by default. */
const PLAIN = { 'accept-encoding': 'identity' };
/** More than all buffers of both systems, the connection and the streams hold, and far less than the gigabyte. */
const AHEAD_CHUNKS_MAX = 512;

/** A file of a gigabyte, generated while it is read; fails after `good` chunks. */
function largeFile(good = CHUNKS) {
  const seen = { chunks: 0, opened: 0, closed: 0 };
  const endpoint: OpenEndpoint = {
    id: 'getLarge',
    method: 'GET',
    path: '/large',
    access: 'open',
    tag: 'Test',
    summary: 'A large file',
    transfer: { direction: 'out', description: 'Large.', types: ['text/plain'] },
    handle: () => ({
      status: 200,
      file: {
        type: 'text/plain',
        name: 'large.txt',
        bytes: CHUNKS * CHUNK.length,
        open: () => {
          seen.opened++;
          return Readable.from(chunks(), { objectMode: false, highWaterMark: CHUNK.length });
        },
      },
    }),
  };
  async function* chunks() {
    try {
      while (seen.chunks < CHUNKS) {
        if (seen.chunks >= good) throw new Error('the disk broke');
        seen.chunks++;
        yield CHUNK;
      }
    } finally {
      seen.closed++;
    }
  }
  return { endpoint, seen };
}

it('a client that stops reading gets no more than the buffers hold; when it disconnects, the file is closed', async () => {
  const { endpoint, seen } = largeFile();
  await withEdgeServer({ endpoints: [endpoint] }, async (url) => {
    const { hostname, port } = new URL(url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.pause();
    socket.write(requestBytes({ target: '/large' }));
    // It has stopped if it did not advance between two checks.
    let before = -1;
    await waitUntil('the server to stop reading', 30_000, async () => {
      const isSame = seen.chunks > 0 && seen.chunks === before;
      before = seen.chunks;
      return isSame || undefined;
    });
    assert.ok(seen.chunks < AHEAD_CHUNKS_MAX, `${seen.chunks} chunks were read ahead`);
    socket.destroy();
    await waitUntil('the file to be closed', 30_000, async () => seen.closed === 1 || undefined);
  });
});

it('a client that reads gets the whole file', async () => {
  const { endpoint, seen } = largeFile();
  await withEdgeServer({ endpoints: [endpoint] }, async (url) => {
    const response = await fetch(`${url}/large`, { headers: PLAIN });
    assert.equal(response.headers.get('content-length'), String(CHUNKS * CHUNK.length));
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
    assert.equal(bytes, CHUNKS * CHUNK.length);
    await waitUntil('the file to be closed', 30_000, async () => seen.closed === 1 || undefined);
    assert.deepEqual(seen, { chunks: CHUNKS, opened: 1, closed: 1 });
  });
});

it('files are compressed for clients that accept it, at most eight at a time', async () => {
  const gate = Promise.withResolvers<void>();
  // Random bytes, so that the compressor sends some before the file ends.
  const part = randomBytes(CHUNK.length);
  async function* parts() {
    yield part;
    await gate.promise;
    yield part;
  }
  const bytes = 2 * part.length;
  const file = { type: 'text/plain', name: 'file.txt', bytes, open: () => Readable.from(parts()) };
  const endpoint: OpenEndpoint = { ...largeFile().endpoint, handle: () => ({ status: 200, file }) };
  await withEdgeServer({ endpoints: [endpoint] }, async (url) => {
    const read = () => fetch(`${url}/large`, { headers: { 'accept-encoding': 'gzip' } });
    const shown = ({ headers }: Response) => [headers.get('content-encoding'), headers.get('content-length')];
    const together: Response[] = [];
    for (let n = 0; n < 8; n++) {
      const response = await read();
      assert.deepEqual(shown(response), ['gzip', null]);
      together.push(response);
    }
    const ninth = await read();
    assert.deepEqual(shown(ninth), [null, String(bytes)]);
    gate.resolve();
    for (const response of [...together, ninth]) {
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.concat([part, part]));
    }
    const again = await read();
    assert.deepEqual(shown(again), ['gzip', null]);
    await again.arrayBuffer();
  });
});

it('HEAD opens nothing', async () => {
  const { endpoint, seen } = largeFile();
  await withEdgeServer({ endpoints: [endpoint] }, async (url) => {
    const response = await fetch(`${url}/large`, { method: 'HEAD', headers: PLAIN });
    assert.deepEqual([response.status, await response.text()], [200, '']);
    assert.equal(response.headers.get('content-length'), String(CHUNKS * CHUNK.length));
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(seen.opened, 0);
  });
});

it('a file that cannot be read to its end closes the connection, so that it does not look complete, and is logged', async () => {
  const { endpoint } = largeFile(3);
  const told: unknown[] = [];
  const telemetry = new Telemetry(new EventLog('silent', { write: () => {} }));
  const observe = telemetry.observe.bind(telemetry);
  telemetry.observe = (event, fields) => {
    if (event === 'request_failed') told.push(fields);
    observe(event, fields);
  };
  await withEdgeServer({ endpoints: [endpoint], telemetry }, async (url) => {
    const response = await fetch(`${url}/large`);
    await assert.rejects(response.arrayBuffer());
    assert.equal(told.length, 1);
    assert.match(String((told[0] as { error: Error }).error), /the disk broke/);
  });
});
