/** Tests projector.ts on both databases: the storefront shows what the offers, settings and corrections say, whatever interrupts the work. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PartWrite } from '../domain/offers/part.ts';
import type { KnownProduct } from '../domain/review/catalog.ts';
import { DEFAULT_ORDER, type RankOrder } from '../domain/vocabulary/rank-parts.ts';
import { estimateRanking } from '../operations/review/estimate-ranking.ts';
import { AccountUnavailableError } from '../store/port/errors.ts';
import type { StorefrontStore } from '../store/port/storefront.ts';
import type { Store } from '../store/port.ts';
import { postgresSkipped } from '../store/postgres/testing/availability.ts';
import { DATABASES, documentOf, NEVER, newAsin, project, worlds } from './testing/world.ts';

const NOTE = { atMs: 0, by: 'test', act: 'test', subject: 'test', impact: null } as const;

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

    it('shows the offers of merged products as one, corrects them together, and separates them when it is undone', async () => {
      const world = newWorld();
      const [one, two] = [await world.addMerchant(), await world.addMerchant()];
      const other = newAsin();
      await world.addOffer(one.accountId, 'a', { asin: other, price: 9 });
      await world.addOffer(two.accountId, 'b');
      const projector = world.projector();
      await project(projector);
      const before = await world.events();
      const [code, sameAs] = [`asin:${other}`, `asin:${world.asin}`] as const;
      const own: KnownProduct = { code, brand: 'Potter', title: 'Old', categoryId: null, origin: 'operator' };
      await world.store.catalog.setProduct('live', { ...own, sameAs }, NOTE as never);
      await project(projector);
      const both = ['Old', `${one.name} a 9`, `${two.name} b 10`];
      assert.deepEqual(await world.shown(), both);
      assert.deepEqual(await world.shown(other), both, 'found by both codes');
      const events = await world.store.storefront.readShopEvents('live', before, 9);
      const texts = events.map(({ code: of, body }) => {
        const { product, offers_changed: put, offers_removed: gone } = JSON.parse(body);
        return [of, product?.code ?? product, put.length, gone.length];
      });
      const expected = [
        [code, null, 0, 1],
        [sameAs, sameAs, 1, 0],
      ];
      assert.deepEqual(texts.sort(), expected.sort());
      await world.store.catalog.setProduct('live', { ...own, code: sameAs, title: 'Right' });
      await project(projector);
      assert.equal((await world.shown())?.[0], 'Right');
      const late = await world.addMerchant();
      await world.addOffer(late.accountId, 'c', { asin: other, price: 12 });
      await project(projector);
      assert.equal((await world.shown())?.length, 4, 'later offers join it');
      const merge = (await world.store.policies.listRuleChanges(1))[0] ?? assert.fail();
      await world.store.policies.undoRuleChange(merge.changeId, NOTE as never);
      await project(projector);
      assert.deepEqual(await world.shown(), ['Right', `${two.name} b 10`]);
      assert.deepEqual(await world.shown(other), ['A pot', `${one.name} a 9`, `${late.name} c 12`]);
      assert.deepEqual(world.failures, []);
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

    it('tells each merchant whose rank a write changed, also that of another merchant', async () => {
      const world = newWorld();
      const merchants = [await world.addMerchant(), await world.addMerchant(), await world.addMerchant()];
      const [one, two, three] = merchants.map(({ accountId }) => accountId) as [number, number, number];
      await world.addOffer(one, 'a', { price: 10 });
      await world.addOffer(two, 'b', { price: 12 });
      await world.addOffer(three, 'c', { price: 14 });
      const projector = world.projector();
      await project(projector);
      const told = () => world.positionEvents([one, two, three]);
      assert.deepEqual(await told(), [[], [], []], 'coming on sale changes no rank');
      await world.write(three, { part: 'price', skuId: 'c', price: 9, nodes: [] });
      await project(projector);
      const all = [['a 1-2 of 3'], ['b 2-3 of 3'], ['c 3-1 of 3']];
      assert.deepEqual(await told(), all);
      await world.write(two, { part: 'price', skuId: 'b', price: 10.01, nodes: [] });
      await project(world.projector());
      assert.deepEqual(await told(), all, 'the order is the same');
      const quantities = [{ fulfillment_node_id: 'n', quantity: 0 }];
      await world.write(three, { part: 'inventory', skuId: 'c', quantities });
      await project(projector);
      assert.deepEqual(await told(), [['a 1-2 of 3', 'a 2-1 of 2'], ['b 2-3 of 3', 'b 3-2 of 2'], ['c 3-1 of 3']]);
    });

    it('ranks all products by another order, and previews how many change their best offer', async () => {
      const world = newWorld();
      const [one, two] = [(await world.addMerchant()).accountId, (await world.addMerchant()).accountId];
      await world.addOffer(one, 'a', { price: 10 });
      await world.addOffer(two, 'b', { price: 12 });
      await world.addOffer(two, 'alone', { asin: newAsin() });
      const quantities = [{ fulfillment_node_id: 'n', quantity: 9 }];
      await world.write(two, { part: 'inventory', skuId: 'b', quantities });
      await project(world.projector());
      const count = async (after: RankOrder) => {
        const impact = await estimateRanking(world.ownProducts(), world.order, after);
        const { products, offers, live, merchants, examined } = impact;
        return [products, offers, live, merchants, examined];
      };
      assert.deepEqual(await count(['price', 'time']), [0, 0, 0, 0, 2]);
      assert.deepEqual(await count(['stock']), [1, 2, 2, 2, 2]);
      assert.deepEqual(await world.positionEvents([one, two]), [[], []], 'a preview changes nothing');
      world.order = ['stock'];
      await project(world.projector());
      assert.deepEqual(await world.positionEvents([one, two]), [['a 1-2 of 2'], ['b 2-1 of 2']]);
      const projector = world.projector();
      await project(projector);
      assert.deepEqual(await world.positionEvents([one, two]), [['a 1-2 of 2'], ['b 2-1 of 2']], 'once');
      world.order = DEFAULT_ORDER;
      await project(world.projector());
    });

    it('restarts after its events were dropped', async () => {
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

  it('ranks more offers than one transaction stores, and no other process tells of them again', async () => {
    const world = newWorld();
    const { accountId } = await world.addMerchant();
    const skuIds = Array.from({ length: 210 }, (_, index) => `s${String(index).padStart(3, '0')}`);
    for (const [index, skuId] of skuIds.entries()) {
      const document = documentOf('A pot', world.asin);
      const quantities = [{ fulfillment_node_id: 'n', quantity: 1 }];
      const price = { part: 'price', skuId, price: index + 2, nodes: [] } as const;
      await world.write(accountId, { part: 'sku', skuId, document }, price, { part: 'inventory', skuId, quantities });
    }
    await world.review(accountId, 'available');
    await project(world.projector());
    await world.write(accountId, { part: 'price', skuId: 's209', price: 1, nodes: [] });
    await Promise.all([project(world.projector()), project(world.projector())]);
    const [told] = await world.positionEvents([accountId]);
    assert.deepEqual(
      told?.toSorted(),
      skuIds.map((skuId, index) => `${skuId} ${index + 1}-${index === 209 ? 1 : index + 2} of 210`),
    );
  });

  it('stops between accounts', async () => {
    const world = newWorld();
    await world.addMerchant();
    await assert.rejects(world.projector().step(AbortSignal.abort(new Error('stopping'))), /stopping/);
  });
});
