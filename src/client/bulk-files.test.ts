/** Tests the order of calls for bulk files, and records with configured names. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ServerUnreachableError } from './api-failure.ts';
import { ApiSession } from './api-session.ts';
import { BulkFiles } from './bulk-files.ts';
import { readFileRecord } from './file-record.ts';
import { refusal, type ScriptedAnswer, scriptedServer, TOKEN } from './testing/scripted-server.ts';

const RECORD = {
  acme_file_id: 'f-1',
  file_type: 'Price',
  file_name: 'p.json',
  status: 'Acknowledged',
  received: '2026-01-31T09:30:00.000Z',
  rows_processed: 0,
  rows_failed: 0,
  rows_superseded: 0,
  rows_waiting: 0,
  bytes_processed: 0,
  bytes_total: 100,
};

function filesAt(server: string): BulkFiles {
  return new BulkFiles(new ApiSession({ server, user: 'ann', secret: 'hush' }));
}

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"a": {"price": 1}}');
}

describe('bulk files elsewhere', () => {
  it('are uploaded to the given URL, then submitted with it', async (t) => {
    // Filled in once the port is known.
    const token = { url: '', acme_file_id: 'f-1', expires_in_seconds: 1800 };
    const { url, seen } = await scriptedServer(t, [TOKEN, [200, token], [201, ''], [200, RECORD]]);
    token.url = `${url}/files/uploads/f-1?signature=s`;
    const record = await filesAt(url).upload({ type: 'Price', name: 'p.json', chunks: chunks() });
    assert.equal(record.fileId, 'f-1');
    assert.deepEqual(
      seen.map(({ call }) => call),
      ['POST /token', 'GET /files/uploadToken', 'PUT /files/uploads/f-1?signature=s', 'POST /files/uploaded'],
    );
    assert.equal(gunzipSync(seen[2]?.body ?? '').toString(), '{"a": {"price": 1}}');
    assert.deepEqual(JSON.parse(seen[3]?.body.toString() ?? ''), {
      url: token.url,
      file_type: 'Price',
      file_name: 'p.json',
    });
  });

  it('are followed to their end', async (t) => {
    const states = ['Acknowledged', 'Processing', 'Processing', 'Processed with errors'];
    const looks = states.map((status): ScriptedAnswer => [200, { ...RECORD, status }]);
    const { url, seen } = await scriptedServer(t, [TOKEN, ...looks]);
    const seenStates: string[] = [];
    for await (const { status } of filesAt(url).follow('f/1')) seenStates.push(status);
    assert.deepEqual(seenStates, states);
    assert.equal(seen.at(-1)?.call, 'GET /files/f%2F1');
  });

  it('are listed by pages', async (t) => {
    const { url, seen } = await scriptedServer(t, [TOKEN, [200, { files: [RECORD], total: 41 }]]);
    const { files, json } = await filesAt(url).list(40, 20);
    assert.deepEqual([files.map(({ fileId }) => fileId), json.total], [['f-1'], 41]);
    assert.equal(seen.at(-1)?.call, 'GET /files?offset=40&limit=20');
  });

  it('have errors that are read as they come; those of others are refused, and what breaks off is said', async (t) => {
    const { url } = await scriptedServer(t, [
      [200, { a: 1 }],
      refusal(403, 'link_expired'),
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{');
        setImmediate(() => response.destroy());
      },
    ]);
    const files = filesAt(url);
    assert.equal(await text(await files.open(`${url}/errors.json`)), '{"a":1}');
    await assert.rejects(files.open(`${url}/errors.json`), { name: 'ApiRefusedError', status: 403 });
    await assert.rejects(async () => text(await files.open(`${url}/errors.json`)), ServerUnreachableError);
  });

  it('are records in which what is absent is nothing, and the id has any name', () => {
    const { errorUrl, excerpt, rowsFailed } = readFileRecord(RECORD);
    assert.deepEqual([errorUrl, excerpt, rowsFailed], [undefined, [], 0]);
    const failed = { ...RECORD, error_url: 'http://x', retry_url: 'http://y', error_excerpt: ['a: b'], rows_failed: 1 };
    const record = readFileRecord(failed);
    assert.deepEqual(
      [record.errorUrl, record.retryUrl, record.excerpt, record.rowsFailed],
      ['http://x', 'http://y', ['a: b'], 1],
    );
    assert.throws(() => readFileRecord({ status: 'Processing' }), ServerUnreachableError);
  });
});
