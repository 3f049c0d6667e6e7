/** Tests that dry runs store nothing, and that real calls then do what the dry runs said, with random calls. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { holdReviews, numberedEvents, storedRows } from '../harness/held-reviews.ts';
import { randomBody } from '../harness/random-bodies.ts';
import { type Chance, seededChance } from '../harness/seeded-random.ts';
import { DRY, type DryRun, group, type Json, RED, shipping, stock, verdictOf } from './fixtures/dry-runs.ts';
import { EAST, RETURNS_EAST } from './fixtures/merchant-setup.ts';

interface RandomCall {
  readonly method: string;
  readonly end: string;
  readonly body: (chance: Chance) => unknown;
}

const TITLES = ['Pot of cast iron', 'Enamelled pot', 'Stoneware mug'];
const uploads = (chance: Chance): Json => ({
  ...minimalSku(),
  product_title: chance.pick(TITLES),
  brand: chance.pick(['Potter & Sons', 'Potter & Daughters']),
  marketplace_browse_node_id: chance.pick([1_010_100, 1_011_010, 1_011_000, undefined]),
  ...chance.pick([{}, { bullets: ['a'] }, { attributes_node_specific: RED }, { shipping_weight_pounds: 2 }]),
});
const SKUS = ['known', 'priced', 'stocked', 'parent', 'child', 'archived', 'unknown'];
const CALLS: readonly RandomCall[] = [
  { method: 'PUT', end: '', body: uploads },
  { method: 'PUT', end: '/v2', body: (chance) => ({ ...uploads(chance), product_type_id: 37_005_005_000 }) },
  {
    method: 'PUT',
    end: '/price',
    body: (chance) => ({ price: chance.pick([5, 5.5, 0]), ...chance.pick(NODE_PRICES) }),
  },
  { method: 'PATCH', end: '/inventory', body: (chance) => chance.pick([stock(3), stock(0, 4), stock(3, -1)]) },
  { method: 'PUT', end: '/variation', body: (chance) => group(chance.pick(SKUS), chance.pick(SKUS)) },
  {
    method: 'PUT',
    end: '/shippingexception',
    body: (chance) => chance.pick([{}, ...LEVELS.map((level) => shipping(level)), shipping('Next Day', 'restricted')]),
  },
  {
    method: 'PUT',
    end: '/returnsexception',
    body: (chance) => ({ return_location_ids: chance.pick([[], [RETURNS_EAST], ['nowhere']]) }),
  },
  {
    method: 'PUT',
    end: '/offer',
    body: (chance) => ({
      ...chance.pick([{}, { sku: uploads(chance) }]),
      ...chance.pick([{}, { price: { price: 7 } }, { price: { price: 0 } }]),
      ...chance.pick([{}, { inventory: stock(7) }, { inventory: stock(0, 8) }]),
      ...chance.pick([{}, { returns_exception: { return_location_ids: [RETURNS_EAST] }, shipping_exception: {} }]),
    }),
  },
  { method: 'PUT', end: '/status/archive', body: (chance) => ({ is_archived: chance.fraction() < 0.5 }) },
];
const LEVELS = ['Standard', 'Expedited'];
const NODE_PRICES = [{}, { fulfillment_nodes: [{ fulfillment_node_id: EAST, fulfillment_node_price: 4 }] }];
const RANDOM_CALLS = 140;
/** The demo's first account. */
const TEST_ACCOUNT = 1;

describeApi('dry run and real call', ({ accepts, refuses }) => {
  /** Reviews SKUs in different states and then stops reviews, so that a status changes only with a write. */
  async function prepare(api: ApiClient): Promise<void> {
    for (const sku of SKUS.slice(0, -1)) await api.uploadedSku({ attributes_node_specific: RED }, sku);
    await api.accepted('PUT', `${skuPath('priced')}/price`, { price: 5 });
    await api.accepted('PATCH', `${skuPath('stocked')}/inventory`, stock(3));
    await api.accepted('PUT', `${skuPath('parent')}/variation`, group('child'));
    await api.accepted('PUT', `${skuPath('archived')}/status/archive`, { is_archived: true });
    for (const sku of SKUS.slice(0, -1)) await api.found(skuPath(sku));
    await holdReviews(api.server.place, TEST_ACCOUNT);
    await numberedEvents(api.server.place);
  }

  accepts('DRY-03', 'dry runs without storing anything', async (api) => {
    await prepare(api);
    const chance = seededChance(18);
    const before = await storedRows(api.server.place);
    assert.ok(Object.keys(before).length > 10 && before.work_lease?.length === 1);
    for (const { method, end, body } of CALLS) {
      for (const sku of SKUS) await api.send(method, `${skuPath(sku)}${end}${DRY}`, body(chance));
    }
    const { changes } = await api.foundNow(`${skuPath('stocked')}/history`);
    const [{ id = 0 } = {}] = changes as readonly { readonly id: number }[];
    await api.send('POST', `${skuPath('stocked')}/history/${id}/restore${DRY}`);
    assert.deepEqual(await storedRows(api.server.place), before);
    await api.accepted('PUT', `${skuPath('known')}/price`, { price: 1 });
    assert.notDeepEqual(await storedRows(api.server.place), before, 'the comparison sees a write');
  });

  // This case uses the SKUs of the previous one.
  refuses('DRY-03', 'or accepts each random call as its dry run said', async (api) => {
    const chance = seededChance(2026);
    let accepted = 0;
    let refused = 0;
    for (let n = 0; n < RANDOM_CALLS; n++) {
      const sku = chance.pick([...SKUS, `new-${n}`]);
      const { method, end, body } = chance.pick(CALLS);
      const sent = chance.fraction() < 0.6 ? JSON.stringify(body(chance)) : randomBody(chance, end);
      const isRestore = chance.fraction() < 0.1;
      const call = isRestore
        ? (['POST', `${skuPath(sku)}/history/${await someChange(api, sku, chance)}/restore`] as const)
        : ([method, `${skuPath(sku)}${end}`, sent] as const);
      const what = `${n}: ${call.join(' ')}`;
      const before = await modelOf(api, sku);
      const [verb, path, payload] = call;
      const headers = chance.fraction() < 0.3 ? await somePrecondition(api, sku, end, chance) : {};
      const dry = await api.send(verb, `${path}${DRY}`, payload, headers);
      assert.deepEqual(await modelOf(api, sku), before, `${what} stored something`);
      const real = await api.send(verb, path, payload, headers);
      const after = await modelOf(api, sku);
      if (real.status === 202) {
        accepted++;
        assert.equal(dry.status, 200, `${what}: ${dry.text}`);
        const { changes, status, sub_status, ignored_fields } = dry.body as DryRun;
        assert.deepEqual(after.parts, patched(before.parts, changes), what);
        assert.deepEqual([after.status, after.sub_status], [status, sub_status], what);
        const header = real.headers.get('x-ignored-fields');
        assert.equal(dry.headers.get('x-ignored-fields'), header, what);
        assert.equal(ignored_fields.length > 0, header !== null, what);
      } else {
        refused++;
        assert.deepEqual(verdictOf(dry), verdictOf(real), what);
        assert.deepEqual(after, before, what);
      }
    }
    assert.ok(accepted > RANDOM_CALLS / 5 && refused > RANDOM_CALLS / 5, `${accepted} accepted, ${refused} refused`);
  });
});

/** Returns the tag of the part, if it has one, or another condition. Calls that take no condition refuse or ignore it. */
async function somePrecondition(
  api: ApiClient,
  sku: string,
  end: string,
  chance: Chance,
): Promise<Record<string, string>> {
  const part = ['/v2', '/offer', '/status/archive'].includes(end) ? '' : end;
  const etag = (await api.get(`${skuPath(sku)}${part}`)).headers.get('etag') ?? '"none"';
  const tag = chance.pick([etag, etag, '"other"', '*', `"other", ${etag}`, 'unquoted']);
  return chance.pick([{ 'if-match': tag }, { 'if-match': tag }, { 'if-none-match': '*' }]);
}

async function someChange(api: ApiClient, sku: string, chance: Chance): Promise<number> {
  const { body, status } = await api.get(`${skuPath(sku)}/history`);
  const { changes } = status === 200 ? (body as { changes: { id: number }[] }) : { changes: [] };
  return chance.pick([...changes, { id: 1 }]).id;
}

interface Model {
  readonly parts: Json;
  readonly status: unknown;
  readonly sub_status: unknown;
  /** Reads everything else that a write changes: times and history. */
  readonly rest: readonly unknown[];
}

/** Returns what the reads show, by the name of the part in a pointer. */
async function modelOf(api: ApiClient, sku: string): Promise<Model> {
  const path = skuPath(sku);
  const [whole, price, inventory, history] = await Promise.all(
    ['', '/price', '/inventory', '/history?limit=3'].map(async (end) => api.get(`${path}${end}`)),
  );
  const {
    merchant_sku,
    is_archived,
    status,
    sub_status,
    fulfillment_nodes: exceptions,
    ...fields
  } = (whole?.body ?? {}) as Json;
  const { return_location_ids, time_to_return, return_shipping_methods, ...more } = fields;
  const { relationship, variation_refinements, children_skus, group_title, ...document } = more;
  const { price_last_update, ...prices } = (price?.body ?? {}) as Json;
  const { fulfillment_nodes: nodes = [] } = (inventory?.body ?? {}) as { fulfillment_nodes?: readonly Json[] };
  const isThere = whole?.status === 200;
  const variation = { relationship, variation_refinements, children_skus, group_title };
  return {
    parts: {
      ...(isThere ? { sku: document, archive: { is_archived } } : {}),
      ...(price?.status === 200 ? { price: prices } : {}),
      inventory: Object.fromEntries(nodes.map((node) => [String(node.fulfillment_node_id), node.quantity])),
      ...(relationship === undefined ? {} : { variation: JSON.parse(JSON.stringify(variation)) }),
      ...(exceptions === undefined ? {} : { shipping_exception: { fulfillment_nodes: exceptions } }),
      ...(return_location_ids === undefined ? {} : { returns_exception: { return_location_ids } }),
    },
    status,
    sub_status,
    rest: [inventory?.body, price_last_update, history?.body],
  };
}

/** A new SKU is not archived, but its upload does not list that as a change. */
function patched(parts: Json, changes: DryRun['changes']): Json {
  const result = structuredClone(parts);
  for (const { pointer, before, after } of changes) {
    const [, ...path] = pointer.split('/');
    const last = path.pop() ?? '';
    const owner = path.reduce<Json>((object, name) => object[name] as Json, result);
    assert.deepEqual(owner[last] ?? null, before, `before of ${pointer}`);
    if (after === null) delete owner[last];
    else owner[last] = after;
  }
  return result.sku === undefined ? result : { archive: { is_archived: false }, ...result };
}
