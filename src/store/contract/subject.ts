/** Defines the databases that the contract runs on, and values that its tests share. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { after, before } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { NewCredential, NewMerchant } from '../../domain/account.ts';
import type { Author } from '../../domain/author.ts';
import type { MerchantRecord, OfferRecord } from '../../domain/export/records.ts';
import type { CopyStore } from '../port/copy.ts';
import type { MoveStore } from '../port/moves.ts';
import type { WriteKey } from '../port/offers.ts';
import type { SetupStore, Store } from '../port.ts';
import { clearableOf, putSku, setArchived } from './put-parts.ts';

/** An empty database. A test may open it again, as after a restart, or twice at once, as two processes do. */
export interface EmptyDatabase {
  open(): Promise<Store>;
  openMoves(): Promise<MoveStore>;
  openCopy(): Promise<CopyStore>;
  openSetup(): Promise<SetupStore & { close(): Promise<void> }>;
  /** Deletes all rows of the tables that were empty at the first call, even while stores are open. */
  clear(): Promise<void>;
}

/** Creates an empty database, which the adapter removes after its tests. */
export type CreateDatabase = () => Promise<EmptyDatabase>;

/** Opens one store for all tests of a suite; each test uses its own `newAccountId` and `newMerchant`. */
export function sharedStore(createDatabase: CreateDatabase): () => Store {
  let store: Store | undefined;
  before(async () => {
    const database = await createDatabase();
    store = await database.open();
  });
  after(() => store?.close());
  return () => {
    assert.ok(store, 'The store is open while tests run.');
    return store;
  };
}

export interface ClearedStores {
  /** The stores without clearing, for tests that use their own accounts or kinds of work. */
  readonly stores: readonly [() => Store, () => Store];
  openOne(): Promise<Store>;
  /** Opens two stores on the database, as two processes do. */
  openTwo(): Promise<readonly [Store, Store]>;
  /** Opens another store until the test ends, as after a restart. */
  reopen(test: TestContext): Promise<Store>;
  /** Opens the account settings, as the command line does alongside a server, until the test ends. */
  openSetup(test: TestContext): Promise<SetupStore>;
  /** Opens the database for moves until the test ends. */
  openMoves(test: TestContext): Promise<MoveStore>;
  /** Returns a store that was closed. */
  openClosed(): Promise<Store>;
}

/**
 * Shares two stores on one database between tests. All tables are empty when a test opens a store. Opening a store for each test took three quarters of these tests' CPU time.
 */
export function clearedStores(createDatabase: CreateDatabase): ClearedStores {
  let database: EmptyDatabase | undefined;
  let closed: Store | undefined;
  before(async () => {
    database = await createDatabase();
  });
  const create: CreateDatabase = async () => database ?? assert.fail('The database exists while tests run.');
  const stores = [sharedStore(create), sharedStore(create)] as const;
  const clear = async () => {
    await (await create()).clear();
    // On SQLite, reads of one tick share a snapshot, which may be older than the deletion.
    await setImmediate();
  };
  return {
    stores,
    openOne: async () => clear().then(stores[0]),
    openTwo: async () => clear().then(() => [stores[0](), stores[1]()]),
    reopen: async (test) => openFor(test, await create()),
    async openSetup(test) {
      const setup = await (await create()).openSetup();
      test.after(() => setup.close());
      return setup;
    },
    async openMoves(test) {
      const moves = await (await create()).openMoves();
      test.after(() => moves.close());
      return moves;
    },
    async openClosed() {
      closed ??= await (await create()).open();
      await closed.close();
      return closed;
    },
  };
}

/** Opens a store that is closed with the test. A store left open would keep the process of a failed test alive. */
export async function openFor(test: TestContext, database: EmptyDatabase): Promise<Store> {
  const store = await database.open();
  test.after(() => store.close());
  return store;
}

export const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
export const LATER_MS = NOW_MS + 60_000;

let lastNumber = 1000;

/** Returns a new account number. Offers can be stored for any number, whether or not the account exists. */
export function newAccountId(): number {
  return ++lastNumber;
}

/** The author of writes in tests that are not about history. */
export const AUTHOR: Author = 'key:test-author';

export function newKey(skuId = 'shirt-1'): WriteKey {
  return { accountId: newAccountId(), skuId, by: AUTHOR };
}

/** Draws a sequence number, as the claim of a key does. */
export async function drawNumber(store: Store): Promise<number> {
  const claim = { accountId: newAccountId(), key: randomUUID(), fingerprint: '' };
  const claimed = await store.idempotency.claimKey(claim, NOW_MS, 1);
  if (claimed.state !== 'claimed') throw new Error('The new key is taken.');
  return claimed.number;
}

export function documentOf(brand = 'Acme'): string {
  return JSON.stringify({ product_title: 'A shirt', brand });
}

/** Uploads a SKU at NOW_MS and returns its key. */
export async function uploadedKey(store: Store, skuId?: string): Promise<WriteKey> {
  const key = newKey(skuId);
  await putSku(store.offers, key, documentOf(), NOW_MS);
  return key;
}

export async function archivedKey(store: Store, skuId?: string): Promise<WriteKey> {
  const key = await uploadedKey(store, skuId);
  await setArchived(store.offers, key, true, NOW_MS);
  return key;
}

/** Uploads the SKUs in this order. Returns a function that maps a SKU id to its key. */
export async function uploadedSkus(store: Store, skuIds: readonly string[]): Promise<(skuId: string) => WriteKey> {
  const accountId = newAccountId();
  await Promise.all(
    skuIds.map((skuId) => putSku(store.offers, { accountId, skuId, by: AUTHOR }, documentOf(), NOW_MS)),
  );
  return (skuId) => ({ accountId, skuId, by: AUTHOR });
}

export function newMerchant(): NewMerchant {
  const number = ++lastNumber;
  return {
    merchantId: `merchant-${number}`,
    name: `Merchant № ${number}`,
    timeToReturnDays: 14,
    returnShippingMethods: ['<carrier_4> Ground', 'Freight'],
    credentials: { test: newCredential(), live: newCredential() },
  };
}

/** Returns the record of a new merchant, for an import. */
export function newRecord(): MerchantRecord {
  const { credentials, ...merchant } = newMerchant();
  return { ...merchant, createdMs: NOW_MS, suspended: false };
}

/** Returns an offer for an import that has a document and nothing else. */
export function bareOffer(skuId: string): OfferRecord {
  return {
    skuId,
    archived: false,
    firstUploadMs: NOW_MS,
    document: documentOf(skuId),
    documentUpdatedMs: NOW_MS,
    price: null,
    inventory: { stampMs: NOW_MS, nodes: [] },
    clearable: clearableOf(),
  };
}

export function newCredential(): NewCredential {
  const number = ++lastNumber;
  return {
    user: `user-${number}`,
    salt: Uint8Array.of(0, 255, number % 256),
    secretHash: Uint8Array.of(...Array.from({ length: 32 }, (_, place) => (number + place) % 256)),
  };
}

/** Ids that a careless comparison, encoding or collation would confuse or lose. */
export const DIFFICULT_IDS: readonly string[] = Object.freeze([
  'a/b',
  'a%2Fb',
  'abc',
  'ABC',
  'Abc',
  ' abc',
  'abc ',
  '  ',
  'é',
  'e\u0301',
  'ß',
  'ss',
  'ﬁ',
  'fi',
  'İ',
  'i',
  '1',
  '01',
  '1.0',
  '1e0',
  "it's",
  'a"b',
  'a\\b',
  'a%b_c',
  'null',
  '[]',
  'line\nbreak',
  'tab\tand\u0001control',
  '\u200d',
  '\ufeffabc',
  '\uffff',
  '😀'.repeat(64),
  '😀'.repeat(63),
  '日本語',
]);
