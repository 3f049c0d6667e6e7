/** Contract tests for moving whole merchants: they are exported from one snapshot, imported unchanged, and removed without a trace. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountRecord, GroupRecord, OfferRecord } from '../../domain/export/records.ts';
import { ALL_RIGHTS, SCOPE } from '../../domain/setup/key-scopes.ts';
import type { MoveStore } from '../port/moves.ts';
import { textTag } from '../port/part-tags.ts';
import {
  clearableOf,
  patchInventory,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import { readGroup } from './read-parts.ts';
import type { ClearedStores } from './subject.ts';
import {
  AUTHOR,
  bareOffer,
  DIFFICULT_IDS,
  documentOf,
  LATER_MS,
  NOW_MS,
  newCredential,
  newMerchant,
  newRecord,
} from './subject.ts';

const SLICE_MS = 1;
const ALL = Number.MAX_SAFE_INTEGER;

export function moveContract(emptied: ClearedStores): void {
  describe('moving merchants', () => {
    test('a snapshot reads what was written, in order of first upload', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      const accountId = accounts.live;
      for (const skuId of DIFFICULT_IDS)
        await putSku(store.offers, { accountId, skuId, by: AUTHOR }, documentOf(skuId), NOW_MS);
      const key = { accountId, skuId: 'a/b', by: AUTHOR };
      const price = { price: 12.5, nodes: [{ fulfillment_node_id: 'n', fulfillment_node_price: 0.01 }] };
      await putPrice(store.offers, key, price, LATER_MS);
      await patchInventory(store.offers, key, [{ fulfillment_node_id: 'z', quantity: 3 }], LATER_MS);
      await patchInventory(store.offers, key, [{ fulfillment_node_id: 'a', quantity: 0 }], NOW_MS);
      await putShippingExceptions(store.offers, key, '[{"fulfillment_node_id":"n","shipping_exceptions":[]}]', NOW_MS);
      await putReturnLocations(store.offers, key, ['dock'], NOW_MS);
      await setArchived(store.offers, { accountId, skuId: 'abc', by: AUTHOR }, true, LATER_MS);

      const snapshot = await moves.openSnapshot();
      t.after(() => snapshot.close());
      const offers = await readAll((after) => snapshot.readOffers(accountId, after));
      assert.deepEqual(
        offers.map(({ skuId }) => skuId),
        DIFFICULT_IDS,
      );
      assert.equal(await snapshot.countOffers(accountId), DIFFICULT_IDS.length);
      assert.deepEqual(offers[0], {
        skuId: 'a/b',
        archived: false,
        firstUploadMs: NOW_MS,
        document: documentOf('a/b'),
        documentUpdatedMs: NOW_MS,
        price: { ...price, updatedMs: LATER_MS },
        inventory: {
          stampMs: NOW_MS,
          nodes: [
            { fulfillment_node_id: 'a', quantity: 0, updatedMs: NOW_MS },
            { fulfillment_node_id: 'z', quantity: 3, updatedMs: LATER_MS },
          ],
        },
        clearable: clearableOf({
          shipping_exception: '[{"fulfillment_node_id":"n","shipping_exceptions":[]}]',
          returns_exception: '["dock"]',
        }),
      } satisfies OfferRecord);
      assert.deepEqual(offers[2], {
        ...bareOffer('abc'),
        archived: true,
        inventory: { stampMs: LATER_MS, nodes: [] },
      } satisfies OfferRecord);
      assert.deepEqual(await readAll((after) => snapshot.readOffers(accounts.test, after)), []);
      const { credentials } = await snapshot.readAccount(accounts.live);
      assert.deepEqual(
        credentials.map(({ user, createdMs, endsMs }) => [user, createdMs, endsMs]),
        [[merchant.credentials.live.user, NOW_MS, null]],
      );
    });

    test('a snapshot does not see writes made after it was opened', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const { merchantId } = await importedMerchant(moves, { live: [bareOffer('before')] });
      const accountId = (await store.settings.readMerchant(merchantId))?.accounts.live ?? 0;
      const snapshot = await moves.openSnapshot();
      t.after(() => snapshot.close());
      await putSku(store.offers, { accountId, skuId: 'after', by: AUTHOR }, documentOf(), NOW_MS);
      await store.settings.setSuspended(merchantId, true);
      assert.equal(await snapshot.countOffers(accountId), 1);
      const [read] = (await snapshot.listMerchants()).filter((merchant) => merchant.merchantId === merchantId);
      assert.equal(read?.suspended, false);
    });

    test('more than a page is imported and exported unchanged, groups included', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const offers = Array.from({ length: 1000 }, (_, number) => bareOffer(`sku-${999 - number}`));
      const groups = Array.from({ length: 300 }, (_, number): GroupRecord => {
        const title = number % 2 === 0 ? null : `Group ${number}`;
        const children = [`sku-${999 - number * 3 - 1}`, `sku-${999 - number * 3 - 2}`];
        return {
          skuId: `sku-${999 - number * 3}`,
          refinements: '[9223372036854775807]',
          title,
          childrenSkus: children,
        };
      });
      const { merchantId } = await importedMerchant(moves, { test: offers }, groups);
      const accountId = (await store.settings.readMerchant(merchantId))?.accounts.test ?? 0;
      const snapshot = await moves.openSnapshot();
      t.after(() => snapshot.close());
      assert.deepEqual(await readAll((after) => snapshot.readOffers(accountId, after)), offers);
      const imported = await store.offers.readOffer({ accountId, skuId: 'sku-7' });
      assert.equal(imported?.documentTag, textTag(documentOf('sku-7')));
      assert.deepEqual(await readAll((after) => snapshot.readGroups(accountId, after)), groups);
      assert.deepEqual(await readGroup(store.offers, { accountId, skuId: 'sku-999' }), {
        refinements: '[9223372036854775807]',
        title: null,
        childrenSkus: ['sku-998', 'sku-997'],
      });
    });

    test('a half-imported merchant is suspended, has no keys and is reported; a taken id is refused', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newRecord();
      const accounts = await moves.beginImport(merchant);
      assert.ok(typeof accounts === 'object');
      assert.equal((await store.settings.readMerchant(merchant.merchantId))?.suspended, true);
      assert.equal(await moves.beginImport(merchant), 'unfinished');
      const snapshot = await moves.openSnapshot();
      const [read] = (await snapshot.listMerchants()).filter(({ merchantId }) => merchantId === merchant.merchantId);
      assert.equal(read?.unfinished, 'import');
      await snapshot.close();

      const before = await store.settings.readSetupVersion();
      assert.equal(await moves.finishImport(merchant, [accountOf(accounts.test)]), 'stored');
      assert.ok((await store.settings.readSetupVersion()) > before, 'servers notice');
      assert.equal((await store.settings.readMerchant(merchant.merchantId))?.suspended, false);
      assert.equal(await moves.beginImport(merchant), 'exists');
    });

    test('a repeated SKU, a group with unknown members and a taken user are refused, and nothing is stored', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newRecord();
      const accounts = await moves.beginImport(merchant);
      assert.ok(typeof accounts === 'object');
      await moves.importOffers(accounts.live, [bareOffer('a'), bareOffer('b')]);
      assert.deepEqual(await moves.importOffers(accounts.live, [bareOffer('c'), bareOffer('a')]), { repeated: 'a' });
      assert.equal(await store.offers.readSkuState({ accountId: accounts.live, skuId: 'c' }), 'unknown');
      const group = { refinements: '[1]', title: null };
      const strangers = [{ skuId: 'a', childrenSkus: ['x'], ...group }];
      assert.deepEqual(await moves.importGroups(accounts.live, strangers), { refused: 'x' });
      assert.equal(await readGroup(store.offers, { accountId: accounts.live, skuId: 'a' }), 'unset');
      const twice = [
        { skuId: 'a', childrenSkus: ['b'], ...group },
        { skuId: 'b', childrenSkus: [], ...group },
      ];
      assert.deepEqual(await moves.importGroups(accounts.live, twice), { refused: 'b' });
      const other = newMerchant();
      await store.settings.addMerchant(other, NOW_MS);
      const account = {
        ...accountOf(accounts.live),
        credentials: [{ ...other.credentials.test, ...ALL_RIGHTS, name: '', createdMs: NOW_MS, endsMs: null }],
      };
      assert.deepEqual(await moves.finishImport(merchant, [account]), { taken: other.credentials.test.user });
      assert.equal(await moves.beginImport(merchant), 'unfinished');
      await assert.rejects(moves.importOffers(999_999, [bareOffer('a')]), /does not exist/);
    });

    test('offers are erased in slices, up to the named one, and other accounts stay', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const offers = Array.from({ length: 2000 }, (_, number) => bareOffer(`sku-${number}`));
      const { merchantId } = await importedMerchant(moves, { test: offers, live: [bareOffer('kept')] });
      const accounts = (await store.settings.readMerchant(merchantId))?.accounts ?? assert.fail();
      const last = await moves.readLastOffer(accounts.test);
      await putSku(store.offers, { accountId: accounts.test, skuId: 'later', by: AUTHOR }, documentOf(), NOW_MS);
      let [slices, erased] = [0, 0];
      for (let more = true; more; slices++) {
        const slice = await moves.eraseOffers(accounts.test, last, SLICE_MS);
        erased += slice.skus;
        more = slice.more;
      }
      assert.equal(erased, offers.length);
      assert.ok(slices > 1, 'not at once');
      assert.equal(await store.offers.readSkuState({ accountId: accounts.test, skuId: 'sku-0' }), 'unknown');
      assert.equal(await store.offers.readSkuState({ accountId: accounts.test, skuId: 'later' }), 'open');
      assert.equal(await store.offers.readSkuState({ accountId: accounts.live, skuId: 'kept' }), 'open');
      assert.deepEqual(await store.offers.readInventory({ accountId: accounts.test, skuId: 'sku-1' }), undefined);
      assert.equal(await moves.readLastOffer(999_999), 0);
    });

    test('a merchant is erased with keys and users once its offers are gone, and servers notice', async (t) => {
      const store = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const { merchantId, user } = await importedMerchant(moves, { live: [bareOffer('a')] });
      const { accounts } = (await store.settings.readMerchant(merchantId)) ?? assert.fail();
      const email = 'ann@erased.example';
      const link = { tokenHash: Uint8Array.of(9), endsMs: LATER_MS };
      await store.people.addPortalUser({ email, role: 'merchant-admin', merchantId, createdMs: NOW_MS }, link);
      assert.equal(await moves.eraseMerchant(merchantId), 'has_offers');
      await moves.eraseOffers(accounts.live, ALL, SLICE_MS);
      const before = await store.settings.readSetupVersion();
      assert.equal(await moves.eraseMerchant(merchantId), 'erased');
      assert.ok((await store.settings.readSetupVersion()) > before);
      assert.equal(await store.settings.readMerchant(merchantId), undefined);
      assert.equal(await store.settings.readAccount(accounts.live), undefined);
      assert.equal(await store.settings.readCredentialOfUser(user), undefined);
      assert.equal(await store.people.readPortalUser(email), undefined);
      assert.equal(await store.people.readLink(link.tokenHash, NOW_MS), undefined);
      assert.equal(await moves.eraseMerchant(merchantId), 'unknown');
    });
  });
}

/** Imports a merchant with these offers. */
async function importedMerchant(
  moves: MoveStore,
  offers: { readonly test?: readonly OfferRecord[]; readonly live?: readonly OfferRecord[] },
  testGroups: readonly GroupRecord[] = [],
): Promise<{ merchantId: string; user: string }> {
  const merchant = newRecord();
  const accounts = await moves.beginImport(merchant);
  assert.ok(typeof accounts === 'object');
  assert.equal(await moves.importOffers(accounts.test, offers.test ?? []), 'stored');
  assert.equal(await moves.importOffers(accounts.live, offers.live ?? []), 'stored');
  assert.equal(await moves.importGroups(accounts.test, testGroups), 'stored');
  const account = accountOf(accounts.test);
  assert.equal(await moves.finishImport(merchant, [account]), 'stored');
  return { merchantId: merchant.merchantId, user: account.credentials[0]?.user ?? '' };
}

function accountOf(accountId: number): AccountRecord {
  return {
    accountId,
    credentials: [
      {
        ...newCredential(),
        name: 'ERP',
        scopes: SCOPE.read | SCOPE.stock,
        skuPrefix: 'ERP-',
        createdMs: NOW_MS,
        endsMs: LATER_MS,
      },
    ],
    nodes: [{ id: 'east', rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] }],
    returnLocationIds: ['dock'],
  };
}

async function readAll<T>(
  read: (after: number) => Promise<readonly { readonly order: number; readonly record: T }[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let after = 0; ; ) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return all;
    all.push(...page.map(({ record }) => record));
    after = last.order;
  }
}
