/** Tests that the client has a method for every call of the API, against a real server, and what reads and writes return. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileIdOf, Offerbook, OfferbookError, type SkuBody } from '../../client/src/index.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { describedCalls, readOpenApi } from '../harness/openapi-document.ts';
import { type ScriptedAnswer, scriptedServer, TOKEN } from '../harness/scripted-server.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
const EAST = 'demo-node-east';
const COLOR = 119;
const BOOTS = 37_005_005_000;
const MINIMAL = minimalSku() as SkuBody;
/** Calls without a method, with the reason. */
const NO_METHOD: Readonly<Record<string, string>> = {
  getHealth: 'operators call it',
  getReadiness: 'operators call it',
  getOpenApi: 'tools read it',
  listSetupFulfillmentNodes: 'deprecated; nodes() returns the same',
  getPosition: 'only of a marketplace with a storefront; call() reads it',
  listNodesByMerchantId: 'only in the profile COMPATIBILITY=jet; nodes() returns more',
};

const refused = (code: string) => (error: unknown) => error instanceof OfferbookError && error.has(code);

function colored(attribute_value: string) {
  return { ...MINIMAL, attributes_node_specific: [{ attribute_id: COLOR, attribute_value }] };
}

describe('the client', () => {
  let server: TestServer;
  let api: Offerbook;
  const seen: { readonly method: string; readonly path: string }[] = [];

  before(async () => {
    server = await startTestServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    const recorded: typeof fetch = (address, init) => {
      seen.push({ method: init?.method ?? 'GET', path: new URL(String(address)).pathname });
      return fetch(address, init);
    };
    api = new Offerbook({ url: server.url, user, pass, fetch: recorded });
  });
  after(() => server.close());

  it('has a method for every call of the API', async () => {
    await api.checkKeys();
    await api.putSku('call-1', colored('red'));
    const { marketplace_browse_node_id: _category, ...shoe } = MINIMAL;
    await api.putSkuV2('call-shoe', { ...shoe, product_type_id: BOOTS });
    await api.putOffer('call-2', { sku: colored('blue'), price: { price: 1 } });
    await api.putPrice('call-1', { price: 1 });
    await api.patchInventory('call-1', { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 1 }] });
    await api.putVariation('call-1', group(['call-2']));
    await api.putShippingException('call-1', {});
    await api.putReturnsException('call-1', {});
    await api.archive('call-2');
    for (const read of ['getSku', 'getOffer', 'getPrice', 'getInventory', 'getVariation', 'getReview'] as const)
      assert.notEqual(await api[read]('call-1'), undefined, read);
    for (const read of ['getShippingException', 'getReturnsException'] as const)
      assert.equal(await api[read]('call-1'), undefined, read);
    await api.requestReview('call-1');
    await assert.rejects(api.applyFixes('call-1', ['x']), refused('fix_unknown'));
    assert.deepEqual((await Array.fromAsync(api.skus())).toSorted(), ['call-1', 'call-2', 'call-shoe']);
    const changes = await Array.fromAsync(api.history('call-1', 1));
    assert.deepEqual(
      changes.map(({ part }) => part),
      ['variation', 'inventory', 'price', 'sku'],
    );
    await assert.rejects(api.restore('call-1', changes[0]?.id ?? 0), refused('version_empty'));

    const file = await api.files.upload({ type: 'Price', name: 'calls.json', content: '{"call-1": {"price": 0}}' });
    const records = await Array.fromAsync(api.files.follow(fileIdOf(file)));
    const { error_url = '', retry_url = '' } = records.at(-1) ?? {};
    for (const url of [error_url, retry_url]) await (await api.files.open(url)).cancel();
    assert.deepEqual(await api.files.undo(fileIdOf(file)), { offers: 0, skipped: 0, skipped_skus: [] });
    await api.files.cancel(fileIdOf(file));
    assert.equal((await Array.fromAsync(api.files.list(1, 'CALLS'))).length, 1);
    for (const type of ['ProductStatus', 'Fingerprints', 'Offers']) await (await api.report(type)).cancel();
    const [event] = await Array.fromAsync(api.events({ once: true, include: ['changes'] }));
    const [change] = event?.type === 'offer.updated' ? (event.changes ?? []) : [];
    assert.deepEqual([change?.pointer, change?.before], ['/sku', null]);

    const url = 'http://127.0.0.1:9/hook';
    const { webhook_id: id, secret } = await api.webhooks.add({ url, types: ['file.finished'] });
    assert.deepEqual(await api.webhooks.list(), [await api.webhooks.get(id)]);
    assert.equal(await api.webhooks.get('none'), undefined);
    const changed = await api.webhooks.change(id, { enabled: false, batches: true, include: ['changes'] });
    assert.deepEqual([changed.enabled, changed.batches, changed.include], [false, true, ['changes']]);
    assert.notEqual((await api.webhooks.rollSecret(id, 0)).secret, secret);
    assert.equal((await api.webhooks.test(id)).type, 'webhook.test');
    const { type, events } = await api.webhooks.replay(id, event?.id ?? '');
    assert.deepEqual([type, events], ['event.batch', 1]);
    assert.equal((await api.webhooks.deliveries(id)).length, 2);
    await api.webhooks.remove(id);

    await api.putSku('planned', MINIMAL);
    const body = { offers: [{ merchant_sku: 'planned', offer: { price: { price: 7 } } }] };
    const planId = String((await api.plans.make(body)).id);
    assert.equal((await api.plans.get(planId))?.state, 'planned');
    assert.deepEqual(
      (await api.plans.list()).map((plan) => plan.id),
      [planId],
    );
    assert.equal(await api.plans.get('none'), undefined);
    await assert.rejects(api.plans.undo(planId), refused('plan_not_applied'));
    assert.equal((await api.plans.apply(planId)).id, planId);
    for await (const _ of api.files.follow(planId));
    assert.equal((await api.getPrice('planned'))?.value.price, 7);

    assert.deepEqual([await api.upcoming(), await api.requirementChanges()], [[], []]);
    await assert.rejects(Array.fromAsync(api.upcomingFailures(1)), refused('change_unknown'));

    const nodes = await api.nodes();
    assert.deepEqual(await api.node(EAST), nodes[0]);
    assert.equal(await api.node('none'), undefined);
    assert.ok((await api.returnLocations()).return_locations.length > 0);
    const ids = await Array.fromAsync(api.taxonomy.nodes());
    assert.equal(new Set(ids).size, ids.length);
    const [node = {}] = await api.taxonomy.search('kitchen');
    assert.ok(Object.values(node).some((value) => ids.includes(String(value))));
    assert.notEqual(await api.taxonomy.node(ids[0] ?? ''), undefined);
    assert.ok(await api.taxonomy.attributes(ids[0] ?? ''));
    assert.equal((await api.taxonomy.schema(ids[0] ?? ''))?.type, 'object');
    assert.equal(await api.taxonomy.node(1), undefined);
    assert.equal(await api.taxonomy.schema(1), undefined);
    assert.equal(await api.taxonomy.attributes(1), undefined);

    const described = describedCalls(await readOpenApi(server.url));
    // A fixed path takes precedence over one with values.
    const patterns = described
      .map(({ path }) => path)
      .toSorted((one, other) => one.split('{').length - other.split('{').length);
    const called = new Set(
      seen.map(({ method, path }) => {
        const pattern = patterns.find((each) => new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
        return `${method} ${pattern ?? assert.fail(path)}`;
      }),
    );
    const missing = described.filter(({ method, path }) => !called.has(`${method} ${path}`));
    assert.deepEqual(
      missing.map(({ operation }) => operation.operationId).filter((id) => !(id in NO_METHOD)),
      [],
    );
  });

  it('returns undefined for a part that was never sent or was cleared', async () => {
    await api.putSku('bare', MINIMAL);
    for (const read of ['getPrice', 'getVariation', 'getShippingException', 'getReturnsException'] as const)
      assert.equal(await api[read]('bare'), undefined, read);
    const return_location_ids = (await api.returnLocations()).return_locations.map((place) => place.return_location_id);
    await api.putReturnsException('bare', { return_location_ids });
    assert.deepEqual((await api.getReturnsException('bare'))?.value.return_location_ids, return_location_ids);
    await api.putReturnsException('bare', {});
    assert.equal(await api.getReturnsException('bare'), undefined);
  });

  it('lists the SKUs that match a filter', async () => {
    for (const [sku, title] of Object.entries({
      'filtered-1': 'Zebra mug',
      'filtered-2': 'Zebra bowl',
      plain: 'Plain mug',
    }))
      await api.putSku(sku, { ...MINIMAL, product_title: title });
    const filter = { q: 'zebra', sub_status: 'Missing price' };
    const found = await waitUntil('the filtered list', 60_000, async () => {
      const skus = await Array.fromAsync(api.skus(filter));
      return skus.length === 2 ? skus : undefined;
    });
    assert.deepEqual(found, ['filtered-1', 'filtered-2']);
    assert.deepEqual(await Array.fromAsync(api.skus({ upcoming: 'yes' })), []);
    for (const wrong of [{ status: 'Sold' }, { upcoming: 1 }])
      await assert.rejects(Array.fromAsync(api.skus(wrong)), refused('query_invalid'));
  });

  it('lists the SKUs that will fail under an announced change, page by page', async (t) => {
    const page = (ids: readonly string[], next: string | null): ScriptedAnswer => {
      return [200, { offers: ids.map((merchant_sku) => ({ merchant_sku, url: '' })), next }];
    };
    const { url, seen } = await scriptedServer(t, [TOKEN, page(['a', 'b/1'], 'b/1'), page(['c'], null)]);
    const skus = await Array.fromAsync(new Offerbook({ url, user, pass }).upcomingFailures(7));
    assert.deepEqual(skus, ['a', 'b/1', 'c']);
    assert.deepEqual(
      seen.slice(1).map(({ call }) => call),
      ['', '&after=b%2F1'].map((after) => `GET /requirements/upcoming/7/offers?limit=1000${after}`),
    );
  });

  it('sends a variation group back as it was read', async () => {
    for (const [sku, color] of Object.entries({ parent: 'red', 'child/1': 'blue', 'child-2': 'green' }))
      await api.putSku(sku, colored(color));
    await api.putVariation('parent', group(['child/1', 'child-2']));
    const read = (await api.getVariation('parent')) ?? assert.fail();
    assert.deepEqual(read.value.children_skus, ['child/1', 'child-2']);
    assert.deepEqual((await api.getSku('parent'))?.value.children_skus, ['child/1', 'child-2']);
    await api.putVariation('parent', read.value, { ifMatch: read.tag });
    assert.deepEqual(await api.getVariation('parent'), read);
  });

  it('stores nothing in a dry run, and returns what would change', async () => {
    await api.putOffer('dry', { sku: MINIMAL, price: { price: 1 } });
    const { changes } = await api.putPrice('dry', { price: 2 }, { dryRun: true });
    assert.deepEqual(changes, [{ pointer: '/price/price', before: 1, after: 2 }]);
    assert.equal((await api.archive('dry', true, { dryRun: true })).changes.length, 1);
    assert.equal((await api.getPrice('dry'))?.value.price, 1);
    await api.putPrice('dry', { price: 3 });
    const [change] = await Array.fromAsync(api.history('dry', 1));
    assert.equal(change?.part, 'price');
    const undone = await api.restore('dry', change.id, { dryRun: true });
    assert.deepEqual(undone.changes, [{ pointer: '/price/price', before: 3, after: 1 }]);
    await api.restore('dry', change.id);
    assert.equal((await api.getPrice('dry'))?.value.price, 1);
  });

  it('chains conditional writes without a read', async () => {
    const offer = await api.putOffer('chain', { sku: MINIMAL, price: { price: 1 } }, { ifNoneMatch: '*' });
    await api.putOffer('chain', { price: { price: 2 } }, { ifMatch: offer.tag });
    await assert.rejects(api.putOffer('chain', { price: { price: 3 } }, { ifMatch: offer.tag }), { status: 412 });
    const { tag } = await api.putPrice('chain', { price: 4 });
    assert.equal(tag, (await api.getPrice('chain'))?.tag);
    await api.putPrice('chain', { price: 5 }, { ifMatch: tag });
    await assert.rejects(api.putPrice('chain', { price: 6 }, { ifMatch: tag }), { status: 412 });
  });

  it('changes an offer as it was read', async () => {
    const { tag } = await api.putOffer('whole', { sku: MINIMAL, price: { price: 1 } });
    const offer = (await api.getOffer('whole')) ?? assert.fail();
    assert.equal(offer.tag, tag);
    const changed = { ...offer.value, price: { ...offer.value.price, price: 2 } };
    const written = await api.putOffer('whole', changed, { ifMatch: offer.tag });
    const { tag: current, value } = (await api.getOffer('whole')) ?? assert.fail();
    assert.deepEqual(
      [current, value.sku, value.price],
      [written.tag, changed.sku, { price: 2, fulfillment_nodes: [] }],
    );
    await assert.rejects(api.putOffer('whole', changed, { ifMatch: offer.tag }), { status: 412 });
    assert.equal(await api.getOffer('none'), undefined);
  });

  it('returns the new tag and the ignored fields of a write', async (t) => {
    const stored: ScriptedAnswer = (request, response) => {
      request.resume();
      response.writeHead(202, { etag: '"new"', 'x-ignored-fields': '%2Fcolour' }).end();
    };
    const { url, seen: sent } = await scriptedServer(t, [TOKEN, stored, [202, '']]);
    const scripted = new Offerbook({ url, user, pass });
    const { tag, ignoredFields } = await scripted.putPrice('a', { price: 1 });
    assert.deepEqual([tag, ignoredFields], ['"new"', ['/colour']]);
    assert.deepEqual(await scripted.putOffer('a', {}, { ifMatch: tag }), { tag: undefined, ignoredFields: [] });
    assert.equal(sent.at(-1)?.headers['if-match'], '"new"');
  });

  it('takes an empty object for a part that was never sent', async (t) => {
    const { url } = await scriptedServer(t, [TOKEN, [200, {}], [200, ''], [200, { fulfillment_nodes: [] }]]);
    const scripted = new Offerbook({ url, user, pass });
    assert.equal(await scripted.getVariation('a'), undefined);
    assert.equal(await scripted.getReturnsException('a'), undefined);
    assert.equal(await scripted.getShippingException('a'), undefined);
  });
});

function group(children_skus: string[]) {
  return { relationship: 'Variation' as const, variation_refinements: [COLOR], children_skus };
}
