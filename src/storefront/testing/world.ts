/** Opens stores with offers for tests of the projector, and reads what it stored. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { PartWrite } from '../../domain/offers/part.ts';
import { nodeEntry } from '../../domain/taxonomy/entries.ts';
import { TaxonomyBuilder } from '../../domain/taxonomy/tree.ts';
import { DEFAULT_ORDER, type RankOrder } from '../../domain/vocabulary/rank-parts.ts';
import type { Status } from '../../domain/vocabulary/statuses.ts';
import { withoutTag } from '../../store/contract/put-parts.ts';
import { newMerchant } from '../../store/contract/subject.ts';
import { AccountUnavailableError } from '../../store/port/errors.ts';
import type { StorefrontStore } from '../../store/port/storefront.ts';
import type { Store } from '../../store/port.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import { createReadyDatabase, PATIENCE } from '../../store/postgres/testing/test-database.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { temporaryDir } from '../../store/sqlite/testing/temporary-dir.ts';
import { Projector, type ProjectorSetup } from '../projector.ts';

const NOW_MS = Date.UTC(2026, 10, 1);
export const NEVER = new AbortController().signal;
const BY = 'key:test';

let lastAsin = 0;

/** Returns the code of a product that no other test uses. */
export function newAsin(): string {
  return `B${String(++lastAsin).padStart(9, '0')}`;
}

export function documentOf(title: string, ASIN: string): string {
  const fields = { multipack_quantity: 1, main_image_url: 'https://img.example/1.jpg', ASIN };
  return JSON.stringify({ product_title: title, brand: 'Potter', ...fields });
}

/** A store with the settings that a server follows. */
export class World {
  readonly store: Store;
  readonly failures: unknown[] = [];
  /** The product of offers that name no other. */
  readonly asin = newAsin();
  taxonomyTag = 'a';
  order: RankOrder = DEFAULT_ORDER;
  readonly #builder = new TaxonomyBuilder();

  constructor(store: Store) {
    this.store = store;
    this.#builder.add(nodeEntry({ node: 7, name: 'Home' }));
    this.#builder.add(nodeEntry({ node: 8, name: 'Garden' }));
  }

  projector(store: Partial<Store> = {}, changed: Partial<ProjectorSetup> = {}): Projector {
    const read = () => this.store.settings.readSetupVersion();
    const directory = { version: 0 };
    const rules = {
      taxonomy: { current: { tree: this.#builder.build(), tag: this.taxonomyTag } },
      policies: { current: { rankOrder: this.order } },
    };
    const setup: ProjectorSetup = {
      directory,
      rules,
      account: (accountId) => this.store.settings.readAccount(accountId),
      async follow() {
        directory.version = await read();
      },
      ...changed,
    };
    return new Projector({
      store: { ...this.store, ...store },
      setup,
      names: new Names(NEUTRAL_NAMES),
      telemetry: { observe: (_, fields) => void this.failures.push(fields) },
      nowMs: () => NOW_MS,
    });
  }

  /** Returns the store while the database node of an account is down. */
  without(downId: number): Partial<Store> {
    const { storefront } = this.store;
    const readOfferSources: StorefrontStore['readOfferSources'] = async (accountId, skuIds) => {
      if (accountId === downId) throw new AccountUnavailableError('down');
      return storefront.readOfferSources(accountId, skuIds);
    };
    return { storefront: { ...storefront, readOfferSources } };
  }

  async addMerchant() {
    const merchant = newMerchant();
    await this.store.settings.addMerchant(merchant, NOW_MS);
    const accountId = (await this.store.settings.readMerchant(merchant.merchantId))?.accounts.live ?? 0;
    return { ...merchant, accountId };
  }

  async write(accountId: number, ...parts: readonly PartWrite[]): Promise<void> {
    for (const part of parts) {
      const outcome = await this.store.offers.write({ accountId, skuId: part.skuId, by: BY }, [part], NOW_MS);
      assert.equal(withoutTag(outcome), 'stored');
    }
  }

  /** Stores an offer and a review with this status. */
  async addOffer(
    accountId: number,
    skuId: string,
    { title = 'A pot', price = 10, status = 'available' as Status, asin = this.asin } = {},
  ) {
    await this.write(
      accountId,
      { part: 'sku', skuId, document: documentOf(title, asin) },
      { part: 'price', skuId, price, nodes: [] },
      { part: 'inventory', skuId, quantities: [{ fulfillment_node_id: 'n', quantity: 5 }] },
    );
    await this.review(accountId, status);
  }

  async review(accountId: number, status: Status, categoryId = '7'): Promise<void> {
    const due = await this.store.review.readDueOffers(accountId, 1000);
    const reviews = due.map(({ skuId, mark }) => {
      const listing = { titleKey: skuId, categoryId, words: [] };
      return { skuId, mark, status, subStatuses: [], evidence: {}, rules: 'r', shoeKey: null, listing };
    });
    await this.store.review.storeReviews(accountId, reviews, NOW_MS);
  }

  /** Returns the title of a product, and the merchant, SKU and price of each of its offers. */
  async shown(asin = this.asin) {
    const product = await this.store.storefront.readShopProduct('live', `asin:${asin}`, 100);
    if (product === undefined) return undefined;
    const offers = product.offers.map(({ shown }) => {
      const { merchant_name, merchant_sku, price } = JSON.parse(shown);
      return `${merchant_name} ${merchant_sku} ${price}`;
    });
    return [JSON.parse(product.product).title, ...offers];
  }

  /** The products with several offers, without those of other tests. */
  ownProducts(): Pick<StorefrontStore, 'listContested' | 'readShopOffers'> {
    const { storefront } = this.store;
    const own = `asin:${this.asin}`;
    const listContested: StorefrontStore['listContested'] = async (...asked) => {
      return (await storefront.listContested(...asked)).filter((code) => code === own);
    };
    return { ...storefront, listContested };
  }

  /** Returns the changed ranks of each account. */
  positionEvents(accountIds: readonly number[]): Promise<readonly string[][]> {
    const query = { after: undefined, types: ['offer.position_changed'], limit: 1000 } as const;
    return Promise.all(
      accountIds.map(async (accountId) => {
        const { events } = await this.store.feed.readEvents(accountId, query);
        return events.flatMap((event) => {
          if (event.type !== 'offer.position_changed') return [];
          return [`${event.skuId} ${event.before}-${event.after} of ${event.rankOf}`];
        });
      }),
    );
  }

  /** Returns the number of events so far. */
  async events(): Promise<number> {
    return (await this.store.storefront.readShopFeed('live'))?.last ?? 0;
  }
}

/** Works until nothing is left. */
export async function project(projector: Projector): Promise<void> {
  while (await projector.step(NEVER));
}

export const DATABASES = {
  SQLite: async () => openSqliteStore({ dataDir: temporaryDir(), onFatal: (error) => assert.fail(error) }),
  PostgreSQL: async () => openPostgresStore({ url: (await createReadyDatabase()).url, ...PATIENCE }),
};

/** Opens a store for all tests of a suite; each test has its own merchants and products. */
export function worlds(open: () => Promise<Store>): () => World {
  let store: Store | undefined;
  before(async () => {
    store = await open();
  });
  after(() => store?.close());
  return () => new World(store ?? assert.fail('The store is open while tests run.'));
}
