/** Tests uploads of bulk files: signed URLs, what they accept, and uploads that fail. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import {
  finished,
  follow,
  LINK_EXPIRED,
  LINK_INVALID,
  NO_UPLOAD,
  newUpload,
  sendFile,
  submitFile,
  UPLOADED_BEFORE,
  upload,
  uploaded,
} from './fixtures/bulk-files.ts';
import { addMerchant, changeSetup, eventually } from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';

const ROWS = '{"a":{"price":5}}';
const HALF_HOUR_MS = 1_800_000;

const tooLarge = (bytes: number) => requestProblem('file_too_large', `The file must have at most ${bytes} bytes.`);

const WAITING_TOO_LARGE = requestProblem(
  'files_waiting_too_large',
  'Unprocessed files have reached the limit of 20 bytes. Submit or cancel some, or wait.',
);

/** Returns the names of all files on disk. */
async function filesOnDisk(api: ApiClient): Promise<string[]> {
  const entries = await readdir(path.join(api.server.place.DATA_DIR, 'files'), {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const targetOf = (url: string) => url.slice(new URL(url).origin.length);

/** Sends the body in two parts of unknown length. */
function inChunks(text: string): ReadableStream {
  return ReadableStream.from([Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))]);
}

describeApi('uploads', ({ accepts, refuses }) => {
  accepts('FILE-01', 'a request for an upload URL, and returns another one each time', async (api) => {
    const answers = [await api.get('/files/uploadToken'), await api.get('/files/uploadToken')];
    const [one, other] = answers.map(({ body }) => body as Record<string, string>);
    assert.deepEqual(Object.keys(one ?? {}).toSorted(), ['expires_in_seconds', 'marketplace_file_id', 'url']);
    assert.deepEqual([answers[0]?.status, one?.expires_in_seconds], [200, 1800]);
    assert.equal(answers[0]?.headers.get('cache-control'), 'no-store');
    assert.ok(one?.url?.startsWith(`${api.server.url}/uploads/${one.marketplace_file_id}?`), one?.url);
    assert.notEqual(one?.marketplace_file_id, other?.marketplace_file_id);
  });
  accepts('FILE-01', 'PUBLIC_URL as the start of the upload URL', async (api) => {
    await withOwnServer(api.variant, { PUBLIC_URL: 'http://localhost:9/api/' }, async (own) => {
      const { url } = await newUpload(own);
      assert.ok(url.startsWith('http://localhost:9/api/uploads/'), url);
      const local = url.replace('http://localhost:9', own.server.url);
      assert.equal((await upload(own, local, ROWS)).status, 201);
      assert.equal((await submitFile(own, url, 'Price')).status, 200);
      assertProblems(await submitFile(own, local, 'Price'), [NO_UPLOAD], 404);
    });
  });

  accepts('FILE-02', 'JSON and gzip without a token, whatever the headers say', async (api) => {
    for (const body of [ROWS, gzipSync(ROWS), 'no JSON at all']) {
      const { url, fileId } = await newUpload(api);
      const answer = await upload(api, url, body);
      assert.deepEqual([answer.status, answer.text], [201, '']);
      assert.ok(answer.headers.get('x-request-id'));
      assert.ok((await filesOnDisk(api)).includes(`${fileId}.upload`));
    }
    const { url } = await newUpload(api);
    const headers = { 'content-encoding': 'gzip', 'content-type': 'nonsense', authorization: 'Bearer nonsense' };
    const response = await fetch(url, { method: 'PUT', body: gzipSync(ROWS), headers });
    assert.equal(response.status, 201);
  });
  refuses('FILE-02', 'a URL that was changed, or is for something else', async (api) => {
    const { url, fileId } = await newUpload(api);
    const other = await newUpload(api);
    for (const bad of [
      url.replace(fileId, other.fileId),
      url.replace(fileId, fileId.toUpperCase()),
      url.replace(/account=\d+/, 'account=2'),
      url.replace(/expires=\d+/, (found) => `${found}0`),
      url.replace(/signature=./, (found) => (found.endsWith('A') ? 'signature=B' : 'signature=A')),
      `${url}&x=1`,
      url.slice(0, url.indexOf('?')),
    ]) {
      assertProblems(await upload(api, bad, ROWS), [LINK_INVALID], 403);
    }
    assertProblems(
      await follow(api, url.replace(`uploads/${fileId}`, `files/${fileId}/errors.json`)),
      [LINK_INVALID],
      403,
    );
    assert.equal((await upload(api, url, ROWS)).status, 201);
  });

  accepts('FILE-03', 'a URL in the last of its 30 minutes', async (own) => {
    const { url } = await newUpload(own);
    const [one, other] = [await newUpload(own), await newUpload(own)];
    own.server.passTime(HALF_HOUR_MS - 60_000);
    assert.equal((await upload(own, url, ROWS)).status, 201);
    own.server.passTime(60_000);
    assertProblems(await upload(own, one.url, ROWS), [LINK_EXPIRED], 403);
    // A file that was uploaded in time may be submitted later.
    assert.equal((await submitFile(own, url, 'Price')).status, 200);
    assertProblems(await submitFile(own, other.url, 'Price'), [NO_UPLOAD], 404);
  });
  refuses('FILE-03', 'a URL that is older', async (own) => {
    const { url } = await newUpload(own);
    own.server.passTime(HALF_HOUR_MS);
    assertProblems(await upload(own, url, ROWS), [LINK_EXPIRED], 403);
    assertProblems(await upload(own, `${url}x`, ROWS), [LINK_INVALID], 403);
  });

  refuses('FILE-04', 'a second file at a URL, and keeps the first', async (api) => {
    const { url, fileId } = await uploaded(api, ROWS);
    assertProblems(await upload(api, url, '{"b":{}}'), [UPLOADED_BEFORE], 403);
    const { body } = await submitFile(api, url, 'Price');
    assert.equal((body as { bytes_total: number }).bytes_total, ROWS.length);
    assert.deepEqual(
      (await filesOnDisk(api)).filter((name) => name.includes('.part-')),
      [],
    );
    assert.ok((await filesOnDisk(api)).includes(`${fileId}.upload`));
  });
  accepts('FILE-04', 'one of several uploads at once', async (api) => {
    const { url } = await newUpload(api);
    const answers = await together(8, (place) => upload(api, url, '{}'.padEnd(100_000 + place)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...new Array(7).fill(403)]);
    for (const refused of answers.filter(({ status }) => status === 403)) {
      assertProblems(refused, [UPLOADED_BEFORE], 403);
    }
    const { body } = await submitFile(api, url, 'Price');
    const kept = answers.findIndex(({ status }) => status === 201);
    assert.equal((body as { bytes_total: number }).bytes_total, 100_000 + kept);
  });

  refuses('FILE-06', 'an empty upload', async (api) => {
    const problem = requestProblem('body_missing', 'The upload is empty. Send the file as the body.');
    const { url } = await newUpload(api);
    assertProblems(await upload(api, url, ''), [problem]);
    assertProblems(await follow(api, url, { method: 'PUT' }), [problem]);
    assertProblems(await upload(api, url, ReadableStream.from([])), [problem]);
    assertProblems(await submitFile(api, url, 'Price'), [NO_UPLOAD], 404);
  });

  accepts('FILE-07', 'another attempt after an interrupted one, which leaves nothing', async (api) => {
    const { url, fileId } = await newUpload(api);
    const connection = await RawConnection.open(api.server.url);
    const headers = { 'content-length': '1000' };
    connection.write(requestBytes({ method: 'PUT', target: targetOf(url), headers }));
    connection.write('{"a":');
    const isOfFile = (name: string) => name.startsWith(fileId);
    await eventually(async () => (await filesOnDisk(api)).some(isOfFile), 'the draft is there');
    connection.destroy();
    await eventually(async () => !(await filesOnDisk(api)).some(isOfFile), 'the draft is gone');
    assertProblems(await submitFile(api, url, 'Price'), [NO_UPLOAD], 404);
    assert.equal((await upload(api, url, ROWS)).status, 201);
  });
  refuses('FILE-08', 'an upload that does not fit on the disk, and accepts it when there is space', async (api) => {
    const full = requestProblem(
      'disk_full',
      'The server has no disk space for the file. Nothing was stored; retry later.',
    );
    await withOwnServer(api.variant, { FILES_FREE_BYTES_MIN: '1099511627776' }, async (own) => {
      const { url } = await newUpload(own);
      const answer = await upload(own, url, ROWS);
      assertProblems(answer, [full], 503);
      assert.ok(answer.headers.get('retry-after'));
      assert.deepEqual(await filesOnDisk(own), []);
    });
  });

  accepts('FILE-23', 'as many files as an account may keep, and deletes its oldest', async (api) => {
    await withOwnServer(api.variant, { FILES_KEPT_BYTES_MAX: '300' }, async (own) => {
      // Each file has 100 bytes, and another 100 for an error and a retry row.
      const send = () => sendFile(own, 'Price', { 'no price': {} });
      const live = await own.inEnvironment('live');
      const ofOther = await sendFile(live, 'Price', { 'no price': {} });
      await finished(live, ofOther);
      const fileIds: string[] = [];
      for (let time = 0; time < 4; time++) {
        fileIds.push(await send());
        const { status, rows_failed } = await finished(own, fileIds.at(-1) ?? '');
        assert.deepEqual([status, rows_failed], ['Processed with errors', 1]);
      }
      await eventually(async () => (await own.get(`/files/${fileIds[0]}`)).status === 404, 'the oldest is gone');
      const onDisk = await filesOnDisk(own);
      assert.ok(!onDisk.some((name) => name.includes(fileIds[0] ?? '')), onDisk.join());
      assert.ok(
        onDisk.some((name) => name.includes(fileIds[3] ?? '')),
        'the newest stays',
      );
      assert.equal((await live.get(`/files/${ofOther}`)).status, 200, 'those of others stay');
    });
  });

  refuses('FILE-09', 'signed URLs of a suspended merchant, and counts the others by its rate', async (api) => {
    const { merchantId, test } = await addMerchant(api);
    const { url } = await newUpload(test);
    const before = Number((await test.get('/authcheck')).headers.get('ratelimit-remaining'));
    const answer = await upload(test, url, ROWS);
    assert.deepEqual([answer.status, Number(answer.headers.get('ratelimit-remaining'))], [201, before - 1]);
    const next = await newUpload(test);
    await changeSetup(api, (store) => store.settings.setSuspended(merchantId, true));
    await eventually(async () => (await test.get('/authcheck')).status === 403, 'the suspension is known');
    const suspended = requestProblem(
      'merchant_suspended',
      'The marketplace has suspended this merchant. Contact the marketplace.',
    );
    assertProblems(await upload(test, next.url, ROWS), [suspended], 403);
  });
  refuses('FILE-09', 'more requests than the rate allows', async (api) => {
    await withOwnServer(api.variant, { REQUESTS_PER_MINUTE: '3' }, async (own) => {
      const { url } = await newUpload(own);
      assert.equal((await upload(own, url, ROWS)).status, 201);
      assert.equal((await upload(own, url, ROWS)).status, 429);
    });
  });

  refuses('FILE-10', 'more than ten uploads of one merchant at once', async (api) => {
    const { test } = await addMerchant(api);
    const targets = await together(11, () => newUpload(test));
    const connections = await together(10, async (place) => {
      const connection = await RawConnection.open(api.server.url);
      const target = targetOf(targets[place]?.url ?? '');
      connection.write(requestBytes({ method: 'PUT', target, headers: { 'content-length': '2' } }));
      connection.write('{');
      return connection;
    });
    const begun = async () =>
      (await filesOnDisk(api)).filter((name) => targets.some(({ fileId }) => name.startsWith(fileId)));
    await eventually(async () => (await begun()).length === 10, 'all have begun');
    const text = 'Too many uploads are in progress. Wait for one to finish.';
    const answer = await upload(test, targets[10]?.url ?? '', '{}');
    assertProblems(answer, [requestProblem('uploads_too_many', text)], 429);
    assert.equal(answer.headers.get('retry-after'), '5');
    assert.equal((await upload(api, (await newUpload(api)).url, '{}')).status, 201);
    for (const connection of connections) connection.write('}');
    for (const connection of connections) {
      assert.equal((await connection.answer('PUT'))?.status, 201);
      connection.destroy();
    }
    assert.equal((await upload(test, targets[10]?.url ?? '', '{}')).status, 201);
  });
});

const packed = (bytes: number) => Buffer.concat([gzipSync('{}'), Buffer.alloc(bytes)]).subarray(0, bytes);

describeApi(
  'sizes of uploads',
  ({ accepts, refuses }) => {
    accepts('FILE-05', 'as many bytes as allowed, packed or not, with or without a length', async (own) => {
      for (const body of [packed(1000), '{}'.padEnd(2000), inChunks('{}'.padEnd(2000))]) {
        assert.equal((await upload(own, (await newUpload(own)).url, body)).status, 201);
      }
    });
    refuses('FILE-05', 'one byte more', async (own) => {
      const before = await filesOnDisk(own);
      for (const [body, bytes_max] of [
        [packed(1001), 1000],
        ['{}'.padEnd(2001), 2000],
        [inChunks('{}'.padEnd(2001)), 2000],
      ] as const) {
        const { url } = await newUpload(own);
        assertProblems(await upload(own, url, body), [tooLarge(bytes_max)]);
        // Nothing was stored: the URL still works.
        assert.equal((await upload(own, url, '{}')).status, 201);
      }
      assert.equal((await filesOnDisk(own)).length, before.length + 3);
    });
    refuses('FILE-05', 'a file that is far too large, however long the client continues', async (own) => {
      const { url } = await newUpload(own);
      const answer = await upload(own, url, Buffer.alloc(20_000_000, 32));
      assertProblems(answer, [tooLarge(2000)]);
    });
  },
  { FILE_BYTES_MAX: '1000', FILE_UNPACKED_BYTES_MAX: '2000' },
);

describeApi(
  'the size of all uploads that wait',
  ({ accepts, refuses }) => {
    refuses('FILE-22', 'an upload beyond the limit of waiting bytes, declared or not', async (api) => {
      const { test: own } = await addMerchant(api);
      const text = '{}'.padEnd(21);
      const { url } = await newUpload(own);
      for (const body of [text, inChunks(text)]) {
        const answer = await upload(own, url, body);
        assertProblems(answer, [WAITING_TOO_LARGE], 429);
        assert.ok(answer.headers.get('retry-after'));
      }
      assert.deepEqual(await filesOnDisk(api), []);
      assert.equal((await upload(own, url, text.slice(0, 20))).status, 201, 'the URL still works');
    });
    accepts('FILE-22', 'uploads up to the limit of waiting bytes, and more once some are processed', async (api) => {
      const { test: own, live } = await addMerchant(api);
      const first = await uploaded(own, '{}        ');
      await uploaded(own, '{}        ');
      const { url } = await newUpload(own);
      assertProblems(await upload(own, url, '{}'), [WAITING_TOO_LARGE], 429);
      await submitFile(own, first.url, 'Price');
      await finished(own, first.fileId);
      assert.equal((await upload(own, url, '{}        ')).status, 201);
      assert.equal((await upload(own, (await newUpload(own)).url, '{}')).status, 429);
      assert.equal((await upload(live, (await newUpload(live)).url, '{}')).status, 201, 'each account has its own');
    });
  },
  { FILES_WAITING_BYTES_MAX: '20' },
);
