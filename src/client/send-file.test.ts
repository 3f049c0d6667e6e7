/** Tests that a file arrives unchanged, or that the caller learns why not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ApiRefusedError, ServerUnreachableError } from './api-failure.ts';
import { sendFile } from './send-file.ts';
import { BREAK_OFF, refusal, type ScriptedAnswer, scriptedServer } from './testing/scripted-server.ts';

const CREATED: ScriptedAnswer = [201, ''];
const TEXT = JSON.stringify({ 'sku-1': { price: 1.5 } }).repeat(20_000);

async function* chunksOf(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** More than all buffers on the way can hold, so that the sender has to wait for the server. */
async function* endless(): AsyncGenerator<Buffer> {
  const noise = gzipSync(Buffer.from(TEXT));
  for (;;) yield noise;
}

describe('sending a file', () => {
  it('packs what is not packed', async (t) => {
    const { url, seen } = await scriptedServer(t, [CREATED]);
    await sendFile(`${url}/files/uploads/a?signature=s`, chunksOf(Buffer.from(TEXT)));
    assert.equal(seen[0]?.call, 'PUT /files/uploads/a?signature=s');
    assert.equal(seen[0]?.authorization, undefined);
    assert.ok((seen[0]?.body.length ?? 0) < TEXT.length / 5);
    assert.equal(gunzipSync(seen[0]?.body ?? '').toString(), TEXT);
  });

  it('does not compress gzip again, even if its first bytes arrive one by one', async (t) => {
    const packed = gzipSync(TEXT);
    const { url, seen } = await scriptedServer(t, [CREATED, CREATED]);
    await sendFile(url, chunksOf(packed));
    await sendFile(url, chunksOf(packed, 1));
    for (const { body } of seen) assert.ok(body.equals(packed));
  });

  it('sends an empty file too, for the server to review', async (t) => {
    const { url, seen } = await scriptedServer(t, [CREATED]);
    await sendFile(url, chunksOf(Buffer.alloc(0)));
    assert.equal(gunzipSync(seen[0]?.body ?? '').length, 0);
  });

  it('reports how much was read', async (t) => {
    const { url } = await scriptedServer(t, [CREATED]);
    const counts: number[] = [];
    await sendFile(url, chunksOf(Buffer.from(TEXT)), { onRead: (bytes) => counts.push(bytes) });
    assert.equal(counts.at(-1), Buffer.byteLength(TEXT));
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
    );
  });

  it('reports why the server refuses, also before it has received everything', async (t) => {
    const { url } = await scriptedServer(t, [
      refusal(409, 'file_uploaded_before'),
      (request, response) => {
        response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
        response.end(JSON.stringify({ details: [{ code: 'link_expired', field: '', message: 'Too late.' }] }));
        request.resume();
      },
    ]);
    await assert.rejects(sendFile(url, chunksOf(Buffer.from(TEXT))), (error) => {
      assert.ok(error instanceof ApiRefusedError);
      assert.deepEqual([error.status, error.problems[0]?.code], [409, 'file_uploaded_before']);
      return true;
    });
    await assert.rejects(sendFile(url, endless()), (error) => {
      assert.ok(error instanceof ApiRefusedError);
      assert.deepEqual([error.status, error.problems[0]?.code], [403, 'link_expired']);
      return true;
    });
  });

  it('says that the server closed the connection', async (t) => {
    const { url } = await scriptedServer(t, [BREAK_OFF]);
    await assert.rejects(sendFile(url, endless()), (error) => {
      assert.ok(error instanceof ServerUnreachableError);
      assert.match(error.message, /cannot be reached: the server closed the connection\.$/);
      return true;
    });
  });

  it('passes on what is wrong with the file itself', async (t) => {
    const { url } = await scriptedServer(t, [(request) => void request.resume()]);
    const fault = new Error('the disk is gone');
    for (const goodChunks of [0, 3]) {
      const broken = async function* () {
        for (let chunk = 0; chunk < goodChunks; chunk++) yield Buffer.from(TEXT);
        throw fault;
      };
      await assert.rejects(sendFile(url, broken()), fault);
    }
  });

  it('ends at a signal', async (t) => {
    const stop = new AbortController();
    const { url } = await scriptedServer(t, [(request) => void request.once('data', () => stop.abort())]);
    await assert.rejects(sendFile(url, endless(), { signal: stop.signal }), { name: 'AbortError' });
  });
});
