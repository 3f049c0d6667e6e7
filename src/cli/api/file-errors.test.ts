/** Tests that row errors are shown, and counted by cause. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../domain/problem.ts';
import { ErrorSummary, rowLines } from './file-errors.ts';

const REQUIRED: Problem = { code: 'required', field: '/price', message: 'price: is required' };

function nodeProblem(index: number): Problem {
  const message = `fulfillment_nodes[${index}].quantity: must be a whole number`;
  return { code: 'wrong_type', field: `/fulfillment_nodes/${index}/quantity`, message };
}

describe('errors of rows', () => {
  it('are shown with the position of the row, without control characters', () => {
    const row = { skuId: 'a\u001b[2J', problems: [REQUIRED, nodeProblem(0)], byteOffset: 17, line: 2, column: 5 };
    assert.deepEqual(rowLines(row), [
      'a\\u{1b}[2J (line 2, column 5, byte 17)',
      '  price: is required [required]',
      '  fulfillment_nodes[0].quantity: must be a whole number [wrong_type]',
    ]);
    assert.equal(rowLines({ ...row, skuId: 'caf\udce9' })[0], 'caf\\u{dce9} (line 2, column 5, byte 17)');
    const nameless: Problem = { code: 'sku_id_invalid', field: '', message: 'The key must not be empty.' };
    assert.equal(
      rowLines({ ...row, skuId: '', problems: [nameless], line: undefined })[0],
      'A row without a SKU id (byte 17)',
    );
    const fault: Problem = { code: 'file_truncated', field: '', message: 'The file ends too early.' };
    assert.equal(rowLines({ ...row, skuId: '', problems: [fault] })[0], 'The file (line 2, column 5, byte 17)');
  });

  it('are counted by code and field, each row once per cause, most frequent first', () => {
    const summary = new ErrorSummary();
    summary.add({ skuId: 'a', problems: [REQUIRED], byteOffset: 1 });
    summary.add({ skuId: 'b', problems: [nodeProblem(0), nodeProblem(7)], byteOffset: 2 });
    summary.add({ skuId: 'c', problems: [nodeProblem(12)], byteOffset: 3 });
    const field = '/fulfillment_nodes/*/quantity';
    assert.equal(summary.rows, 3);
    assert.deepEqual(summary.json(), [
      {
        code: 'wrong_type',
        field,
        rows: 2,
        example: 'b: fulfillment_nodes[0].quantity: must be a whole number',
      },
      { code: 'required', field: '/price', rows: 1, example: 'a: price: is required' },
    ]);
    assert.deepEqual(summary.lines(), [
      'ROWS  CODE        FIELD                          FOR EXAMPLE',
      `2     wrong_type  ${field}  b: fulfillment_nodes[0].quantity: must be a whole number`,
      '1     required    /price                         a: price: is required',
    ]);
  });

  it('are limited in the number of causes shown and kept', () => {
    const summary = new ErrorSummary();
    for (let row = 0; row < 1001; row++) {
      summary.add({ skuId: 'a', problems: [{ ...REQUIRED, field: `/x${row}` }], byteOffset: row });
    }
    assert.equal(summary.json().length, 1000);
    assert.equal(summary.lines().length, 22);
    assert.equal(summary.lines().at(-1), 'and 980 more causes');
    assert.equal(summary.rows, 1001);
  });
});
