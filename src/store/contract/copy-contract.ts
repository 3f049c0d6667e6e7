/** Contract tests for copying a whole database: all data is copied with its ids, and an unfinished copy cannot be opened. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import {
  COPIED_TABLES,
  type CopiedOffer,
  type CopiedTables,
  type CopyOrigin,
  type CopyStore,
  type StoreSnapshot,
} from '../port/copy.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import type { Store } from '../port.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import {
  AUTHOR,
  bareOffer,
  type CreateDatabase,
  documentOf,
  drawNumber,
  type EmptyDatabase,
  LATER_MS,
  NOW_MS,
  newCredential,
  newMerchant,
} from './subject.ts';

const ORIGIN: CopyOrigin = { source: 'sqlite:/elsewhere', tablesDigest: 'abc', writeNumber: 5 };
const NO_TABLES = Object.fromEntries(COPIED_TABLES.map((name) => [name, []])) as unknown as CopiedTables;
const NO_COUNTERS = { writeNumber: 0, orderMax: 0, rows: {} };
const START = { accountId: 0, order: 0 };

export function copyContract(createDatabase: CreateDatabase): void {
  describe('copies of the whole store', () => {
    test('a copy into an empty store is equal to the source', async (t) => {
      const [from, to] = [await createDatabase(), await createDatabase()];
      const { accounts } = await filled(from);
      const [source, target] = [await openCopy(t, from), await openCopy(t, to)];
      const reading = await openSnapshot(t, source);
      const counters = await reading.readCounters();
      assert.equal(await target.beginCopy(ORIGIN, await reading.readTables(), counters), 'begun');
      let position = START;
      for (const accountId of [accounts.test, accounts.live]) {
        const offers = await reading.readOffers(accountId, 0);
        assert.equal(offers.length, await reading.countOffers(accountId));
        assert.equal(await target.writeOffers(position, accountId, offers), 'stored');
        position = { accountId, order: offers.at(-1)?.order ?? 0 };
      }
      assert.deepEqual(await target.readMark(), { ...ORIGIN, ...position });
      await target.finishCopy();
      assert.equal(await target.readMark(), undefined);

      const copied = await openSnapshot(t, target);
      assert.deepEqual(await copied.readTables(), await reading.readTables());
      for (const accountId of [accounts.test, accounts.live]) {
        assert.deepEqual(await copied.readOffers(accountId, 0), await reading.readOffers(accountId, 0));
      }
    });

    test('tables with more rows than one batch are copied completely', async (t) => {
      const target = await openCopy(t, await createDatabase());
      const acts = Array.from({ length: 250 }, (_, row) => [row + 1, NOW_MS + row, 'ann', `act ${row}`, '', '']);
      assert.equal(await target.beginCopy(ORIGIN, { ...NO_TABLES, operator_act: acts }, NO_COUNTERS), 'begun');
      assert.deepEqual((await (await openSnapshot(t, target)).readTables()).operator_act, acts);
    });

    test('new ids, orders and sequence numbers are above those of the source, erased ones included', async (t) => {
      const [from, to] = [await createDatabase(), await createDatabase()];
      const { accounts, erased, lastNumber } = await filled(from);
      await copyAll(t, from, to);
      const [old, store] = [await openStore(t, from), await openStore(t, to)];
      const key = { accountId: accounts.test, skuId: 'parent', by: AUTHOR };
      assert.deepEqual(await store.offers.readNumbers(key), await old.offers.readNumbers(key));
      assert.ok((await drawNumber(store)) > lastNumber);
      await putSku(store.offers, { ...key, skuId: 'new', by: AUTHOR }, documentOf(), NOW_MS);
      const page = await store.offers.listSkus(accounts.test, { after: 'parent', offset: 0, limit: 9 });
      assert.deepEqual(page, { skuIds: ['new'], more: false });
      const merchant = newMerchant();
      assert.equal(await store.settings.addMerchant(merchant, NOW_MS), 'stored');
      const { accounts: added } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      assert.ok(Math.min(added.test, added.live) > erased.accountId);
      const credential = await store.settings.readCredentialOfUser(merchant.credentials.test.user);
      assert.ok((credential?.credentialId ?? 0) > erased.credentialId, 'an old token is never valid for a new set');
    });

    test('a target with any data is refused, and not changed', async (t) => {
      const database = await createDatabase();
      const store = await openStore(t, database);
      await store.settings.addFirstSigningKey({ keyId: 'key', secret: Uint8Array.of(1) }, NOW_MS);
      const target = await openCopy(t, database);
      const reading = await openSnapshot(t, target);
      assert.equal(await target.beginCopy(ORIGIN, await reading.readTables(), NO_COUNTERS), 'not_empty');
      assert.equal(await target.readMark(), undefined);
      assert.equal((await store.settings.listSigningKeys()).length, 1);
      assert.equal(await store.settings.readSetupVersion(), 1);
    });

    test('a slice is stored once, and only at the position of the mark', async (t) => {
      const database = await createDatabase();
      const target = await openCopy(t, database);
      assert.equal(await target.beginCopy(ORIGIN, NO_TABLES, NO_COUNTERS), 'begun');
      assert.equal(await target.beginCopy(ORIGIN, NO_TABLES, NO_COUNTERS), 'not_empty', 'another copy is in progress');
      assert.equal(await target.writeOffers(START, 7, [plainOffer(1), plainOffer(3)]), 'stored');
      assert.equal(await target.writeOffers(START, 7, [plainOffer(1), plainOffer(3)]), 'overtaken');
      assert.equal(await target.writeOffers({ accountId: 7, order: 1 }, 7, [plainOffer(4)]), 'overtaken');
      // Both copies resume at the same position, but only one may store its slice.
      const position = { accountId: 7, order: 3 };
      const other = await openCopy(t, database);
      const outcomes = await Promise.all([target, other].map((copy) => copy.writeOffers(position, 7, [plainOffer(5)])));
      assert.deepEqual(outcomes.sort(), ['overtaken', 'stored']);
      const reading = await openSnapshot(t, target);
      assert.deepEqual(await reading.readOffers(7, 0), [plainOffer(1), plainOffer(3), plainOffer(5)]);
      assert.deepEqual(await reading.readOffers(7, 3), [plainOffer(5)]);
      assert.deepEqual(await reading.readOffers(8, 0), []);
    });

    test('a half-copied store cannot be opened, a complete one can', async (t) => {
      const database = await createDatabase();
      const target = await openCopy(t, database);
      await target.beginCopy(ORIGIN, NO_TABLES, NO_COUNTERS);
      const isRefusal = (error: unknown) =>
        error instanceof StoreUnavailableError && /copy from sqlite:\/elsewhere .* is not finished/.test(error.message);
      await assert.rejects(database.open(), isRefusal);
      await assert.rejects(database.openMoves(), isRefusal);
      await target.finishCopy();
      const store = await openStore(t, database);
      await store.ping();
    });
  });
}

interface Filled {
  readonly accounts: { readonly test: number; readonly live: number };
  /** The highest ids ever used. Their rows have been deleted, but a copy must not reuse them. */
  readonly erased: { readonly accountId: number; readonly credentialId: number };
  readonly lastNumber: number;
}

/** Fills a store with every kind of data. */
async function filled(database: EmptyDatabase): Promise<Filled> {
  const store = await database.open();
  const merchant = newMerchant();
  await store.settings.addFirstSigningKey({ keyId: 'key', secret: Uint8Array.of(0, 255) }, NOW_MS);
  await store.settings.addMerchant(merchant, NOW_MS);
  const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
  await store.settings.putNode(accounts.test, {
    id: 'é "1"',
    rateKind: 'flat',
    methods: ['Freight'],
    levels: ['Standard'],
  });
  await store.settings.addReturnLocation(accounts.test, 'dock');
  const link = { tokenHash: Uint8Array.of(3, 1), endsMs: LATER_MS };
  const user = { email: 'ann@copied.example', role: 'merchant-admin', createdMs: NOW_MS } as const;
  await store.people.addPortalUser({ ...user, merchantId: merchant.merchantId }, link);
  await store.people.addAct({ atMs: NOW_MS, by: 'ann', act: 'addUser', subject: 'Ä "B"', detail: '' });
  const parts = ['{"node":1,"name":"Ä"}', '{"node":2,"name":"B"}'];
  await store.taxonomy.putTaxonomy({ tag: 'tag', source: 'own.ndjson', nodes: 2, importedMs: NOW_MS, parts });
  await store.policies.addPolicy({ kind: 'restricted_brand', brand: 'Ä "B"', merchantIds: [merchant.merchantId] });
  await store.policies.addPlaceholder({ hash: 'ff00', note: 'grey', sample: null });
  const product = { code: 'asin:B000000001', brand: 'Ä', title: 'T', categoryId: null, origin: 'operator' } as const;
  await store.catalog.setProduct('test', product);
  const key = (skuId: string) => ({ accountId: accounts.test, skuId, by: AUTHOR });
  for (const skuId of ['child', 'archived', 'cleared', 'parent'])
    await putSku(store.offers, key(skuId), documentOf(), NOW_MS);
  await putSku(store.offers, { accountId: accounts.live, skuId: 'live', by: AUTHOR }, documentOf('Ää 😀'), NOW_MS);
  const nodes = [{ fulfillment_node_id: 'é "1"', fulfillment_node_price: 0.1 + 0.2 }];
  await putPrice(store.offers, key('parent'), { price: 1e9 + 0.01, nodes }, LATER_MS);
  const stock = ['é "1"', '10', '9', '__proto__'].map((id) => ({ fulfillment_node_id: id, quantity: 2_147_483_647 }));
  await patchInventory(store.offers, key('parent'), stock, LATER_MS);
  await patchInventory(store.offers, key('archived'), stock, NOW_MS);
  await setArchived(store.offers, key('archived'), true, LATER_MS);
  await putShippingExceptions(store.offers, key('parent'), '[{"fulfillment_node_id":"é"}]', NOW_MS);
  await putReturnLocations(store.offers, key('parent'), ['dock'], NOW_MS);
  await putShippingExceptions(store.offers, key('cleared'), '[]', NOW_MS);
  await putShippingExceptions(store.offers, key('cleared'), null, NOW_MS);
  const group = { refinements: '[9223372036854775807]', title: 'A "group"', childrenSkus: ['child'] };
  await putGroup(store.offers, key('parent'), group, NOW_MS);
  await store.settings.rollCredential(accounts.live, null, newCredential(), NOW_MS, LATER_MS);
  const shop = { ...newCredential(), scopes: SCOPE.storefront, skuPrefix: '', name: 'shop' };
  await store.settings.addCredential(await store.settings.addMarketplaceAccount('live'), shop, NOW_MS, 1);
  for (const kind of ['held', 'waiting']) await store.work.announceWork(kind, accounts.live, 0);
  assert.ok(await store.work.takeWork('held', 'another-process', 60_000));
  const erased = await eraseAnother(database, store);
  const lastNumber = await drawNumber(store);
  await store.close();
  return { accounts, erased, lastNumber };
}

async function eraseAnother(database: EmptyDatabase, store: Store): Promise<Filled['erased']> {
  const merchant = newMerchant();
  await store.settings.addMerchant(merchant, NOW_MS);
  const { accounts } = (await store.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
  const users = [merchant.credentials.test.user, merchant.credentials.live.user];
  const credentials = await Promise.all(users.map((user) => store.settings.readCredentialOfUser(user)));
  const moves = await database.openMoves();
  assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
  await moves.close();
  return {
    accountId: Math.max(accounts.test, accounts.live),
    credentialId: Math.max(...credentials.map((credential) => credential?.credentialId ?? 0)),
  };
}

async function copyAll(t: TestContext, from: EmptyDatabase, to: EmptyDatabase): Promise<void> {
  const [source, target] = [await openCopy(t, from), await openCopy(t, to)];
  const reading = await openSnapshot(t, source);
  const tables = await reading.readTables();
  await target.beginCopy(ORIGIN, tables, await reading.readCounters());
  let position = START;
  for (const [accountId] of tables.account) {
    const offers = await reading.readOffers(Number(accountId), 0);
    assert.equal(await target.writeOffers(position, Number(accountId), offers), 'stored');
    position = { accountId: Number(accountId), order: offers.at(-1)?.order ?? position.order };
  }
  await target.finishCopy();
}

async function openStore(t: TestContext, database: EmptyDatabase): Promise<Store> {
  const store = await database.open();
  t.after(() => store.close());
  return store;
}

async function openCopy(t: TestContext, database: EmptyDatabase): Promise<CopyStore> {
  const copy = await database.openCopy();
  t.after(() => copy.close());
  return copy;
}

async function openSnapshot(t: TestContext, copy: CopyStore): Promise<StoreSnapshot> {
  const reading = await copy.openSnapshot();
  t.after(() => reading.close());
  return reading;
}

function plainOffer(order: number): CopiedOffer {
  return {
    order,
    record: bareOffer(`sku-${order}`),
    membership: null,
    numbers: {
      sku: 1,
      price: 0,
      archive: 0,
      shipping_exception: 0,
      returns_exception: 0,
      variation: 0,
      inventory: 0,
      nodes: [],
    },
  };
}
