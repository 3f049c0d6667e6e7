/** Tests dry runs: their responses, that they store nothing, and that real calls then do what they said. */
import assert from 'node:assert/strict';
import { type ApiAnswer, type ApiClient, minimalSku, requestProblem, skuPath } from '../harness/api-client.ts';
import { describeApi, describeSharedApi } from '../harness/contract-cases.ts';
import { holdReviews, storedRows } from '../harness/held-reviews.ts';
import { randomBody } from '../harness/random-bodies.ts';
import { type Chance, seededChance } from '../harness/seeded-random.ts';
import { follow, newUpload } from './fixtures/bulk-files.ts';
import { EAST, RETURNS_EAST, WEST } from './fixtures/merchant-setup.ts';

type Json = Record<string, unknown>;

interface DryRun {
  readonly changes: readonly { readonly pointer: string; readonly before: unknown; readonly after: unknown }[];
  readonly ignored_fields: readonly string[];
  readonly status: string;
  readonly sub_status: readonly string[];
  readonly pending: readonly string[];
}

const DRY = '?dry_run=true';
const RED = [{ attribute_id: 119, attribute_value: 'red' }];
const VALUE_INVALID = requestProblem('query_invalid', 'dry_run: must be true or false.');
const REPEATED = requestProblem('query_invalid', 'dry_run: must be sent only once.');
const MISSPELLED = requestProblem(
  'query_invalid',
  'dry_run: the name is misspelled in the query. Send dry_run=true for a dry run, or remove the misspelled parameter.',
);
const NOT_SUPPORTED = requestProblem('query_invalid', 'dry_run: not supported by this call. Nothing was changed.');

async function tried(api: ApiClient, method: string, path: string, body?: unknown): Promise<DryRun> {
  const answer = await api.send(method, `${path}${DRY}`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as DryRun;
}

const stock = (east: number, west?: number) => ({
  fulfillment_nodes: [
    { fulfillment_node_id: EAST, quantity: east },
    ...(west === undefined ? [] : [{ fulfillment_node_id: WEST, quantity: west }]),
  ],
});
const group = (...children: readonly string[]) => ({
  relationship: 'Variation',
  variation_refinements: [119],
  children_skus: children,
});
const shipping = (level: string, type = 'exclusive') => {
  const exception = { service_level: level, shipping_exception_type: type };
  return { fulfillment_nodes: [{ fulfillment_node_id: EAST, shipping_exceptions: [exception] }] };
};

describeSharedApi('dry run', ({ accepts, refuses }) => {
  accepts('DRY-01', 'a call with `dry_run=false` as without it', async (api) => {
    const path = skuPath(api.newSkuId());
    await api.accepted('PUT', `${path}?dry_run=false`, minimalSku());
    assert.equal((await api.get(path)).status, 200);
  });

  refuses('DRY-01', 'another value of `dry_run`, and stores nothing', async (api) => {
    const path = skuPath(api.newSkuId());
    for (const query of ['dry_run', 'dry_run=', 'dry_run=yes', 'dry_run=TRUE', 'dry_run=1', 'dry%5Frun=+true'])
      await api.refused('PUT', `${path}?${query}`, minimalSku(), [VALUE_INVALID]);
    for (const query of ['dry_run=true&dry_run=false', 'dry_run=false&a=1&dry%5frun=false', 'dry_run=false&dry_run=0'])
      await api.refused('PUT', `/api${path}?${query}`, minimalSku(), [REPEATED]);
    const text = 'dry_run: must be percent-encoded UTF-8.';
    await api.refused('PUT', `${path}?dry_run=%ff`, minimalSku(), [requestProblem('query_invalid', text)]);
    assert.equal((await api.get(path)).status, 404);
  });

  accepts('DRY-06', 'an encoded name, and similar names of other parameters', async (api) => {
    const path = skuPath(api.newSkuId());
    for (const query of ['dry%5Frun=true', '%64ry_run=%74rue', 'a=b&dry_run=true&dry_runs=1']) {
      assert.equal((await api.put(`/api${path}?${query}`, minimalSku())).status, 200, query);
    }
    assert.equal((await api.get(path)).status, 404);
    assert.equal((await api.get(`/merchant-skus?dryRun=true&dry_run=yes`)).status, 200, 'a read stores nothing');
    await api.accepted('PUT', `${path}?dry_runs=true&dry=run`, minimalSku());
  });
  refuses('DRY-06', 'other spellings, whatever their value, and stores nothing', async (api) => {
    const path = skuPath(api.newSkuId());
    const names = ['dryRun', 'dry-run', 'DRY_RUN', 'Dry_run', 'dryrun', 'dry+run', 'dry%2Drun', 'dry_run%5B%5D'];
    for (const name of [...names, 'dry%255Frun', 'dry%ffrun', ' dry_run'.replace(' ', '%20')]) {
      for (const value of ['=true', '', '=', '=false', '=%ff']) {
        await api.refused('PUT', `${path}?${name}${value}`, minimalSku(), [MISSPELLED]);
      }
    }
    await api.refused('PUT', `/api${path}?dry_run=false&dryRun=true`, minimalSku(), [MISSPELLED]);
    assert.equal((await api.get(path)).status, 404);
  });

  accepts('DRY-07', '`dry_run=false` on a call without a dry run', async (api) => {
    const path = await api.uploadedSku();
    assert.equal((await api.send('POST', `${path}/review?dry_run=false`)).status, 202);
  });
  refuses('DRY-07', 'dry runs of calls that have none, and changes nothing', async (api) => {
    const live = await api.inEnvironment('live');
    const path = await live.uploadedSku();
    const { url, fileId } = await newUpload(live);
    await follow(live, url, { method: 'PUT', body: '{}' });
    const stored = async () => [await live.found('/webhooks'), (await live.get(`/files/${fileId}`)).status];
    const before = await stored();
    for (const [method, target, body] of [
      ['POST', '/files/uploaded', { url, file_type: 'Price', file_name: 'prices.json' }],
      ['POST', `/files/${fileId}/cancel`, undefined],
      ['POST', '/webhooks', { url: 'https://hooks.example/' }],
      ['POST', '/reports/ProductStatus', undefined],
      ['POST', `${path}/review`, undefined],
    ] as const) {
      for (const value of ['true', 'yes', '']) {
        await live.refused(method, `${target}?dry_run=${value}`, body, [NOT_SUPPORTED]);
      }
      await live.refused(method, `${target}?dryRun=true`, body, [MISSPELLED]);
    }
    assert.deepEqual(await stored(), before);
  });

  accepts('DRY-02', 'changes as pointers with the value before and after', async (api) => {
    const path = skuPath(api.newSkuId());
    const stored = { ...minimalSku(), prop_65: false };
    const { changes, status, sub_status, ...rest } = await tried(api, 'PUT', path, { ...minimalSku(), bulets: ['a'] });
    assert.deepEqual(changes, [{ pointer: '/sku', before: null, after: stored }]);
    assert.deepEqual([status, sub_status], ['Under Jet Review', ['Missing price']]);
    assert.deepEqual(rest, { ignored_fields: ['/bulets'], pending: ['catalog'] });

    await api.accepted('PUT', path, minimalSku());
    await api.found(path);
    const again = { ...minimalSku(), product_title: 'Another title', bullets: ['a', 'b'] };
    assert.deepEqual((await tried(api, 'PUT', path, again)).changes, [
      { pointer: '/sku/product_title', before: minimalSku().product_title, after: 'Another title' },
      { pointer: '/sku/bullets', before: null, after: ['a', 'b'] },
    ]);
    const priced = await tried(api, 'PUT', `${path}/price`, { price: 5 });
    assert.deepEqual(priced, {
      changes: [{ pointer: '/price', before: null, after: { price: 5, fulfillment_nodes: [] } }],
      ignored_fields: [],
      status: 'Available For Purchase',
      sub_status: [],
      pending: [],
    });
    await api.accepted('PATCH', `${path}/inventory`, stock(3, 0));
    assert.deepEqual((await tried(api, 'PATCH', `${path}/inventory`, stock(4, 0))).changes, [
      { pointer: `/inventory/${EAST}`, before: 3, after: 4 },
    ]);
    const archived = await tried(api, 'PUT', `${path}/status/archive`, { is_archived: true });
    assert.deepEqual(archived.changes, [
      { pointer: '/archive/is_archived', before: false, after: true },
      { pointer: `/inventory/${EAST}`, before: 3, after: 0 },
    ]);
    assert.deepEqual(
      [archived.status, archived.sub_status],
      ['Archived', ['Missing shipping weight', 'Missing price']],
    );
    const shipped = await tried(api, 'PUT', `${path}/shippingexception`, shipping('Standard'));
    assert.deepEqual(shipped.changes, [{ pointer: '/shipping_exception', before: null, after: shipping('Standard') }]);
    assert.deepEqual((await tried(api, 'PUT', `${path}/shippingexception`, {})).changes, []);
    assert.deepEqual((await tried(api, 'PUT', path, minimalSku())).changes, []);
  });

  accepts('DRY-02', 'ids beyond 2^53 exactly, and names of fields in the response', async (api) => {
    const path = skuPath(api.newSkuId());
    const attribute = '{"attribute_id":9223372036854775807,"attribute_value":"red"}';
    const body = JSON.stringify(minimalSku()).replace(/\}$/, `,"attributes_node_specific":[${attribute}]}`);
    const answer = await api.put(`${path}${DRY}`, body);
    assert.ok(answer.text.includes(`"attributes_node_specific":[${attribute}]`), answer.text);
    assert.ok(answer.text.includes('"marketplace_browse_node_id":1010100'), answer.text);
  });

  refuses('DRY-02', 'what the call would refuse, with the same status, errors and ignored fields', async (api) => {
    const path = await api.uploadedSku();
    const gone = await api.uploadedSku();
    await api.accepted('PUT', `${gone}/status/archive`, { is_archived: true });
    const rows: readonly (readonly [string, string, unknown])[] = [
      ['PUT', path, { product_title: 'x', unknown: 1 }],
      ['PUT', `${path}/v2`, minimalSku()],
      ['PUT', `${path}/price`, '{"price":'],
      ['PUT', `${path}/price`, { price: 0, was: 1 }],
      ['PUT', `${gone}/price`, { price: 1 }],
      ['PUT', `${skuPath('nobody')}/price`, { price: 1 }],
      ['PATCH', `${gone}/inventory`, { fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', quantity: 1 }] }],
      ['PATCH', `${path}/inventory`, { fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', quantity: 1 }] }],
      ['PUT', `${path}/variation`, group('nobody')],
      ['PUT', `${path}/shippingexception`, shipping('Next Day', 'restricted')],
      ['PUT', `${path}/returnsexception`, { return_location_ids: ['nowhere'] }],
      ['PUT', `${skuPath('nobody')}/status/archive`, { is_archived: true }],
      ['PUT', '/merchant-skus/%00', minimalSku()],
    ];
    for (const [method, target, body] of rows) {
      const dry = await api.send(method, `${target}${DRY}`, body);
      const real = await api.send(method, target, body);
      assert.ok(real.status >= 400, `${method} ${target}: ${real.text}`);
      assert.deepEqual(verdictOf(dry), verdictOf(real), `${method} ${target}`);
    }
  });
});

function verdictOf({ status, text, headers }: ApiAnswer) {
  return { status, text, ignored: headers.get('x-ignored-fields'), etag: headers.get('etag') };
}

const LIMIT = 4;
describeSharedApi('dry run with a precondition', ({ accepts, refuses }) => {
  accepts('DRY-05', 'the `ETag` of the part, and all parts of an offer', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    const etag = (await api.get(`${path}/price`)).headers.get('etag') ?? '';
    const answer = await api.send('PUT', `${path}/price${DRY}`, { price: 6 }, { 'if-match': etag });
    assert.equal(answer.status, 200, answer.text);
    const offer = skuPath(api.newSkuId());
    const { changes, sub_status } = await tried(api, 'PUT', `${offer}/offer`, {
      sku: minimalSku(),
      price: { price: 6 },
      inventory: stock(2),
    });
    assert.deepEqual(
      changes.map(({ pointer, before }) => [pointer, before]),
      [
        ['/sku', null],
        ['/price', null],
        [`/inventory/${EAST}`, null],
      ],
    );
    assert.deepEqual(sub_status, []);
    assert.equal((await api.get(offer)).status, 404);
  });

  refuses('DRY-05', 'another `ETag` with 412 and the current one, as the call does', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    const etag = (await api.get(`${path}/price`)).headers.get('etag');
    for (const headers of [{ 'if-match': '"other"' }, { 'if-none-match': '*' }]) {
      const dry = await api.send('PUT', `${path}/price${DRY}`, { price: 6 }, headers);
      assert.deepEqual([dry.status, dry.headers.get('etag')], [412, etag]);
      const real = await api.send('PUT', `${path}/price`, { price: 6 }, headers);
      assert.deepEqual(verdictOf(dry), verdictOf(real));
    }
    const whole = (query: string) =>
      api.send('PUT', `${path}/offer${query}`, { price: { price: 6 } }, { 'if-match': String(etag) });
    const dry = await whole(DRY);
    assert.equal(dry.status, 412, 'the tag of a part is not the tag of the whole offer');
    assert.deepEqual(verdictOf(dry), verdictOf(await whole('')));
  });
});

describeApi(
  'rate of dry runs',
  ({ accepts, refuses }) => {
    accepts('DRY-04', 'dry runs apart from requests', async (api) => {
      const path = await api.uploadedSku();
      const before = (await api.get(path)).headers.get('ratelimit-remaining');
      const dry = await api.put(`${path}/price${DRY}`, { price: 1 });
      assert.deepEqual(
        ['limit', 'remaining'].map((name) => dry.headers.get(`ratelimit-${name}`)),
        [String(LIMIT), String(LIMIT - 1)],
      );
      assert.equal(dry.headers.get('ratelimit-policy'), `"dry-runs";q=${LIMIT};w=60`);
      assert.equal(dry.headers.get('ratelimit'), `"dry-runs";r=${LIMIT - 1};t=60`);
      assert.equal((await api.get(path)).headers.get('ratelimit-remaining'), String(Number(before) - 1));
    });

    refuses('DRY-04', 'a dry run beyond the limit, but not the call itself', async (api) => {
      api.server.passTime(60_000);
      const path = await api.uploadedSku();
      for (let n = 0; n < LIMIT; n++) await tried(api, 'PUT', `${path}/price`, { price: 1 });
      const refused = await api.put(`${path}/price${DRY}`, { price: 1 });
      assert.deepEqual([refused.status, refused.headers.get('ratelimit-remaining')], [429, '0']);
      await api.accepted('PUT', `${path}/price`, { price: 1 });
      api.server.passTime(60_000);
      await tried(api, 'PUT', `${path}/price`, { price: 1 });
    });
  },
  { DRY_RUNS_PER_MINUTE: String(LIMIT) },
);

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
