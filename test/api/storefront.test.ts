/** Tests the storefront: products with ranked offers of several merchants, lists, changes, and the position of an offer. */
import assert from 'node:assert/strict';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import { RANK_PART_NAMES } from '../../src/domain/vocabulary/rank-parts.ts';
import { type ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { addMerchant, EAST, flatNode } from './fixtures/merchant-setup.ts';
import { newEan, type Offer, type Product, product, rankEvents, sell, shopOf, whenRanked } from './fixtures/shop.ts';

const PATIENCE_MS = 60_000;
const NOT_FOUND = requestProblem('product_not_found', 'No offer of a product with this code is live and in stock.');
const OFF = requestProblem('storefront_off', 'The marketplace has not turned on the storefront (STOREFRONT).');

const UNKNOWN_CURSOR = requestProblem(
  'cursor_unknown',
  'after: not a valid cursor for your events. Send the `next` of a response or an event id, or omit `after`.',
);

/** Reads the position of an offer. */
async function position(api: ApiClient, path: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await api.get(`${path}/position`);
  assert.equal(status, 200, text);
  return body as Record<string, unknown>;
}

interface Tree {
  readonly node: { readonly parent: number };
  readonly children: readonly { readonly id: number; readonly name: string; readonly is_leaf: boolean }[];
}

interface Events {
  readonly events: readonly { readonly id: string; readonly code: string; readonly change: Record<string, unknown> }[];
  readonly next: string;
  readonly more: boolean;
}

const ranks = ({ offers }: Product) => offers.map(({ merchant_sku, rank, why }) => [merchant_sku, rank, why]);

describeApi('storefront', ({ accepts, refuses }) => {
  accepts('SHOP-01', 'any code of a product, in any form, with the offers of all merchants', async (api) => {
    const shop = await shopOf(api);
    const other = await addMerchant(api, {}, ({ settings }, { test }) => settings.putNode(test, flatNode(EAST)));
    const codes = [
      { standard_product_code_type: 'UPC', standard_product_code: '036000291452' },
      { standard_product_code_type: 'ISBN-13', standard_product_code: '9780306406157' },
    ];
    const fields = { standard_product_codes: codes, ASIN: 'b00storefr', product_title: 'A pot of two' };
    await sell(api, 'codes-1', '', { fields });
    // The offer that has been on sale longest describes the product, with its codes.
    await product(shop, '036000291452', 1);
    const single = { ...fields, standard_product_codes: codes.slice(0, 1), ASIN: undefined };
    await sell(other.test, 'codes-2', '', { fields: single });
    const found = await product(shop, '036000291452', 2);
    assert.deepEqual(found.offers.map(({ merchant_id, merchant_sku }) => [merchant_id, merchant_sku]).toSorted(), [
      ['demo', 'codes-1'],
      [other.merchantId, 'codes-2'],
    ]);
    assert.equal(found.code, 'gtin:00036000291452');
    for (const code of ['00036000291452', 'gtin:0036000291452', '9780306406157', '0-306-40615-2', 'asin:B00STOREFR']) {
      assert.equal((await product(shop, code, 2)).code, found.code, code);
    }
  });

  refuses('SHOP-01', 'codes without a live offer in stock, of the other environment, and invalid ones', async (api) => {
    const shop = await shopOf(api);
    const ean = newEan();
    const path = await sell(api, 'gone', ean);
    await product(shop, ean, 1);
    await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    await waitUntil('the end of the product', PATIENCE_MS, async () => {
      return (await shop.get(`/storefront/products/${ean}`)).status === 404 ? true : undefined;
    });
    for (const code of [ean, newEan(), 'x', 'offer:demo:none', '036000291453']) {
      assertProblems(await shop.get(`/storefront/products/${encodeURIComponent(code)}`), [NOT_FOUND], 404);
    }
  });

  accepts('SHOP-02', 'the best offer first, and says why the others come after it', async (api) => {
    const shop = await shopOf(api);
    const ean = newEan();
    await sell(api, 'rank-a', ean, { price: 11.2 });
    await sell(api, 'rank-b', ean, { price: 10, quantity: 4 });
    await sell(api, 'rank-c', ean, { price: 10, quantity: 9 });
    await sell(api, 'rank-d', ean, { price: 10.5, fields: { map_implementation: '103' } });
    await sell(api, 'rank-six', ean, { price: 9, fields: { multipack_quantity: 6 } });
    assert.deepEqual(ranks(await product(shop, ean, 5)), [
      ['rank-c', 1, 'The best offer'],
      ['rank-b', 2, 'Less stock than the best offer, otherwise as good'],
      ['rank-a', 3, '1.20 above the best offer'],
      ['rank-d', 4, 'No orders under policy 103 while another offer has a lower item price'],
      ['rank-six', 1, 'The only offer'],
    ]);
  });

  accepts('SHOP-03', 'lists by category, brand, words and last change, page by page', async (api) => {
    const shop = await shopOf(api);
    const since = new Date(Date.now() - 60_000).toISOString();
    const brand = `Brand ${newEan()}`;
    const eans = [newEan(), newEan(), newEan()];
    for (const [index, ean] of eans.entries()) {
      await sell(api, `list-${index}`, ean, { fields: { brand } });
      await product(shop, ean, 1);
    }
    const all = eans.map((ean) => `gtin:0${ean}`);
    const list = async (query: string) => {
      const answer = await shop.get(`/storefront/products?${query}`);
      assert.equal(answer.status, 200, answer.text);
      const { products } = answer.body as { products: Product[] };
      const [, next] = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
      return { codes: products.map(({ code }) => code), products, next };
    };
    const named = `brand=${encodeURIComponent(brand.toUpperCase())}`;
    assert.deepEqual((await list(named)).codes, all);
    assert.deepEqual((await list(`${named}&q=pot+${eans[1]}`)).codes, [all[1]]);
    assert.deepEqual((await list(`${named}&category=${minimalSku().marketplace_browse_node_id}`)).codes, all);
    assert.deepEqual((await list(`${named}&q=pot+p`)).codes, [], 'whole words');
    assert.deepEqual((await list(`${named}&category=1`)).codes, []);
    assert.deepEqual((await list(`${named}&updated_since=${since}`)).codes, all);
    const first = await list(`${named}&limit=2`);
    assert.deepEqual(first.codes, all.slice(0, 2));
    assert.deepEqual(
      first.products[0]?.best_offers.map(({ rank_reason }) => rank_reason),
      ['only'],
    );
    const { pathname, search } = new URL(first.next ?? assert.fail('There is another page.'));
    assert.equal(pathname, '/storefront/products');
    const second = await list(search.slice(1));
    assert.deepEqual([second.codes, second.next], [all.slice(2), undefined]);
  });

  refuses('SHOP-03', 'unknown and malformed parameters', async (api) => {
    const shop = await shopOf(api);
    const refusals = {
      'colour=red': 'colour: unknown parameter.',
      'category=x': 'category: must be the id of a category.',
      'brand=': 'brand: must have 1 to 100 characters.',
      'q=-': 'q: must contain a letter or digit.',
      [`q=${'abcdefghijk'.split('').join('+')}`]: 'q: must have at most 10 words.',
      'limit=101': 'limit: must be a whole number from 1 to 100.',
      'updated_since=now': 'updated_since: must be a time such as 2026-01-31T09:30:00Z.',
      'updated_since=2020-01-31T09:30:00Z':
        'updated_since: changes are kept for 30 days. List all products without it.',
      'cursor=x': 'cursor: must be from the `Link` header of a page with the same `updated_since`.',
    };
    for (const [query, text] of Object.entries(refusals)) {
      const problem = requestProblem('query_invalid', text);
      assertProblems(await shop.get(`/storefront/products?${query}`), [problem]);
    }
  });

  accepts('SHOP-04', 'revalidation by the tag, which changes with an offer', async (api) => {
    const shop = await shopOf(api);
    const ean = newEan();
    const path = await sell(api, 'tag', ean);
    await product(shop, ean, 1);
    const url = `/storefront/products/${ean}`;
    const tag = (await shop.get(url)).headers.get('etag') ?? '';
    const again = () => shop.send('GET', url, undefined, { 'if-none-match': tag });
    assert.equal((await again()).status, 304);
    await api.accepted('PUT', `${path}/price`, { price: 3 });
    await waitUntil('a new tag', PATIENCE_MS, async () => ((await again()).status === 200 ? true : undefined));
  });

  accepts('SHOP-05', 'every change once, and waits for the next one', async (api) => {
    const shop = await shopOf(api);
    const read = async (query: string) => (await shop.foundNow(`/storefront/events?${query}`)) as unknown as Events;
    const ean = newEan();
    const path = await sell(api, 'events', ean);
    await product(shop, ean, 1);
    const { next } = await read('after=latest');
    assert.deepEqual(await read(`after=${next}`), { events: [], next, more: false });
    const waiting = read(`after=${next}&wait=30`);
    await api.accepted('PUT', `${path}/price`, { price: 4 });
    const page = await waiting;
    const [event] = page.events.filter(({ code }) => code === `gtin:0${ean}`);
    const changed = event?.change.offers_changed as Offer[];
    assert.deepEqual(
      changed.map(({ merchant_sku, price }) => [merchant_sku, price]),
      [['events', 4]],
    );
    assert.deepEqual(event?.change.product, undefined, 'the product is as it was');
    assert.deepEqual((await read(`after=${page.next}`)).events, []);
    const all = [];
    for (let after = '', more = true; more; ) {
      const part = await read(`limit=2${after && `&after=${after}`}`);
      all.push(...part.events);
      ({ next: after, more } = part);
    }
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    assert.ok(all.some(({ id }) => id === event?.id));
  });

  refuses('SHOP-05', 'cursors that are not of these events', async (api) => {
    const shop = await shopOf(api);
    for (const after of ['x', '0123456789ab-1-0', '000000000000-1-0']) {
      const answer = await shop.get(`/storefront/events?after=${after}`);
      assertProblems(answer, [UNKNOWN_CURSOR]);
    }
  });

  accepts('SHOP-06', 'the rank of an own offer, without the price of the best one', async (api) => {
    const shop = await shopOf(api);
    const ean = newEan();
    await sell(api, 'position-a', ean, { price: 10 });
    const path = await sell(api, 'position-b', ean, { price: 12 });
    await product(shop, ean, 2);
    assert.deepEqual(await position(api, path), {
      merchant_sku: 'position-b',
      product_code: `gtin:0${ean}`,
      is_shown: true,
      rank: 2,
      rank_of: 2,
      rank_reason: 'total',
      above_best: null,
      why: 'Costs more than the best offer',
      best_total: null,
    });
    await withOwnServer(api.variant, { STOREFRONT_BEST_PRICE: 'on' }, async (own) => {
      const ownShop = await shopOf(own);
      await sell(own, 'position-a', ean, { price: 10 });
      const ownPath = await sell(own, 'position-b', ean, { price: 12 });
      await product(ownShop, ean, 2);
      const { above_best, best_total, why } = await position(own, ownPath);
      assert.deepEqual([above_best, best_total, why], [2, 10, '2.00 above the best offer']);
    });
  });

  refuses('SHOP-06', 'an unknown SKU, and shows no rank of an offer that is not live', async (api) => {
    const unknown = await api.get('/merchant-skus/none/position');
    assert.equal(unknown.status, 404);
    const path = await sell(api, 'position-none', newEan(), { quantity: 0 });
    assert.equal((await position(api, path)).is_shown, false);
  });

  accepts('SHOP-12', 'the rank of another merchant that a price changed', async (api) => {
    const shop = await shopOf(api);
    const other = await addMerchant(api, {}, ({ settings }, { test }) => settings.putNode(test, flatNode(EAST)));
    const ean = newEan();
    await sell(api, 'told-a', ean, { price: 10 });
    const path = await sell(other.test, 'told-b', ean, { price: 12 });
    await product(shop, ean, 2);
    await whenRanked(other.test, path, { price: 12, other: 9, rank: 2 });
    const [own, others] = [await rankEvents(api), await rankEvents(other.test)];
    await other.test.accepted('PUT', `${path}/price`, { price: 8 });
    const told = await waitUntil('the event', PATIENCE_MS, async () =>
      (await rankEvents(api, own.next)).events.find(
        ({ merchant_sku, after }) => merchant_sku === 'told-a' && after === 2,
      ),
    );
    const { id, at, ...event } = told as unknown as Record<string, unknown>;
    assert.deepEqual(event, {
      type: 'offer.position_changed',
      ...{ merchant_sku: 'told-a', before: 1, after: 2, rank_of: 2 },
      url: '/merchant-skus/told-a/position',
    });
    const { events } = await rankEvents(other.test, others.next);
    assert.equal(events.at(-1)?.after, 1, 'the merchant who changed the price is told too');
  });

  accepts('SHOP-13', 'another order, whose preview counts products, and tells of changed ranks', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      const shop = await shopOf(own);
      const operator = await shopOf(own, 'test', SCOPE.operate);
      const ean = newEan();
      await sell(own, 'order-a', ean, { price: 10, quantity: 1 });
      const path = await sell(own, 'order-b', ean, { price: 12, quantity: 9 });
      await product(shop, ean, 2);
      await whenRanked(own, path, { price: 12, other: 9, rank: 2 });
      const tag = (await shop.get(`/storefront/products/${ean}`)).headers.get('etag') ?? '';
      const body = { kind: 'rank_order', order: ['stock', 'total'] };
      const ask = async (path: string) => {
        const answer = await operator.send('POST', `/marketplace/policies${path}`, body);
        assert.equal(answer.status, 200, answer.text);
        return answer.body as { order: unknown; impact: unknown };
      };
      const impact = { offers: 2, products: 1, live: 0, merchants: 1, off_sale: 0, exact: true, examined: 2 };
      const { order, ...rest } = await ask('?preview=true');
      assert.deepEqual([order, rest.impact], [body.order, impact]);
      assert.equal((await product(shop, ean, 2)).offers[0]?.merchant_sku, 'order-a', 'a preview changes nothing');
      const { next } = await rankEvents(own);
      await ask('');
      assert.deepEqual(ranks(await product(shop, ean, 2)), [
        ['order-b', 1, 'The best offer'],
        ['order-a', 2, 'Less stock than the best offer, otherwise as good'],
      ]);
      const again = await shop.send('GET', `/storefront/products/${ean}`, undefined, { 'if-none-match': tag });
      assert.equal(again.status, 200, 'the order is part of the tag');
      await waitUntil('the events', PATIENCE_MS, async () => {
        const afterOf = new Map((await rankEvents(own, next)).events.map((event) => [event.merchant_sku, event.after]));
        return afterOf.get('order-b') === 1 && afterOf.get('order-a') === 2 ? true : undefined;
      });
    });
  });

  refuses('SHOP-13', 'an order without parts, with an unknown part, and with a part twice', async (api) => {
    const operator = await shopOf(api, 'test', SCOPE.operate);
    const refused = async (order: readonly string[]) => {
      const answer = await operator.send('POST', '/marketplace/policies', { kind: 'rank_order', order });
      return [answer.status, (answer.body as { details: unknown }).details];
    };
    const parts = RANK_PART_NAMES.join(', ');
    const detail = (code: string, field: string, message: string) => [400, [{ code, field, message: `${message}` }]];
    assert.deepEqual(await refused([]), detail('too_few', '/order', 'order: must have 1 to 5 entries'));
    assert.deepEqual(await refused(['speed']), detail('not_allowed', '/order/0', `order[0]: must be one of: ${parts}`));
    const twice = detail('not_allowed', '/order', 'order: must not name a part twice');
    assert.deepEqual(await refused(['total', 'total']), twice);
  });

  accepts('SHOP-14', 'the departments, and a category with those below it', async (api) => {
    const shop = await shopOf(api);
    const read = async (query = '') => (await shop.foundNow(`/storefront/taxonomy/tree${query}`)) as unknown as Tree;
    const home = (await read()).children.find(({ id }) => id === 1_010_000);
    assert.equal(home?.name, 'Home & Kitchen');
    const { node, children } = await read('?parent=1010500');
    assert.equal(node.parent, 1_010_000);
    assert.ok(children.some(({ id, is_leaf }) => id === 1_010_100 && is_leaf));
  });

  refuses('SHOP-14', 'an unknown category', async (api) => {
    const problem = requestProblem('taxonomy_node_not_found', 'The taxonomy has no node 9.');
    assertProblems(await (await shopOf(api)).get('/storefront/taxonomy/tree?parent=9'), [problem], 404);
  });

  accepts('DRY-08', 'the rank that a price would give, also before the offer is live', async (api) => {
    const shop = await shopOf(api);
    const ean = newEan();
    await sell(api, 'tried-a', ean, { price: 10 });
    await product(shop, ean, 1);
    const path = await sell(api, 'tried-b', ean, { price: 12 });
    await product(shop, ean, 2);
    const tried = async (client: ApiClient, price: number, of = `${path}/price`) => {
      const body = of.endsWith('/offer') ? { price: { price } } : { price };
      return ((await client.put(`${of}?dry_run=true`, body)).body as { position: object }).position;
    };
    const own = { product_code: `gtin:0${ean}`, is_shown: true };
    const best = { rank: 1, rank_of: 2, rank_reason: 'best', above_best: null, why: 'The best offer' };
    const dear = { rank: 2, rank_of: 2, rank_reason: 'total', above_best: null, why: 'Costs more than the best offer' };
    const newer = { ...dear, rank_reason: 'time', why: 'On sale for less time than the best offer, otherwise as good' };
    assert.deepEqual(await tried(api, 9.99), { ...own, ...best, best_total: null });
    assert.deepEqual(await tried(api, 10), { ...own, ...newer, best_total: null });
    assert.deepEqual(await tried(api, 10.01, `${path}/offer`), { ...own, ...dear, best_total: null });
    assert.equal((await position(api, path)).rank, 2, 'nothing is stored');
    const alone = newEan();
    const only = { rank: 1, rank_of: 1, rank_reason: 'only', above_best: null, why: 'The only offer' };
    const unpriced = await sell(api, 'tried-alone', alone, { price: null });
    await waitUntil('the review', PATIENCE_MS, async () => {
      const answer = await tried(api, 3, `${unpriced}/price`);
      return 'rank' in answer ? true : undefined;
    });
    assert.deepEqual(await tried(api, 3, `${unpriced}/price`), {
      ...{ product_code: `gtin:0${alone}`, is_shown: true },
      ...{ ...only, best_total: null },
    });
    await withOwnServer(api.variant, { STOREFRONT_BEST_PRICE: 'on' }, async (server) => {
      const ownShop = await shopOf(server);
      await sell(server, 'tried-a', ean, { price: 10 });
      await sell(server, 'tried-b', ean, { price: 12 });
      await product(ownShop, ean, 2);
      const why = '0.50 above the best offer';
      assert.deepEqual(await tried(server, 10.5), { ...own, ...dear, above_best: 0.5, why, best_total: 10 });
    });
  });

  refuses('DRY-08', 'a rank while not live, with other changes, and with the storefront off', async (api) => {
    const ean = newEan();
    const path = await sell(api, 'tried-none', ean, { quantity: 0 });
    const tried = async (client: ApiClient, of: string, body: object) => {
      const { position: shown } = (await client.put(`${of}?dry_run=true`, body)).body as { position?: object };
      return shown;
    };
    assert.deepEqual(await tried(api, `${path}/price`, { price: 1 }), {
      product_code: `gtin:0${ean}`,
      is_shown: false,
    });
    const fulfillment_nodes = [{ fulfillment_node_id: EAST, quantity: 2 }];
    const both = { price: { price: 1 }, inventory: { fulfillment_nodes } };
    assert.equal(await tried(api, `${path}/offer`, both), undefined);
    await withOwnServer(api.variant, { STOREFRONT: 'off' }, async (server) => {
      const unsold = await sell(server, 'tried-off', ean);
      assert.equal(await tried(server, `${unsold}/price`, { price: 1 }), undefined);
    });
  });

  refuses('SHOP-07', 'all calls while the storefront is off', async (api) => {
    await withOwnServer(api.variant, { STOREFRONT: 'off' }, async (own) => {
      const shop = await shopOf(own);
      for (const path of ['/products', `/products/${newEan()}`, '/events']) {
        assertProblems(await shop.get(`/storefront${path}`), [OFF], 404);
      }
      assertProblems(await own.get('/merchant-skus/none/position'), [OFF], 404);
    });
  });
});
