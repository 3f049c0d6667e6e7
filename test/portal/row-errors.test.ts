/** Tests how the portal reads the start of an error file. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { failedEntries, problemsOfError } from '../../src/domain/sheets/write-rows.ts';
import '../harness/portal-alias.ts';

const { rowErrors } = await import('../../portal/src/api/row-errors.ts');

const failed = (line: number) => ({ details: [{ field: '/price', message: 'price: is required' }], line });

it('a SKU that failed twice is listed twice, with its lines', () => {
  const text = `{\n"a": ${JSON.stringify(failed(2))},\n"a": ${JSON.stringify(failed(3))}\n}`;
  assert.deepEqual(
    rowErrors(text).map(({ sku, line, field, message }) => [sku, line, field, message]),
    [2, 3].map((line) => ['a', line, '/price', 'price: is required']),
  );
});

it('errors of the whole file have texts only, and the rest of a long file is left out', () => {
  const text = `{\n"": {"errors": ["The file is empty."]},\n"b": {"details": [{"field": "/pri`;
  assert.deepEqual(
    rowErrors(text).map(({ sku, message }) => [sku, message]),
    [['', 'The file is empty.']],
  );
});

it('errors of a sheet name its columns, in the words of the check before the upload', () => {
  const field = '/standard_product_codes/0/standard_product_code';
  const message = 'standard_product_codes[0].standard_product_code: must have 12 digits as UPC';
  const text = JSON.stringify({
    a: { details: [{ field, message }], line: 2 },
    '': { errors: ['The file is empty.'] },
  });
  const rows = rowErrors(text, (details) => problemsOfError('MerchantSKUs', details, undefined));
  assert.deepEqual(
    rows.map((row) => [row.field, row.message]),
    [
      ['product_code_1', 'must have 12 digits as UPC'],
      ['', 'The file is empty.'],
    ],
  );
});

it('each failed row of a sheet has its own problems, also after a row without a SKU id and errors of the file', () => {
  const error = (message: string) => `{"details": [{"field": "", "message": "${message}"}]}`;
  const row = (sku: string, message: string) => `"${sku}": ${error(message)}`;
  const errors = `{\n${row('', 'no SKU')},\n${row('a', 'first')},\n${row('', 'retry file is full')},\n${row('a', 'second')}\n}`;
  const retry = '{\n"": {"price": 1},\n"a": {"price": 2},\n"a": {"price": 3}\n}';
  assert.deepEqual(
    failedEntries('Price', errors, retry).map(({ sku, problems }) => [sku, problems?.map(({ message }) => message)]),
    [
      ['', ['no SKU']],
      ['a', ['first']],
      ['a', ['second']],
    ],
  );
});
