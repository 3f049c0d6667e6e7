/** Tests bulk files: submitting, reading their progress, listing, cancelling, and reading their errors. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import {
  ApiClient,
  assertProblems,
  minimalSku,
  problemAt,
  requestProblem,
  requestToken,
} from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { withPlace } from '../harness/store-place.ts';
import {
  emptyFile,
  type FileRecord,
  fileRecord,
  finished,
  follow,
  ids,
  LINK_EXPIRED,
  LINK_INVALID,
  NO_FILE,
  NO_UPLOAD,
  newUpload,
  priceFile,
  sendFile,
  submitFile,
  UNKNOWN_ID,
  uploaded,
} from './fixtures/bulk-files.ts';
import { addMerchant } from './fixtures/merchant-setup.ts';

const FILE_TYPES = [
  'MerchantSKUs',
  'Price',
  'Inventory',
  'Variation',
  'ShippingException',
  'ReturnsException',
  'Archive',
  'Offers',
];
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const BAD_PRICE = { price: 0 };
const PRICE_PROBLEM = problemAt('too_small', 'price', 'must be a number from 0.01 to 1000000000');

describeApi('bulk files', ({ accepts, refuses }) => {
  for (const type of FILE_TYPES) {
    accepts('FILE-11', `a file of type ${type} that was uploaded`, async (api) => {
      const { url, fileId } = await uploaded(api, gzipSync('{}'));
      const { status, body, headers } = await submitFile(api, url, type, 'Größen 🪴.json');
      const { received, ...record } = body as FileRecord;
      assert.match(String(received), ISO_TIME);
      assert.deepEqual(record as unknown, {
        status: 'Acknowledged',
        marketplace_file_id: fileId,
        url: `${api.server.url}/uploads/${fileId}`,
        file_type: type,
        file_name: 'Größen 🪴.json',
        rows_processed: 0,
        rows_failed: 0,
        rows_superseded: 0,
        rows_waiting: 0,
        bytes_processed: 0,
        bytes_total: gzipSync('{}').length,
      });
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
    });
  }
  refuses('FILE-11', 'another type, a type that was removed, and a body without its fields', async (api) => {
    const { url } = await uploaded(api, '{}');
    const typeProblem = problemAt('not_allowed', 'file_type', `must be one of: ${FILE_TYPES.join(', ')}`);
    for (const type of ['InventoryPatch', 'price', '']) {
      assertProblems(await submitFile(api, url, type), [typeProblem]);
    }
    assertProblems(await api.send('POST', '/files/uploaded', {}), [
      problemAt('required', 'url', 'is required'),
      problemAt('required', 'file_type', 'is required'),
      problemAt('required', 'file_name', 'is required'),
    ]);
    const nameProblem = problemAt('too_long', 'file_name', 'must have 1 to 255 characters');
    assertProblems(await submitFile(api, url, 'Price', 'x'.repeat(256)), [nameProblem]);
    assertProblems(await api.send('POST', '/files/uploaded'), [
      requestProblem('body_missing', 'The call needs a JSON body.'),
    ]);
    assert.equal((await submitFile(api, url, 'Price', 'x'.repeat(255))).status, 200);
  });

  accepts('FILE-12', 'the same file again, and returns the same record', async (api) => {
    const { url, fileId } = await uploaded(api, '{}');
    const first = await submitFile(api, url, 'Price', 'first.json');
    await finished(api, fileId);
    const again = await submitFile(api, url, 'Archive', 'other.json');
    const bare = await submitFile(api, url.slice(0, url.indexOf('?')), 'Price');
    for (const { status, body } of [again, bare]) {
      const { received, file_type, file_name } = body as FileRecord;
      const expected = { received: (first.body as FileRecord).received, file_type: 'Price', file_name: 'first.json' };
      assert.deepEqual({ status, received, file_type, file_name }, { status: 200, ...expected });
    }
  });
  refuses('FILE-12', 'a url that is unknown, belongs to another merchant, or has no upload', async (api) => {
    const { test, live } = await addMerchant(api);
    const foreign = await uploaded(test, '{}');
    const { url } = await newUpload(api);
    const unknown = url.replace(/uploads\/[^?]+/, `uploads/${UNKNOWN_ID}`);
    for (const bad of [url, foreign.url, unknown, 'https://other.example/file', '', `${url}/..`]) {
      assertProblems(await submitFile(api, bad, 'Price'), [NO_UPLOAD], 404);
    }
    assertProblems(await submitFile(live, foreign.url, 'Price'), [NO_UPLOAD], 404);
    assert.equal((await submitFile(test, foreign.url, 'Price')).status, 200);
  });

  accepts('FILE-13', 'a read of a file that is done, with its rows, bytes, times and rate', async (api) => {
    const skuId = api.newSkuId();
    const rows = JSON.stringify({ [skuId]: minimalSku() });
    const record = await finished(api, await sendFile(api, 'MerchantSKUs', rows));
    const { received, processing_start, processing_end, rows_per_second, bytes_total, ...rest } = record;
    for (const time of [received, processing_start, processing_end]) assert.match(String(time), ISO_TIME);
    assert.ok(String(received) <= String(processing_start) && String(processing_start) <= String(processing_end));
    assert.ok(Number(rows_per_second) > 0);
    assert.deepEqual(rest, {
      marketplace_file_id: record.marketplace_file_id,
      url: `${api.server.url}/uploads/${record.marketplace_file_id}`,
      file_type: 'MerchantSKUs',
      format: 'JSON',
      compression: 'none',
      file_name: 'rows.json',
      status: 'Processed successfully',
      rows_processed: 1,
      rows_failed: 0,
      rows_superseded: 0,
      rows_waiting: 0,
      bytes_processed: bytes_total,
    });
    assert.equal((await api.foundNow(`/merchant-skus/${skuId}`)).brand, minimalSku().brand);
  });
  refuses('FILE-13', 'a read of a file that is unknown, of another account, or not submitted', async (api) => {
    const { test, live } = await addMerchant(api);
    const fileId = await emptyFile(test);
    const waiting = await uploaded(test, '{}');
    for (const [client, id] of [
      [test, UNKNOWN_ID],
      [test, 'x'],
      [test, fileId.toUpperCase()],
      [test, waiting.fileId],
      [live, fileId],
      [api, fileId],
    ] as const) {
      await client.refused('GET', `/files/${id}`, undefined, [NO_FILE], 404);
      await client.refused('POST', `/files/${id}/cancel`, undefined, [NO_FILE], 404);
    }
    assert.equal((await test.get(`/files/${fileId}`)).status, 200);
  });

  accepts('FILE-15', 'a list, newest first, in pages that lead to the next', async (api) => {
    const { test, live } = await addMerchant(api);
    assert.deepEqual(await test.foundNow('/files'), { files: [], total: 0 });
    const sent: string[] = [];
    for (let count = 0; count < 3; count++) sent.unshift(await emptyFile(test));
    await newUpload(test);
    const all = await test.get('/files');
    assert.deepEqual([ids((all.body as { files: unknown }).files), all.headers.get('link')], [sent, null]);
    const page = await test.get('/files?offset=1&limit=1');
    const { files, total } = page.body as { files: unknown; total: number };
    assert.deepEqual([ids(files), total], [[sent[1]], 3]);
    assert.equal(page.headers.get('link'), `<${api.server.url}/files?offset=2&limit=1>; rel="next"`);
    assert.equal((await test.get('/files?offset=2&limit=1')).headers.get('link'), null);
    assert.deepEqual(ids((await test.foundNow('/files?offset=3')).files), []);
    assert.deepEqual((await live.foundNow('/files')).total, 0);
    for (const fileId of sent) await finished(test, fileId);
    const [newest] = (await test.foundNow('/files')).files as FileRecord[];
    assert.deepEqual(newest, await fileRecord(test, String(sent[0])));
    assert.deepEqual(ids((await test.foundNow(`/files?q=${sent[2]}`)).files), [sent[2]]);
    const name = encodeURIComponent(String(newest?.file_name).toUpperCase());
    const named = await test.get(`/files?limit=2&q=${name}`);
    assert.deepEqual(
      [ids((named.body as { files: unknown }).files), (named.body as { total: number }).total],
      [sent.slice(0, 2), 3],
    );
    assert.equal(named.headers.get('link'), `<${api.server.url}/files?offset=2&limit=2&q=${name}>; rel="next"`);
    assert.deepEqual(await test.foundNow('/files?q=no%20such'), { files: [], total: 0 });
  });
  refuses('FILE-15', 'a search that is too long', async (api) => {
    const problem = requestProblem('query_invalid', 'q: must have at most 255 characters, and no NUL character.');
    await api.refused('GET', `/files?q=${'x'.repeat(256)}`, undefined, [problem]);
    await api.refused('GET', '/files?q=%00', undefined, [problem]);
  });
  refuses('FILE-15', 'an offset or a limit out of range, naming both', async (api) => {
    assertProblems(await api.get('/files?limit=1001&offset=-1'), [
      requestProblem('query_invalid', 'offset: must be a whole number from 0 to 2147483647.'),
      requestProblem('query_invalid', 'limit: must be a whole number from 1 to 1000.'),
    ]);
    for (const limit of ['0', 'x', '']) {
      const problem = requestProblem('query_invalid', 'limit: must be a whole number from 1 to 1000.');
      await api.refused('GET', `/files?limit=${limit}`, undefined, [problem]);
    }
    assert.equal((await api.get('/files?limit=1000&offset=2147483647')).status, 200);
  });

  accepts('FILE-16', 'a cancel, also repeated; a finished file does not change', async (api) => {
    const { test } = await addMerchant(api);
    const done = await emptyFile(test);
    await finished(test, done);
    const { body } = await test.send('POST', `/files/${done}/cancel`);
    assert.equal((body as FileRecord).status, 'Processed successfully');
    // Large enough to stay unfinished for a while.
    const rows = Object.fromEntries(Array.from({ length: 20_000 }, (_, row) => [`row-${row}`, minimalSku()]));
    const long = await sendFile(test, 'MerchantSKUs', rows);
    const cancelled = (await test.send('POST', `/files/${long}/cancel`)).body as FileRecord;
    assert.equal(cancelled.status, 'Cancelled');
    assert.match(String(cancelled.processing_end), ISO_TIME);
    const again = (await test.send('POST', `/files/${long}/cancel`)).body as FileRecord;
    assert.deepEqual([again.status, again.processing_end], ['Cancelled', cancelled.processing_end]);
    assert.equal((await fileRecord(test, long)).status, 'Cancelled');
  });

  accepts('FILE-17', 'bad rows, names each in the errors, and returns them in the retry file', async (api) => {
    const { skuIds, record } = await priceFile(api);
    const [good = '', low = '', text = ''] = skuIds;
    const message = `${PRICE_PROBLEM.message}, not a string`;
    const typeProblem = { ...PRICE_PROBLEM, code: 'wrong_type', message };
    assert.deepEqual(
      [record.status, record.rows_processed, record.rows_failed, record.error_count, record.error_excerpt],
      ['Processed with errors', 3, 2, 2, [`${low}: ${PRICE_PROBLEM.message}`, `${text}: ${typeProblem.message}`]],
    );
    assert.deepEqual(record.ignored_fields, [{ field: '/note', rows: 1 }]);
    const errors = await follow(api, String(record.error_url));
    const rows = `{"${good}": {"price": 7},\n "`;
    assert.deepEqual(errors.body, {
      [low]: {
        errors: [PRICE_PROBLEM.message],
        details: [PRICE_PROBLEM],
        line: 2,
        column: 2,
        byte_offset: rows.length - 1,
      },
      [text]: {
        errors: [typeProblem.message],
        details: [typeProblem],
        line: 2,
        column: 2 + `"${low}": {"price": 0, "note": 1} ,`.length,
        byte_offset: rows.length - 1 + `"${low}": {"price": 0, "note": 1} ,`.length,
      },
    });
    assert.equal(errors.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(
      errors.headers.get('content-disposition'),
      `attachment; filename="errors-${record.marketplace_file_id}.json"`,
    );
    const retry = await follow(api, String(record.retry_url));
    assert.deepEqual(retry.body, { [low]: { price: 0, note: 1 }, [text]: { price: 'x' } });
    assert.equal((await api.found(`/merchant-skus/${good}/price`)).price, 7);
    const fixed = retry.text.replace('"price": 0', '"price": 8').replace('"x"', '9');
    const { status } = await finished(api, await sendFile(api, 'Price', fixed));
    assert.equal(status, 'Processed successfully');
    assert.equal((await api.found(`/merchant-skus/${text}/price`)).price, 9);
  });
  accepts('FILE-17', 'a file without errors, and reports none', async (api) => {
    const record = await finished(api, await emptyFile(api));
    assert.deepEqual(
      Object.keys(record).filter((field) => /error|retry|ignored/.test(field)),
      [],
    );
  });
  accepts('FILE-17', 'a file that is not an object, and reports it once', async (api) => {
    const record = await finished(api, await sendFile(api, 'Price', '[]'));
    assert.deepEqual([record.status, record.error_count, record.retry_url], ['Processed with errors', 1, undefined]);
    const { body } = await follow(api, String(record.error_url));
    assert.deepEqual(Object.keys(body as object), ['']);
  });

  accepts('FILE-17', 'a file that breaks after bad rows, and counts the file error with them', async (api) => {
    const skuId = await api.uploadedSku();
    const record = await finished(api, await sendFile(api, 'Price', `{"${skuId}": {"price": 0}, oops`));
    assert.deepEqual([record.rows_failed, record.error_count], [1, 2]);
    assert.equal((record.error_excerpt as unknown[]).length, 2);
    const { body } = await follow(api, String(record.error_url));
    assert.deepEqual(Object.keys(body as object), [skuId, '']);
  });

  accepts('FILE-18', 'downloads by GET and HEAD for 30 minutes, renewed by each read', async (own) => {
    const { record } = await priceFile(own);
    const url = String(record.error_url);
    const [head, get] = [await follow(own, url, { method: 'HEAD' }), await follow(own, url)];
    assert.deepEqual([head.status, head.text, get.status], [200, '', 200]);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
    own.server.passTime(1_800_000 - 60_000);
    assert.equal((await follow(own, url)).status, 200);
    own.server.passTime(60_000);
    assertProblems(await follow(own, url), [LINK_EXPIRED], 403);
    const { error_url } = await fileRecord(own, record.marketplace_file_id);
    assert.equal((await follow(own, String(error_url))).status, 200);
  });
  refuses('FILE-18', 'downloads with a URL that was changed or is for something else', async (api) => {
    const { record } = await priceFile(api);
    const [errorUrl, retryUrl] = [String(record.error_url), String(record.retry_url)];
    for (const bad of [
      errorUrl.replace('errors.json', 'retry.json'),
      retryUrl.replace('retry.json', 'errors.json'),
      errorUrl.replace(record.marketplace_file_id, UNKNOWN_ID),
      `${errorUrl}&`,
      errorUrl.slice(0, errorUrl.indexOf('?')),
    ]) {
      assertProblems(await follow(api, bad), [LINK_INVALID], 403);
    }
    const notAllowed = requestProblem('method_not_allowed', 'This path accepts only GET, HEAD.');
    assertProblems(await follow(api, errorUrl, { method: 'POST', body: '{}' }), [notAllowed], 405);
  });

  accepts('FILE-19', 'a single update after the file, which no row replaces', async (api) => {
    await withPlace(api.variant.store, async (place) => {
      const { settings } = api.variant;
      const clientAt = async (url: string) =>
        new ApiClient({ ...api.server, url }, api.variant, await requestToken(url, 'test'));
      const price = '/merchant-skus/a/price';
      // This server does not process files, so the update is applied before the row.
      const { result: fileId } = await withOfferbook(place, { demo: true, role: 'api', settings }, async (url) => {
        const own = await clientAt(url);
        await own.uploadedSku({}, 'a');
        const sent = await sendFile(own, 'Price', { a: { price: 1 }, unknown: BAD_PRICE });
        await own.accepted('PUT', price, { price: 2 });
        return sent;
      });
      await withOfferbook(place, { demo: true, settings }, async (url) => {
        const own = await clientAt(url);
        const record = await finished(own, fileId);
        assert.deepEqual([record.rows_processed, record.rows_superseded, record.rows_failed], [2, 1, 1]);
        assert.equal((await own.found(price)).price, 2);
      });
    });
  });

  refuses('FILE-20', 'every call about files without a token, and unsupported methods', async (api) => {
    const headers = { authorization: '' };
    for (const [method, target] of [
      ['GET', '/files/uploadToken'],
      ['POST', '/files/uploaded'],
      ['GET', '/files'],
      ['GET', `/files/${UNKNOWN_ID}`],
      ['POST', `/files/${UNKNOWN_ID}/cancel`],
    ] as const) {
      const answer = await api.send(method, target, method === 'POST' ? {} : undefined, headers);
      assert.equal(answer.status, 401, target);
    }
    assert.equal((await api.send('DELETE', `/files/${UNKNOWN_ID}`)).status, 405);
  });
});
