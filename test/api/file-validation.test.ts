/** Tests files that are only validated: their rows are checked with all errors, and nothing is written. */
import assert from 'node:assert/strict';
import { type ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { type FileRecord, fileRecord, finished, follow, submitFile, uploaded } from './fixtures/bulk-files.ts';

const PATH = '/files/uploaded?validate_only=true';

/** Submits rows to be validated; returns the record when they are. */
async function validated(api: ApiClient, type: string, rows: object): Promise<FileRecord> {
  const { url, fileId } = await uploaded(api, JSON.stringify(rows));
  const { status, body } = await api.send('POST', PATH, { url, file_type: type, file_name: 'rows.json' });
  assert.deepEqual([status, (body as FileRecord).validate_only], [200, true]);
  return finished(api, fileId);
}

describeSharedApi('files that are only validated', ({ accepts, refuses }) => {
  accepts('FILE-27', 'valid rows, writes none of them, and says so in the record', async (api) => {
    const skuId = api.newSkuId();
    const { status, validate_only, rows_processed, error_count } = await validated(api, 'MerchantSKUs', {
      [skuId]: minimalSku(),
    });
    assert.deepEqual(
      [status, validate_only, rows_processed, error_count],
      ['Processed successfully', true, 1, undefined],
    );
    assert.equal((await api.get(`/merchant-skus/${skuId}`)).status, 404);
    await api.uploadedSku({}, skuId);
    const price = await validated(api, 'Price', { [skuId]: { price: 5 } });
    assert.equal(price.status, 'Processed successfully');
    const { events } = (await api.foundNow('/events?types=file.finished&limit=1000')) as { events: FileRecord[] };
    assert.equal(events.find(({ file_id }) => file_id === price.marketplace_file_id)?.validate_only, true);
    assert.equal((await api.get(`/merchant-skus/${skuId}/price`)).status, 404);
  });
  accepts('FILE-27', 'the parameter as a filter of the list, and keeps it on further pages', async (api) => {
    const checked = await validated(api, 'Price', {});
    await validated(api, 'Price', {});
    const listed = async (filter: string) =>
      (await api.foundNow(`/files?q=${checked.marketplace_file_id}${filter}`)).total;
    assert.equal(await listed(''), 1);
    assert.equal(await listed('&validate_only=true'), 1);
    assert.equal(await listed('&validate_only=false'), 0);
    const { headers } = await api.get('/files?limit=1&validate_only=true');
    assert.match(headers.get('link') ?? '', /offset=1&limit=1&validate_only=true>/);
  });
  refuses('FILE-27', 'a filter of the list that is not true or false', async (api) => {
    assertProblems(await api.get('/files?validate_only=yes'), [
      requestProblem('query_invalid', 'validate_only: must be one of true, false.'),
    ]);
  });
  refuses('FILE-27', 'rows that would fail, with the same error file and retry file', async (api) => {
    const [good, bad, unknown] = [api.newSkuId(), api.newSkuId(), api.newSkuId()] as const;
    for (const skuId of [good, bad]) await api.uploadedSku({}, skuId);
    const rows = { [good]: { price: 5, prize: 1 }, [bad]: { price: 0 }, [unknown]: { price: 5 } };
    const checked = await validated(api, 'Price', rows);
    assert.deepEqual(
      [checked.status, checked.rows_processed, checked.rows_failed, checked.ignored_fields],
      ['Processed with errors', 3, 2, [{ field: '/prize', rows: 1 }]],
    );
    assert.equal((await api.get(`/merchant-skus/${good}/price`)).status, 404);
    const { url, fileId } = await uploaded(api, JSON.stringify(rows));
    assert.equal((await submitFile(api, url, 'Price')).status, 200);
    const applied = await finished(api, fileId);
    assert.equal('validate_only' in applied, false);
    for (const link of ['error_url', 'retry_url'] as const) {
      const [one, other] = [await follow(api, String(checked[link])), await follow(api, String(applied[link]))];
      assert.deepEqual(one.body, other.body);
    }
    assert.equal((await api.found(`/merchant-skus/${good}/price`)).price, 5);
  });
  refuses(
    'FILE-27',
    'a misspelled parameter and a value that is not true or false, and submits nothing',
    async (api) => {
      const { url, fileId } = await uploaded(api, '{}');
      const body = { url, file_type: 'Price', file_name: 'rows.json' };
      for (const [query, problem] of [
        ['validateOnly=true', 'the name is misspelled in the query.'],
        ['validate-only=true', 'the name is misspelled in the query.'],
        ['validate_only=', 'must be true or false.'],
        ['validate_only=1', 'must be true or false.'],
        ['validate_only=true&validate_only=true', 'must be sent only once.'],
      ] as const) {
        assertProblems(await api.send('POST', `/files/uploaded?${query}`, body), [
          requestProblem('query_invalid', `validate_only: ${problem}`),
        ]);
      }
      assert.equal((await api.get(`/files/${fileId}`)).status, 404);
      assert.equal((await api.send('POST', '/files/uploaded?validate_only=false', body)).status, 200);
      assert.equal('validate_only' in (await fileRecord(api, fileId)), false);
    },
  );
});
