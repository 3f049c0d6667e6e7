/** Tests projector.ts on both databases: the storefront shows what the offers, settings and corrections say, whatever interrupts the work. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import type { PartWrite } from '../domain/offers/part.ts';
import type { KnownProduct } from '../domain/review/catalog.ts';
import { nodeEntry } from '../domain/taxonomy/entries.ts';
import { TaxonomyBuilder } from '../domain/taxonomy/tree.ts';
import type { Status } from '../domain/vocabulary/statuses.ts';
import { withoutTag } from '../store/contract/put-parts.ts';
import { newMerchant } from '../store/contract/subject.ts';
import { AccountUnavailableError } from '../store/port/errors.ts';
import type { StorefrontStore } from '../store/port/storefront.ts';
import type { Store } from '../store/port.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { postgresSkipped } from '../store/postgres/testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../store/postgres/testing/test-database.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { temporaryDir } from '../store/sqlite/testing/temporary-dir.ts';
import { Projector, type ProjectorSetup } from './projector.ts';

const NOW_MS = Date.UTC(2026, 10, 1);
const NEVER = new AbortController().signal;
const BY = 'key:test';
const NOTE = { atMs: NOW_MS, by: 'test', act: 'test', subject: 'test', impact: null } as const;

let lastAsin = 0;

/** Returns the code of a product that no other test uses. */
function newAsin(): string {
  return `B${String(++lastAsin).padStart(9, '0')}`;
}

function documentOf(title: string, ASIN: string): string {
  const fields = { multipack_quantity: 1, main_image_url: 'https://img.example/1.jpg', ASIN };
  return JSON.stringify({ product_title: title, brand: 'Potter', ...fields });
}

/** A store with the settings that a server follows. */
class World {
  readonly store: Store;
  readonly failures: unknown[] = [];
  /** The product of offers that name no other. */
  readonly asin = newAsin();
  taxonomyTag = 'a';
  readonly #builder = new TaxonomyBuilder();

  constructor(store: Store) {
    this.store = store;
    this.#builder.add(nodeEntry({ node: 7, name: 'Home' }));
    this.#builder.add(nodeEntry({ node: 8, name: 'Garden' }));
  }

  projector(store: Partial<Store> = {}, changed: Partial<ProjectorSetup> = {}): Projector {
    const read = () => this.store.settings.readSetupVersion();
    const directory = { version: 0 };
    const rules = { taxonomy: { current: { tree: this.#builder.build(), tag: this.taxonomyTag } } };
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

  /** Returns title, and merchant, SKU and price of each offer, of a product. */
  async shown(asin = this.asin) {
    const product = await this.store.storefront.readShopProduct('live', `asin:${asin}`, 100);
    if (product === undefined) return undefined;
    const offers = product.offers.map(({ shown }) => {
      const { merchant_name, merchant_sku, price } = JSON.parse(shown);
      return `${merchant_name} ${merchant_sku} ${price}`;
    });
    return [JSON.parse(product.product).title, ...offers];
  }

  /** Returns the number of events so far. */
  async events(): Promise<number> {
    return (await this.store.storefront.readShopFeed('live'))?.last ?? 0;
  }
}

/** Works until nothing is left. */
async function project(projector: Projector): Promise<void> {
  while (await projector.step(NEVER));
}

const DATABASES = {
  SQLite: async () => openSqliteStore({ dataDir: temporaryDir(), onFatal: (error) => assert.fail(error) }),
  PostgreSQL: async () => openPostgresStore({ url: (await createReadyDatabase()).url, ...PATIENCE }),
};

/** Opens a store for all tests of a suite; each test has its own merchants and products. */
function worlds(open: () => Promise<Store>): () => World {
  let store: Store | undefined;
  before(async () => {
    store = await open();
  });
  after(() => store?.close());
  return () => new World(store ?? assert.fail('The store is open while tests run.'));
}

for (const [name, open] of Object.entries(DATABASES)) {
  describe(`the projector on ${name}`, { skip: name === 'PostgreSQL' ? postgresSkipped() : false }, () => {
    const newWorld = worlds(open);

    it('shows the offers that exist, and then what changes', async () => {
      const world = newWorld();
      const { accountId, name: merchant } = await world.addMerchant();
      for (const [skuId, price] of [
        ['a', 10],
        ['b', 12],
      ] as const)
        await world.addOffer(accountId, skuId, { price });
      await world.addOffer(accountId, 'c', { status: 'missing' });
      const projector = world.projector();
      await project(projector);
      assert.deepEqual(await world.shown(), ['A pot', `${merchant} a 10`, `${merchant} b 12`]);
      const stock = { part: 'inventory', skuId: 'b', quantities: [{ fulfillment_node_id: 'n', quantity: 0 }] } as const;
      await world.write(accountId, { part: 'price', skuId: 'a', price: 9, nodes: [] }, stock);
      await project(projector);
      assert.deepEqual(await world.shown(), ['A pot', `${merchant} a 9`]);
      await world.write(accountId, { part: 'archive', skuId: 'a', archived: true });
      await project(projector);
      assert.equal(await world.shown(), undefined);
      const other = newAsin();
      await world.write(accountId, { part: 'sku', skuId: 'c', document: documentOf('C', other) });
      await world.review(accountId, 'available');
      await project(projector);
      assert.deepEqual(await world.shown(other), ['C', `${merchant} c 10`]);
      assert.equal(await projector.step(NEVER), false);
      assert.deepEqual(world.failures, []);
    });

    it('projects more offers than one batch, also when another process continues', async () => {
      const world = newWorld();
      const { accountId } = await world.addMerchant();
      const skuIds = Array.from({ length: 230 }, (_, index) => `s${String(index).padStart(3, '0')}`);
      for (const skuId of skuIds)
        await world.write(accountId, { part: 'sku', skuId, document: documentOf('A pot', world.asin) });
      for (const skuId of skuIds) {
        const quantities = [{ fulfillment_node_id: 'n', quantity: 1 }];
        await world.write(
          accountId,
          { part: 'price', skuId, price: 1, nodes: [] },
          { part: 'inventory', skuId, quantities },
        );
      }
      await world.review(accountId, 'available');
      await world.projector().step(NEVER);
      await project(world.projector());
      assert.equal((await world.store.storefront.readShopProduct('live', `asin:${world.asin}`, 1))?.offerCount, 230);
      const before = await world.events();
      for (const skuId of skuIds) await world.write(accountId, { part: 'price', skuId, price: 2, nodes: [] });
      await Promise.all([project(world.projector()), project(world.projector())]);
      await project(world.projector());
      const product = await world.store.storefront.readShopProduct('live', `asin:${world.asin}`, 500);
      assert.ok(product?.offers.every(({ shown }) => JSON.parse(shown).price === 2));
      const events = await world.store.storefront.readShopEvents('live', before, 1000);
      const changed = events.flatMap(({ body }) => JSON.parse(body).offers_changed);
      assert.equal(changed.length, 230, 'each difference is logged once');
    });

    it('shows the merchant as the settings have it, and nothing of a suspended or removed one', async () => {
      const world = newWorld();
      const { settings } = world.store;
      const { accountId, merchantId } = await world.addMerchant();
      await world.addOffer(accountId, 'a');
      const projector = world.projector();
      await project(projector);
      await settings.changeMerchant(merchantId, { name: 'New name' });
      await project(projector);
      assert.deepEqual(await world.shown(), ['A pot', 'New name a 10']);
      await settings.setSuspended(merchantId, true);
      await project(projector);
      assert.equal(await world.shown(), undefined);
      await settings.setSuspended(merchantId, false);
      await project(projector);
      assert.deepEqual(await world.shown(), ['A pot', 'New name a 10']);
      const before = await world.events();
      world.taxonomyTag = 'b';
      await project(world.projector());
      assert.equal(await world.events(), before, 'a new taxonomy with the same names changes nothing');
      const gone: Partial<Store> = { settings: { ...settings, listMerchants: async () => [] } };
      await project(world.projector(gone));
      assert.equal(await world.shown(), undefined);
      const accounts = await world.store.storefront.listShopAccounts();
      assert.ok(!accounts.some((account) => account.accountId === accountId));
    });

    it("shows the operator's corrections, and no longer when they are undone", async () => {
      const world = newWorld();
      const [one, two] = [await world.addMerchant(), await world.addMerchant()];
      await world.addOffer(one.accountId, 'a');
      await world.addOffer(two.accountId, 'b');
      const projector = world.projector();
      await project(projector);
      const product: KnownProduct = {
        code: `asin:${world.asin}`,
        brand: 'B',
        title: 'Corrected',
        categoryId: null,
        origin: 'operator',
      };
      await world.store.catalog.setProduct('live', product, NOTE as never);
      await project(projector);
      assert.equal((await world.shown())?.[0], 'Corrected');
      const [change] = await world.store.policies.listRuleChanges(1);
      assert.ok(change);
      await world.store.policies.undoRuleChange(change.changeId, NOTE as never);
      await project(projector);
      assert.equal((await world.shown())?.[0], 'A pot');
    });

    it('shows the group of each member, also of one that left it', async () => {
      const world = newWorld();
      const { accountId, merchantId } = await world.addMerchant();
      const asins = { parent: newAsin(), one: newAsin(), two: newAsin() };
      for (const [skuId, asin] of Object.entries(asins)) await world.addOffer(accountId, skuId, { asin });
      const projector = world.projector();
      await project(projector);
      const groupOf = async () => {
        const products = await world.store.storefront.listShopGroup('live', `${merchantId}:parent`, 9);
        return products.map(({ code }) => code.slice('asin:'.length)).sort();
      };
      const variation = (...childrenSkus: string[]): PartWrite => {
        return { part: 'variation', skuId: 'parent', group: { refinements: '[1]', title: null, childrenSkus } };
      };
      await world.write(accountId, variation('one', 'two'));
      await project(projector);
      assert.deepEqual(await groupOf(), Object.values(asins).sort());
      await world.write(accountId, variation('two'));
      await project(projector);
      assert.deepEqual(await groupOf(), [asins.parent, asins.two].sort());
    });

    it('shows the category that a later review found, although nothing was written', async () => {
      const world = newWorld();
      const { accountId } = await world.addMerchant();
      for (const skuId of ['a', 'b']) await world.addOffer(accountId, skuId, { asin: newAsin() });
      await world.addOffer(accountId, 'c');
      const projector = world.projector();
      await project(projector);
      const before = await world.events();
      await world.store.review.markDue(accountId, ['c']);
      await world.review(accountId, 'available', '8');
      await project(projector);
      const garden = { id: 8, path: [{ id: 8, name: 'Garden' }] };
      const code = `asin:${world.asin}` as const;
      const product = await world.store.storefront.readShopProduct('live', code, 9);
      assert.deepEqual(JSON.parse(product?.product ?? '').category, garden);
      const events = await world.store.storefront.readShopEvents('live', before, 9);
      assert.deepEqual(
        events.map((event) => [event.code, JSON.parse(event.body).product.category]),
        [[code, garden]],
      );
      await world.store.review.markDue(accountId, ['a', 'c']);
      for (const categoryId of ['8', '8']) await world.review(accountId, 'missing', categoryId);
      await project(projector);
      assert.equal(await world.shown(), undefined);
    });

    it('begins anew after its events were dropped', async () => {
      const world = newWorld();
      const { accountId } = await world.addMerchant();
      await world.addOffer(accountId, 'a');
      await project(world.projector());
      await world.write(accountId, { part: 'price', skuId: 'a', price: 3, nodes: [] });
      await world.store.feed.tidyFeed(accountId, Number.MAX_SAFE_INTEGER);
      await world.write(accountId, { part: 'price', skuId: 'a', price: 3.5, nodes: [] });
      await project(world.projector());
      assert.match(String((await world.shown())?.[1]), /3\.5$/);
    });
  });
}

describe('the projector', () => {
  const newWorld = worlds(DATABASES.SQLite);

  it('repeats a batch whose result was lost, without logging it again', async () => {
    const world = newWorld();
    const { accountId } = await world.addMerchant();
    const before = await world.events();
    await world.addOffer(accountId, 'a');
    const { storefront } = world.store;
    const projectOffers: StorefrontStore['projectOffers'] = async (...args) => {
      await storefront.projectOffers(...args);
      throw new Error('The connection was lost.');
    };
    await world.projector({ storefront: { ...storefront, projectOffers } }).step(NEVER);
    assert.ok(world.failures.length > 0);
    await project(world.projector());
    assert.equal((await world.shown())?.length, 2);
    assert.equal(await world.events(), before + 1);
  });

  it('projects the other accounts while one fails, and reports no database node that is down', async () => {
    const world = newWorld();
    const [one, two] = [await world.addMerchant(), await world.addMerchant()];
    await world.addOffer(one.accountId, 'a');
    const other = newAsin();
    await world.addOffer(two.accountId, 'b', { asin: other });
    await project(world.projector(world.without(one.accountId)));
    assert.equal(await world.shown(), undefined);
    assert.equal((await world.shown(other))?.length, 2);
    assert.deepEqual(world.failures, []);
  });

  it('begins the other accounts while the database node of one is down', async () => {
    const world = newWorld();
    const [one, two] = [await world.addMerchant(), await world.addMerchant()];
    await world.addOffer(one.accountId, 'a');
    const other = newAsin();
    await world.addOffer(two.accountId, 'b', { asin: other });
    const { feed } = world.store;
    let isDown = true;
    const readEvents: Store['feed']['readEvents'] = async (accountId, query) => {
      if (isDown && accountId === one.accountId) throw new AccountUnavailableError('down');
      return feed.readEvents(accountId, query);
    };
    const projector = world.projector({ feed: { ...feed, readEvents } });
    await project(projector);
    assert.equal(await world.shown(), undefined);
    assert.equal((await world.shown(other))?.length, 2);
    isDown = false;
    await project(projector);
    assert.equal((await world.shown())?.length, 2);
  });

  it('applies a correction after many that cannot be applied yet', async () => {
    const world = newWorld();
    const [one, two] = [await world.addMerchant(), await world.addMerchant()];
    const blocked = Array.from({ length: 20 }, newAsin);
    for (const asin of blocked) await world.addOffer(one.accountId, asin, { asin });
    const last = newAsin();
    await world.addOffer(two.accountId, 'b', { asin: last });
    await project(world.projector());
    for (const asin of [...blocked, last]) {
      const text = { brand: 'B', title: 'Corrected', categoryId: null, origin: 'operator' } as const;
      await world.store.catalog.setProduct('live', { code: `asin:${asin}`, ...text }, NOTE as never);
    }
    const projector = world.projector(world.without(one.accountId));
    for (let steps = 0; steps < 2; steps++) await projector.step(NEVER);
    assert.equal((await world.shown(last))?.[0], 'Corrected');
    await project(world.projector());
    for (const asin of blocked) assert.equal((await world.shown(asin))?.[0], 'Corrected');
  });

  it('hides a merchant who is suspended while the settings are read', async () => {
    const world = newWorld();
    const { settings } = world.store;
    const { accountId, merchantId } = await world.addMerchant();
    await world.addOffer(accountId, 'a');
    await project(world.projector());
    const directory = { version: 0 };
    let cached = await settings.readAccount(accountId);
    const listMerchants: Store['settings']['listMerchants'] = async () => {
      await settings.setSuspended(merchantId, true);
      return settings.listMerchants();
    };
    const projector = world.projector(
      { settings: { ...settings, listMerchants } },
      {
        directory,
        account: async () => cached,
        async follow() {
          directory.version = await settings.readSetupVersion();
          cached = await settings.readAccount(accountId);
        },
      },
    );
    for (let steps = 0; steps < 3; steps++) await projector.step(NEVER);
    assert.equal(await world.shown(), undefined);
  });

  it('stops between accounts', async () => {
    const world = newWorld();
    await world.addMerchant();
    await assert.rejects(world.projector().step(AbortSignal.abort(new Error('stopping'))), /stopping/);
  });
});
