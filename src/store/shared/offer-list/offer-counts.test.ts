/** Tests that every sub-status has its own bit, and that both stores have an index for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueBits, SUB_STATUS_BITS, subStatusesOf } from '../../../domain/offers/verdict-counts.ts';
import { SUB_STATUSES } from '../../../domain/vocabulary/statuses.ts';
import { OFFERS as POSTGRES_TABLES } from '../../postgres/schema/offers.ts';
import { OFFERS as SQLITE_TABLES } from '../../sqlite/schema/offers.ts';

test('every sub-status has a bit, and every bit an index', () => {
  assert.deepEqual(Object.keys(SUB_STATUS_BITS).sort(), SUB_STATUSES.toSorted());
  assert.equal(new Set(Object.values(SUB_STATUS_BITS)).size, SUB_STATUSES.length);
  for (const bit of Object.values(SUB_STATUS_BITS)) {
    for (const tables of [SQLITE_TABLES, POSTGRES_TABLES]) {
      assert.match(tables, new RegExp(`offer_listing_by_sub_status_${bit} [^;]*WHERE sub_statuses & ${bit} <> 0;`));
    }
  }
});

test('several are encoded as one number, and decoded in the order of the contract', () => {
  assert.deepEqual(subStatusesOf(issueBits({ status: 'missing', subStatuses: SUB_STATUSES })), SUB_STATUSES);
  assert.deepEqual(subStatusesOf(issueBits({ status: 'review', subStatuses: ['Missing price', 'Missing title'] })), [
    'Missing title',
    'Missing price',
  ]);
  assert.deepEqual(subStatusesOf(0), []);
  assert.equal(issueBits({ status: 'archived', subStatuses: SUB_STATUSES }), 0);
});
