/** Tests that the portal's JSON keeps ids beyond 2^53. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseExact, readableExact, stringifyExact } from '../../portal/src/api/exact-json.ts';

describe('portal JSON', () => {
  it('keeps ids beyond 2^53 as bigint, and reads others as numbers', () => {
    const text = '{"id":9007199254740993,"small":9007199254740991,"price":12.5}';
    const read = parseExact(text);
    assert.deepEqual(read, { id: 9007199254740993n, small: 9007199254740991, price: 12.5 });
    assert.equal(stringifyExact(read), text);
    assert.equal(readableExact({ id: 9007199254740993n }), '{\n  "id": 9007199254740993\n}');
    assert.equal(stringifyExact({ id: 7n }), '{"id":7}');
  });
});
