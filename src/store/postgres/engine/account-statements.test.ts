/** Tests the statements with the account as a literal, and that a connection prepares only a limited number of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountStatements } from './account-statements.ts';

const OFFER = {
  name: 'test read offer',
  text: 'SELECT $2, $12 FROM offer o WHERE o.account_id = $1 AND sku_id = $2',
};
const SECOND = {
  name: 'test second',
  text: 'SELECT FROM offer WHERE sku_id = $1 AND account_id = $2::bigint AND price = $3',
};

test('the account becomes a literal, and the other parameters move up', () => {
  const statements = new AccountStatements();
  assert.deepEqual(statements.rewrite(OFFER, [7, 'a']), {
    name: 'account_0',
    text: `SELECT $1, $11 FROM offer o WHERE o.account_id = '7'::bigint AND sku_id = $1`,
    values: ['a'],
    forgotten: undefined,
  });
  const second = statements.rewrite(SECOND, ['a', 7, 5]);
  assert.equal(second?.text, `SELECT FROM offer WHERE sku_id = $1 AND account_id = '7'::bigint::bigint AND price = $2`);
  assert.deepEqual(second?.values, ['a', 5]);
});

test('a statement about no account, or about something that is no account id, is sent as it is', () => {
  const statements = new AccountStatements();
  assert.equal(statements.rewrite({ name: 'test time', text: 'SELECT $1' }, [7]), undefined);
  for (const value of [`7' OR true`, 1.5, null, undefined, '7']) {
    assert.equal(statements.rewrite(OFFER, [value, 'a']), undefined);
  }
});

test('a statement keeps its name while it is used; the least recently used one is forgotten', () => {
  const statements = new AccountStatements(2);
  const sent = (accountId: number) => {
    const { name, forgotten } = statements.rewrite(OFFER, [accountId, 'a']) ?? assert.fail();
    return [name, forgotten];
  };
  assert.deepEqual(sent(1), ['account_0', undefined]);
  assert.deepEqual(sent(2), ['account_1', undefined]);
  assert.deepEqual(sent(1), ['account_0', undefined]);
  assert.deepEqual(sent(3), ['account_2', 'account_1']);
  assert.deepEqual(sent(1), ['account_0', undefined]);
  // Under a new name, because statements with the old one may still be in flight.
  assert.deepEqual(sent(2), ['account_3', 'account_2']);
});
