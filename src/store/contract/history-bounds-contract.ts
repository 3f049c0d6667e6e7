/** Contract tests for the bound on an account's history: the oldest changes go, and the last change of each part stays. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordPlace, RecordSizes } from '../port/history.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { withBoundedHistory } from '../shared/history/bounded-history.ts';
import { applied, startedFile } from './bulk-files.ts';
import { historyOf } from './history-contract.ts';
import { putPrice, putSku, setArchived } from './put-parts.ts';
import { documentOf, NOW_MS, newKey } from './subject.ts';

const MIB = 1_048_576;
const MINUTE_MS = 60_000;
const TURNS_MAX = 1000;

type Sized = RecordPlace & { readonly part: number; readonly atMs: number; readonly bytes: number };

/** All records of the account. */
async function recordsOf({ history }: Store, accountId: number): Promise<readonly Sized[]> {
  const records: Sized[] = [];
  for (let after: RecordPlace | undefined = { offer: 0, seq: 0 }; after !== undefined; ) {
    const { offer, seq, part, atMs, bytes, next }: RecordSizes = await history.readHistorySizes(accountId, after);
    const at = (list: readonly number[], place: number) => list[place] ?? assert.fail('The lists correspond.');
    const slice: readonly Sized[] = offer.map((each, place) => {
      const values = { part: at(part, place), atMs: at(atMs, place), bytes: at(bytes, place) };
      return { offer: each, seq: at(seq, place), ...values };
    });
    records.push(...slice);
    after = next;
  }
  return records;
}

async function bytesOf(store: Store, accountId: number): Promise<number> {
  return (await recordsOf(store, accountId)).reduce((sum, { bytes }) => sum + bytes, 0);
}

const notFailed = (_: number, error: unknown) => assert.fail(error as Error);

const large = (mark: unknown, characters = 20_000) => documentOf(`${mark} ${'x'.repeat(characters)}`);

export function historyBoundsContract(store: () => Store): void {
  /** Sends the same value again, which changes nothing, until the history was measured and has this size. */
  async function bounded(subject: Store, key: WriteKey, document: string, bytes_max: number): Promise<void> {
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      if ((await bytesOf(store(), key.accountId)) <= bytes_max) return;
      await putSku(subject.offers, key, document, NOW_MS);
    }
    assert.fail(`The history is not bounded: it has ${await bytesOf(store(), key.accountId)} bytes.`);
  }

  describe('the history of an account', () => {
    test('has the size of its old values, and each record can be dropped', async () => {
      const key = newKey();
      const document = large('one');
      await putSku(store().offers, key, document, NOW_MS);
      await putSku(store().offers, key, documentOf('zwölf'), NOW_MS + 1);
      await putSku(store().offers, key, document, NOW_MS + 2);
      const records = await recordsOf(store(), key.accountId);
      const sizes = [0, document.length, documentOf('zwölf').length + 1].map((bytes) => bytes + 64);
      assert.deepEqual(
        records.map(({ part, atMs, bytes }) => [part, atMs - NOW_MS, bytes]),
        sizes.map((bytes, place) => [1, place, bytes]),
      );
      const first = await store().history.readOffersSize(key.accountId, 0);
      assert.deepEqual(first, { bytes: document.length + 256, next: records[0]?.offer });
      assert.deepEqual(await store().history.readOffersSize(key.accountId, first.next ?? 0), {
        bytes: 0,
        next: undefined,
      });
      const dropped = () => store().history.dropRecords(key.accountId, records.slice(0, 2));
      assert.equal(await dropped(), (sizes[0] ?? 0) + (sizes[1] ?? 0));
      // These no longer exist.
      assert.equal(await dropped(), 0);
      assert.deepEqual(await recordsOf(store(), key.accountId), records.slice(2));
    });

    test('is measured although many offers before it have none', async () => {
      const key = newKey();
      const puts = Array.from({ length: 2100 }, (_, n) =>
        putSku(store().offers, { ...key, skuId: `${n}` }, documentOf('A pot'), NOW_MS),
      );
      await Promise.all(puts);
      const records = await recordsOf(store(), key.accountId);
      assert.equal(records.length, 2100);
      for (let first = 0; first < 2099; first += 500) {
        await store().history.dropRecords(key.accountId, records.slice(first, Math.min(first + 500, 2099)));
      }
      assert.deepEqual(await recordsOf(store(), key.accountId), records.slice(2099));
    });

    test('is counted for all processes', async () => {
      const { accountId } = newKey();
      const note = (bytes: number, offers_bytes: number) =>
        store().history.noteHistorySize(accountId, { bytes, offers_bytes });
      assert.deepEqual(await note(100, 0), { bytes: 100, offers_bytes: 0 });
      assert.deepEqual(await note(-30, 7), { bytes: 70, offers_bytes: 7 });
      assert.deepEqual(await note(1, 0), { bytes: 71, offers_bytes: 7 });
    });

    test('stays bounded while one offer alternates between two large values', async () => {
      const subject = withBoundedHistory(store(), MIB, notFailed);
      const key = newKey();
      const other = newKey();
      for (const n of [1, 2, 3]) await putSku(subject.offers, other, large(n), NOW_MS);
      let most_bytes = 0;
      for (let round = 0; round < 40; round++) {
        const documents = Array.from({ length: 8 }, (_, place) => large(place % 2));
        for (const document of documents) await putSku(subject.offers, key, document, NOW_MS + round * MINUTE_MS);
        most_bytes = Math.max(most_bytes, await bytesOf(store(), key.accountId));
      }
      assert.ok(most_bytes < 1.5 * MIB, `${most_bytes} bytes`);
      assert.ok(most_bytes > 0.5 * MIB, `${most_bytes} bytes`);
      const [last] = await historyOf(store(), key);
      assert.deepEqual(last?.part === 'sku' && [last.before, last.after], [large(0), large(1)]);
      assert.equal((await historyOf(store(), other)).length, 3);
    });

    test('loses its oldest changes first, but keeps the last change of each part', async () => {
      const subject = withBoundedHistory(store(), MIB, notFailed);
      const quiet = newKey('quiet');
      const busy = { ...quiet, skuId: 'busy' };
      await putSku(subject.offers, quiet, documentOf('One'), NOW_MS);
      await putSku(subject.offers, quiet, documentOf('Two'), NOW_MS);
      await putPrice(subject.offers, quiet, { price: 1, nodes: [] }, NOW_MS);
      await putPrice(subject.offers, quiet, { price: 2, nodes: [] }, NOW_MS);
      await setArchived(subject.offers, quiet, true, NOW_MS);
      for (let n = 0; n < 64; n++) await putSku(subject.offers, busy, large(n), NOW_MS + n * MINUTE_MS);
      await bounded(subject, busy, large(63), MIB);
      assert.deepEqual(
        (await historyOf(store(), quiet)).map(({ part }) => part),
        ['archive', 'price', 'sku'],
      );
      const left = (await historyOf(store(), busy)).map(({ atMs }) => (atMs - NOW_MS) / MINUTE_MS);
      assert.deepEqual(
        left,
        left.map((_, place) => 63 - place),
      );
      assert.ok(left.length > 32, `${left.length} changes are left`);
    });

    test('may have four times the size of its offers', async () => {
      const subject = withBoundedHistory(store(), MIB, notFailed);
      const key = newKey();
      const documents = (mark: number) =>
        Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            putSku(subject.offers, { ...key, skuId: `${n}` }, large(mark, 25_000), NOW_MS + mark * MINUTE_MS),
          ),
        );
      for (let mark = 0; mark < 5; mark++) await documents(mark);
      // Another measurement takes place, without an effect.
      for (let n = 0; n < 60; n++) await putSku(subject.offers, key, large('same', 25_000), NOW_MS);
      assert.ok((await bytesOf(store(), key.accountId)) > 1.9 * MIB);
      for (let mark = 5; mark < 10; mark++) await documents(mark);
      await bounded(subject, { ...key, skuId: '0' }, large(9, 25_000), 2.1 * MIB);
    });

    test('is bounded for rows of files too', async () => {
      const subject = withBoundedHistory(store(), MIB, notFailed);
      const key = newKey('0');
      const skuIds = Array.from({ length: 10 }, (_, n) => `${n}`);
      for (let mark = 0; mark < 20; mark++) {
        const rows = skuIds.map((skuId) => ({ part: 'sku', skuId, document: large(mark) }) as const);
        await applied(subject, await startedFile(subject, 'MerchantSKUs', key.accountId), ...rows);
      }
      await bounded(subject, key, large(19), MIB);
      for (const skuId of skuIds) {
        const [last] = await historyOf(store(), { ...key, skuId });
        assert.equal(last?.part === 'sku' && last.before, large(18));
      }
    });
  });
}
