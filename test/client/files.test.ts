/** Tests that a bulk file arrives unchanged and is followed to its end, or that the caller learns why not. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { UnreachableError } from '../../client/src/errors.ts';
import { Files, fileIdOf, type UploadOptions } from '../../client/src/files.ts';
import { Session } from '../../client/src/session.ts';
import type { FileRecord } from '../../client/src/types.ts';
import { BREAK_OFF, refusal, type ScriptedAnswer, scriptedServer, TOKEN } from '../harness/scripted-server.ts';

const CREATED: ScriptedAnswer = [201, ''];
const RECORD = { acme_file_id: 'f-1', file_type: 'Price', file_name: 'p.json', status: 'Acknowledged' };
const TEXT = JSON.stringify({ 'sku-1': { price: 1.5 } }).repeat(20_000);

async function* chunksOf(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** More than all buffers on the way can hold, so that the sender has to wait for the server. */
async function* endless(): AsyncGenerator<Buffer> {
  const noise = gzipSync(Buffer.from(TEXT));
  for (;;) {
    yield noise;
    // Waits between chunks, as a disk does. Otherwise fetch reads a broken upload at once and never notices that its connection is closed.
    await nextTurn();
  }
}

function filesAt(url: string, signal?: AbortSignal): Files {
  return new Files(new Session({ url, user: 'ann', pass: 'hush', ...(signal === undefined ? {} : { signal }) }));
}

/** Uploads to a server that gives these responses to the bytes. */
async function uploaded(t: TestContext, sent: readonly ScriptedAnswer[], options: Partial<UploadOptions>) {
  // Filled in once the port is known.
  const token = { url: '' };
  const { url, seen } = await scriptedServer(t, [TOKEN, [200, token], ...sent, [200, RECORD]]);
  token.url = `${url}/uploads/f-1?signature=s`;
  const { signal, ...rest } = options;
  const record = await filesAt(url, signal).upload({ type: 'Price', name: 'p.json', content: TEXT, ...rest });
  return { record, seen, token };
}

describe('bulk files', () => {
  it('are sent to the signed URL without a token, then submitted', async (t) => {
    const { record, seen, token } = await uploaded(t, [CREATED], {});
    assert.equal(fileIdOf(record), 'f-1');
    assert.deepEqual(
      seen.map(({ call, authorization }) => [call, authorization !== undefined]),
      [
        ['POST /token', false],
        ['GET /files/uploadToken', true],
        ['PUT /uploads/f-1?signature=s', false],
        ['POST /files/uploaded', true],
      ],
    );
    assert.ok((seen[2]?.body.length ?? 0) < TEXT.length / 5, 'compressed');
    assert.equal(gunzipSync(seen[2]?.body ?? '').toString(), TEXT);
    const submitted = { url: token.url, file_type: 'Price', file_name: 'p.json' };
    assert.deepEqual(JSON.parse(seen[3]?.body.toString() ?? ''), submitted);
  });

  it('arrive whole from every kind of content, and gzip is not compressed again', async (t) => {
    const bytes = Buffer.from(TEXT);
    const packed = gzipSync(bytes);
    const contents = [bytes, new Blob([bytes]), new Blob([bytes]).stream(), chunksOf(bytes)] as const;
    for (const content of contents) {
      const { seen } = await uploaded(t, [CREATED], { content: content as Uint8Array });
      assert.equal(gunzipSync(seen[2]?.body ?? '').toString(), TEXT);
    }
    for (const size of [65_536, 1]) {
      const { seen } = await uploaded(t, [CREATED], { content: chunksOf(packed, size) });
      assert.ok(seen[2]?.body.equals(packed));
    }
    const { seen } = await uploaded(t, [CREATED], { content: '' });
    assert.equal(gunzipSync(seen[2]?.body ?? '').length, 0);
  });

  it('report how much was read', async (t) => {
    const counts: number[] = [];
    await uploaded(t, [CREATED], { onRead: (bytes) => counts.push(bytes) });
    assert.equal(counts.at(-1), Buffer.byteLength(TEXT));
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
    );
  });

  it('are sent again after the connection broke, if they can be read again', async (t) => {
    const { seen } = await uploaded(t, [BREAK_OFF, CREATED], {});
    assert.equal(gunzipSync(seen[2]?.body ?? '').toString(), TEXT);
    // The first attempt arrived, but its response was lost.
    const { record } = await uploaded(t, [BREAK_OFF, refusal(403, 'file_uploaded_before')], {});
    assert.equal(fileIdOf(record), 'f-1');
    await assert.rejects(uploaded(t, [BREAK_OFF], { content: endless() }), UnreachableError);
    const again = await uploaded(t, [refusal(503, 'overloaded'), BREAK_OFF, CREATED], {
      content: () => chunksOf(Buffer.from(TEXT)),
    });
    assert.equal(gunzipSync(again.seen[3]?.body ?? '').toString(), TEXT);
  });

  it('are refused with the reason, even before the server has received everything', async (t) => {
    const expected = { name: 'OfferbookError', status: 409, message: 'file_uploaded_before!' };
    await assert.rejects(uploaded(t, [refusal(409, 'file_uploaded_before')], {}), expected);
    const early: ScriptedAnswer = (request, response) => {
      response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ details: [{ code: 'link_expired', field: '', message: 'Too late.' }] }));
      request.resume();
    };
    await assert.rejects(uploaded(t, [early], { content: endless() }), { status: 403, message: 'Too late.' });
  });

  it('pass on errors of the content itself', async (t) => {
    const fault = new Error('the disk is gone');
    for (const goodChunks of [0, 3]) {
      const broken = async function* () {
        for (let chunk = 0; chunk < goodChunks; chunk++) yield Buffer.from(TEXT);
        throw fault;
      };
      await assert.rejects(uploaded(t, [(request) => void request.resume()], { content: broken() }), fault);
    }
  });

  it('end at a signal', async (t) => {
    const stop = new AbortController();
    const answer: ScriptedAnswer = (request) => void request.once('data', () => stop.abort());
    await assert.rejects(uploaded(t, [answer], { content: endless(), signal: stop.signal }), { name: 'AbortError' });
  });

  it('are followed to their end', async (t) => {
    const states = ['Acknowledged', 'Processing', 'Processing', 'Processed with errors'];
    const { url, seen } = await scriptedServer(t, [
      TOKEN,
      ...states.map((status): ScriptedAnswer => [200, { ...RECORD, status }]),
    ]);
    const seenStates: string[] = [];
    for await (const { status } of filesAt(url).follow('f/1')) seenStates.push(status);
    assert.deepEqual(seenStates, states);
    assert.equal(seen.at(-1)?.call, 'GET /files/f%2F1');
  });

  it('are listed page after page', async (t) => {
    const page: ScriptedAnswer = [200, { files: [RECORD, RECORD], total: 3 }];
    const last: ScriptedAnswer = [200, { files: [RECORD], total: 3 }];
    const { url, seen } = await scriptedServer(t, [TOKEN, page, last]);
    const found: FileRecord[] = [];
    for await (const record of filesAt(url).list(2)) found.push(record);
    assert.equal(found.length, 3);
    assert.deepEqual(
      seen.slice(1).map(({ call }) => call),
      ['GET /files?offset=0&limit=2', 'GET /files?offset=2&limit=2'],
    );
    assert.throws(() => fileIdOf({ status: 'Processing' } as FileRecord), UnreachableError);
  });

  it('have errors that are read from a signed URL', async (t) => {
    const { url, seen } = await scriptedServer(t, [[200, { a: 1 }], refusal(403, 'link_expired')]);
    const files = filesAt(url);
    assert.equal(await new Response((await files.open(`${url}/errors.json`)) as never).text(), '{"a":1}');
    assert.equal(seen[0]?.authorization, undefined);
    await assert.rejects(files.open(`${url}/errors.json`), { name: 'OfferbookError', status: 403 });
  });
});
