/** Tests writes that store their Idempotency-Key in the same commit. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { PartWrite } from '../../../domain/offers/part.ts';
import { NEW_TAG } from '../../../domain/precondition.ts';
import { putSku } from '../../contract/put-parts.ts';
import { documentOf, NOW_MS, newKey, sharedStore } from '../../contract/subject.ts';
import { KeyNotStoredError } from '../../port/errors.ts';
import type { WriteKey } from '../../port/offers.ts';
import { readTag } from '../../port/part-tags.ts';
import { openSqliteStore } from '../open.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

const open = () => openSqliteStore({ dataDir: temporaryDir(), onFatal: (error) => assert.fail(error) });

describe('a write with a key', () => {
  const store = sharedStore(async () => ({ open }) as never);
  let at: WriteKey;

  before(async () => {
    at = newKey();
    await putSku(store().offers, at, documentOf(), NOW_MS);
  });

  const price = (value: number): PartWrite => ({ part: 'price', skuId: at.skuId, price: value, nodes: [] });
  const keyed = (key: string, answer = '{"status":202}') => ({ keyed: { key, fingerprint: 'hash', answer } });
  const write = (part: PartWrite, key: string, answer?: string) =>
    store().offers.write({ ...at, skuId: part.skuId }, [part], NOW_MS, keyed(key, answer));
  const claim = (key: string, fingerprint = 'hash') =>
    store().idempotency.claimKey({ accountId: at.accountId, key, fingerprint }, NOW_MS, 1000);
  const storedPrice = async () => {
    const found = await store().offers.readPrice(at);
    return typeof found === 'string' ? found : found.price;
  };

  test('stores both, and the key belongs to this request', async () => {
    assert.equal(await write(price(1), 'a'), 'stored');
    assert.equal(await storedPrice(), 1);
    assert.deepEqual(await claim('a'), { state: 'answered', answer: '{"status":202}' });
    assert.deepEqual(await claim('a', 'another hash'), { state: 'other_request' });
  });

  test('stores the tag that only the store knows', async () => {
    const quantities = [{ fulfillment_node_id: 'east', quantity: 3 }];
    await write({ part: 'inventory', skuId: at.skuId, quantities }, 'stock', `{"etag":"${NEW_TAG}"}`);
    const tag = await readTag(store().offers, at, 'inventory');
    assert.deepEqual(await claim('stock'), { state: 'answered', answer: `{"etag":"${tag}"}` });
  });

  test('stores the response to a part with a known tag as it is', async () => {
    const answer = `{"status":202,"ignored":["/${NEW_TAG}"]}`;
    await write(price(5), 'known', answer);
    assert.deepEqual(await claim('known'), { state: 'answered', answer });
  });

  test('writes nothing if the key is answered or claimed', async () => {
    await write(price(2), 'answered');
    await claim('claimed');
    for (const key of ['answered', 'claimed']) await assert.rejects(write(price(3), key), KeyNotStoredError);
    assert.equal(await storedPrice(), 2);
  });

  test('leaves the key free if the write is refused, or writes nothing', async () => {
    await assert.rejects(write({ ...price(4), skuId: 'no-such-sku' }, 'refused'), KeyNotStoredError);
    const other = newKey('without-stock');
    await putSku(store().offers, other, documentOf(), NOW_MS);
    const nothing = store().offers.write(
      other,
      [{ part: 'inventory', skuId: other.skuId, quantities: [] }],
      NOW_MS,
      keyed('empty'),
    );
    await assert.rejects(nothing, KeyNotStoredError);
    for (const { accountId, key } of [
      { ...at, key: 'refused' },
      { ...other, key: 'empty' },
    ]) {
      const claimed = await store().idempotency.claimKey({ accountId, key, fingerprint: '' }, NOW_MS, 1000);
      assert.equal(claimed.state, 'claimed');
    }
  });

  test('is made once by 20 concurrent requests', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => write(price(100 + n), 'race')));
    const stored = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? [100 + n] : []));
    assert.equal(stored.length, 1);
    assert.equal(await storedPrice(), stored[0]);
  });
});
