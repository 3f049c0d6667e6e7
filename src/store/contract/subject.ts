/** In charge of what the contract is run against: an adapter's empty database, and the values the tests put in it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, before } from 'node:test';
import type { Author } from '../../domain/author.ts';
import type { CatalogClient } from '../port/catalog.ts';
import type { CopyStore } from '../port/copy.ts';
import type { MerchantRecord, MoveStore, OfferRecord } from '../port/moves.ts';
import type { WriteKey } from '../port/offers.ts';
import type { NewCredential, NewMerchant } from '../port/settings.ts';
import type { Store } from '../port.ts';

/** May be opened several times, one after the other and at once: as a restart, and as a second process. */
export interface EmptyDatabase {
  open(): Promise<Store>;
  openMoves(): Promise<MoveStore>;
  openCopy(): Promise<CopyStore>;
  openCatalogClient(): Promise<CatalogClient>;
}

/** The adapter removes what it created when its tests are over. */
export type CreateDatabase = () => Promise<EmptyDatabase>;

/** One store for all tests of a suite: they keep out of each other's way by `newAccountId` and `newMerchant`. */
export function sharedStore(createDatabase: CreateDatabase): () => Store {
  let store: Store | undefined;
  before(async () => {
    const database = await createDatabase();
    store = await database.open();
  });
  after(() => store?.close());
  return () => {
    assert.ok(store, 'The store is there once the tests run.');
    return store;
  };
}

/** A store of its own for a test, closed with it: an open one would keep the process of a failed test alive. */
export async function openFor(test: TestContext, database: EmptyDatabase): Promise<Store> {
  const store = await database.open();
  test.after(() => store.close());
  return store;
}

export const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
export const LATER_MS = NOW_MS + 60_000;

let lastNumber = 1000;

/** Of offers: these are stored for any account number, whether or not the setup knows it. */
export function newAccountId(): number {
  return ++lastNumber;
}

/** Whom the history names for writes of tests that are not about it. */
export const AUTHOR: Author = 'key:somebody';

export function newKey(skuId = 'shirt-1'): WriteKey {
  return { accountId: newAccountId(), skuId, by: AUTHOR };
}

export function documentOf(brand = 'Acme'): string {
  return JSON.stringify({ product_title: 'A shirt', brand });
}

/** A key of a SKU that was uploaded at NOW_MS. */
export async function uploadedKey(store: Store, skuId?: string): Promise<WriteKey> {
  const key = newKey(skuId);
  await store.offers.putSku(key, documentOf(), NOW_MS);
  return key;
}

export async function archivedKey(store: Store, skuId?: string): Promise<WriteKey> {
  const key = await uploadedKey(store, skuId);
  await store.offers.setArchived(key, true, NOW_MS);
  return key;
}

/** Uploads the SKUs in this order and returns how to name one of them. */
export async function uploadedSkus(store: Store, skuIds: readonly string[]): Promise<(skuId: string) => WriteKey> {
  const accountId = newAccountId();
  await Promise.all(skuIds.map((skuId) => store.offers.putSku({ accountId, skuId, by: AUTHOR }, documentOf(), NOW_MS)));
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

/** A merchant as it is moved in. */
export function newRecord(): MerchantRecord {
  const { credentials, ...merchant } = newMerchant();
  return { ...merchant, createdMs: NOW_MS, suspended: false };
}

/** An offer as it is moved in, with a document and nothing else. */
export function bareOffer(skuId: string): OfferRecord {
  return {
    skuId,
    archived: false,
    firstUploadMs: NOW_MS,
    document: documentOf(skuId),
    documentUpdatedMs: NOW_MS,
    price: null,
    inventory: { stampMs: NOW_MS, nodes: [] },
    shippingExceptions: null,
    returnLocationIds: null,
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

/** Ids that a careless comparison, encoding or collation would take for one another or lose. */
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
