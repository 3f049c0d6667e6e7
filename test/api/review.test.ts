/** Tests the sub-statuses that only the review can find, and the call that explains them. */
import assert from 'node:assert/strict';
import { CHECKS } from '../../src/domain/review/checks.ts';
import { type ApiClient, minimalSku, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { archive, skuUnknown } from './fixtures/check-order.ts';
import { accountIdOf, addMerchant, changeSetup, eventually, flatNode, WEST } from './fixtures/merchant-setup.ts';
import type { Fields } from './fixtures/sku-bounds.ts';

const AVAILABLE = { status: 'Available For Purchase', sub_status: [] };
const missing = (...sub_status: string[]) => ({ status: 'Missing Listing Data', sub_status });

const T_SHIRTS = 1_000_100;
const BOOTS = 37_005_005_000;
const LIVE_PLANTS = 1_160_520;
const POWER_SUPPLIES = 1_081_550;
const SIZE = 120;
const SHOE_SIZE = 121;

const attribute = (attribute_id: number, attribute_value: string, attribute_value_unit?: string) => ({
  attribute_id,
  attribute_value,
  ...(attribute_value_unit === undefined ? {} : { attribute_value_unit }),
});

/** Uploads a SKU with a unique product. */
async function pricedSku(api: ApiClient, fields: Fields = {}, skuId = api.newSkuId()): Promise<string> {
  const path = await api.uploadedSku({ ...api.newProductCodes(), ...fields }, skuId);
  await api.accepted('PUT', `${path}/price`, { price: 5 });
  return path;
}

async function uploadAgain(api: ApiClient, path: string, fields: Fields): Promise<void> {
  await api.accepted('PUT', path, { ...minimalSku(), ...fields });
}

async function statusOf(api: ApiClient, path: string): Promise<Fields> {
  const { status, sub_status } = await api.found(path);
  return { status, sub_status };
}

async function becomesAvailable(api: ApiClient, path: string): Promise<void> {
  await waitUntil('the catalog', 60_000, async () => {
    return (await statusOf(api, path)).status === AVAILABLE.status || undefined;
  });
}

function upcOf(api: ApiClient): string {
  const [code] = api.newProductCodes().standard_product_codes as [{ standard_product_code: string }];
  return code.standard_product_code;
}

function codesOf(...upcs: readonly string[]): Fields {
  return {
    standard_product_codes: upcs.map((upc) => ({ standard_product_code_type: 'UPC', standard_product_code: upc })),
  };
}

interface ShownCheck {
  readonly check: string;
  readonly state: string;
  readonly code: string | null;
  readonly sub_status: string | null;
  readonly evidence: Record<string, unknown>;
  readonly next: string | null;
  readonly remedy: string | null;
}

async function checkOf(api: ApiClient, path: string, id: string): Promise<ShownCheck> {
  const { checks } = await api.found(`${path}/review`);
  const found = (checks as ShownCheck[]).find(({ check }) => check === id);
  assert.ok(found, id);
  return found;
}

describeApi('review', ({ accepts, refuses }) => {
  accepts('REVIEW-01', 'a valid SKU: every check in order, nothing to do', async (api) => {
    const path = await pricedSku(api);
    const review = await api.found(`${path}/review`);
    const { status, sub_status } = await api.found(path);
    assert.deepEqual([review.status, review.sub_status, review.next], [status, sub_status, null]);
    const checks = review.checks as ShownCheck[];
    assert.deepEqual(
      checks.map(({ check }) => check),
      CHECKS.map(({ id }) => id),
    );
    for (const { state, code, sub_status: leadsTo, next, remedy } of checks) {
      assert.ok(state === 'passed' || state === 'skipped', state);
      assert.deepEqual([code, leadsTo, next, remedy], [null, null, null, null]);
    }
  });
  accepts('REVIEW-01', 'a SKU with an issue: what it is, who acts next and what to do', async (api) => {
    const path = await api.uploadedSku(api.newProductCodes());
    await api.found(path);
    const { next } = await api.found(`${path}/review`);
    assert.equal(next, 'merchant');
    assert.deepEqual(await checkOf(api, path, 'price'), {
      check: 'price',
      state: 'failed',
      code: 'missing_price',
      sub_status: 'Missing price',
      evidence: { priced: false },
      next: 'merchant',
      remedy: 'Add a price.',
    });
  });
  accepts('REVIEW-01', 'an archived SKU: says so, and how to sell it again', async (api) => {
    const path = await pricedSku(api);
    await archive(api, path);
    const { status, next } = await api.found(`${path}/review`);
    assert.deepEqual([status, next], ['Archived', 'merchant']);
    const { state, code, sub_status, remedy } = await checkOf(api, path, 'archive');
    assert.deepEqual([state, code, sub_status], ['failed', 'archived', null]);
    assert.match(String(remedy), /is_archived false/);
  });
  refuses('REVIEW-01', 'a SKU that was never uploaded', async (api) => {
    const skuId = api.newSkuId();
    await api.refused('GET', `${skuPath(skuId)}/review`, undefined, [skuUnknown(skuId)], 404);
  });

  accepts('REVIEW-02', 'checks of images that are switched off: skipped, with the reason', async (api) => {
    const { state, evidence } = await checkOf(api, await pricedSku(api), 'main_image');
    assert.equal(state, 'skipped');
    assert.match(String(evidence.reason), /switched off image checks/);
  });

  accepts('REVIEW-03', 'a code of another brand: additional id needed, until the brand is right', async (api) => {
    const codes = api.newProductCodes();
    await statusOf(api, await pricedSku(api, { ...codes, brand: 'Potter & Sons' }));
    const path = await pricedSku(api, { ...codes, brand: 'Copycat' });
    assert.deepEqual(await statusOf(api, path), missing('Additional SKU ID needed'));
    assert.match(String((await checkOf(api, path, 'catalog')).remedy), /belongs to the brand Potter & Sons/);
    await uploadAgain(api, path, { ...codes, brand: 'POTTER  &  sons' });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });
  accepts('REVIEW-03', 'a brand that a merchant corrects, of a product without other offers', async (api) => {
    const codes = api.newProductCodes();
    const path = await pricedSku(api, { ...codes, brand: 'Pottr' });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
    await uploadAgain(api, path, { ...codes, brand: 'Potter' });
    await waitUntil('the catalog', 60_000, async () => {
      return (await statusOf(api, path)).status === AVAILABLE.status || undefined;
    });
    assert.deepEqual(await statusOf(api, await pricedSku(api, { ...codes, brand: 'Potter' })), AVAILABLE);
  });
  accepts('REVIEW-03', 'the same code under another brand in the other environment', async (api) => {
    const codes = api.newProductCodes();
    await statusOf(api, await pricedSku(api, codes));
    const live = await api.inEnvironment('live');
    assert.deepEqual(await statusOf(live, await pricedSku(live, { ...codes, brand: 'Other' })), AVAILABLE);
  });

  accepts('REVIEW-20', 'codes of two products: additional id needed, until the codes of one remain', async (api) => {
    const [kettle, pan] = [upcOf(api), upcOf(api)];
    await statusOf(api, await pricedSku(api, { ...codesOf(kettle), product_title: 'A kettle' }));
    const shared = codesOf(pan);
    await statusOf(api, await pricedSku(api, { ...shared, product_title: 'A pan' }));
    const path = await pricedSku(api, codesOf(kettle, pan));
    assert.deepEqual(await statusOf(api, path), missing('Additional SKU ID needed'));
    const { next, remedy } = await checkOf(api, path, 'catalog');
    assert.equal(next, 'merchant');
    assert.match(String(remedy), /gtin:00\d{12} is "A kettle", gtin:00\d{12} is "A pan"/);
    await uploadAgain(api, path, shared);
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });
  accepts('REVIEW-20', 'a new code with one of a known product: the same product, for others too', async (api) => {
    const [known, added] = [upcOf(api), upcOf(api)];
    await statusOf(api, await pricedSku(api, { ...codesOf(known), product_title: 'A kettle' }));
    const both = { ...codesOf(known, added), product_title: 'A kettle, 2 l' };
    assert.deepEqual(await statusOf(api, await pricedSku(api, both)), AVAILABLE);
    await statusOf(api, await pricedSku(api, { ...codesOf(added), product_title: 'Big kettle' }));
    assert.deepEqual(await statusOf(api, await pricedSku(api, both)), AVAILABLE);
  });
  accepts('REVIEW-20', 'a code that a merchant adds to its own product: one product', async (api) => {
    const [own, others] = [upcOf(api), upcOf(api)];
    for (const title of ['A pan', 'A frying pan']) {
      await statusOf(api, await pricedSku(api, { ...codesOf(others), product_title: title }));
    }
    const path = await pricedSku(api, { ...codesOf(own), product_title: 'Pan of iron' });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
    for (const codes of [codesOf(own, others), codesOf(others, own)]) {
      await uploadAgain(api, path, { ...codes, product_title: 'Pan of iron' });
      await becomesAvailable(api, path);
    }
  });
  accepts('REVIEW-21', 'an ASIN that the catalog does not know: additional id needed, until it does', async (api) => {
    const ASIN = `B${String(upcOf(api)).slice(0, 9)}`;
    const path = await pricedSku(api, { standard_product_codes: null, ASIN });
    assert.deepEqual(await statusOf(api, path), missing('Additional SKU ID needed'));
    assert.match(String((await checkOf(api, path, 'catalog')).remedy), /^The catalog does not know this ASIN\./);
    const other = await pricedSku(api, { standard_product_codes: null, ASIN });
    assert.deepEqual(await statusOf(api, other), missing('Additional SKU ID needed'));
    await uploadAgain(api, other, { ...api.newProductCodes(), ASIN });
    for (const each of [other, path]) await becomesAvailable(api, each);
  });
  accepts('REVIEW-21', 'an unknown ASIN in a category that asks for no other code: no issue', async (api) => {
    const ASIN = `B${String(upcOf(api)).slice(0, 9)}`;
    const plant = { standard_product_codes: null, ASIN, marketplace_browse_node_id: LIVE_PLANTS };
    assert.deepEqual(await statusOf(api, await pricedSku(api, plant)), AVAILABLE);
  });

  accepts('REVIEW-22', 'a new product without data that its category requires, until it is sent', async (api) => {
    const part = { ...api.newProductCodes(), marketplace_browse_node_id: POWER_SUPPLIES };
    const path = await pricedSku(api, { ...part, manufacturer: 'Potter & Sons' });
    assert.deepEqual(await statusOf(api, path), missing('Missing attribute value'));
    const { code, evidence, next, remedy } = await checkOf(api, path, 'product_data');
    assert.deepEqual([code, next], ['missing_product_data', 'merchant']);
    assert.deepEqual(evidence, { required: ['manufacturer', 'mfr_part_number'], missing: ['mfr_part_number'] });
    assert.equal(remedy, 'The catalog does not know this product. Add its part number (mfr_part_number).');
    const other = await pricedSku(api, part);
    assert.deepEqual(await statusOf(api, other), missing('Missing attribute value'));
    await uploadAgain(api, path, { ...part, manufacturer: 'Potter & Sons', mfr_part_number: 'P-1' });
    for (const each of [path, other]) await becomesAvailable(api, each);
  });
  accepts('REVIEW-22', 'data that the marketplace requires where the category says nothing', async (api) => {
    await withOwnServer(api.variant, { NEW_PRODUCT_DATA: 'bullets' }, async (own) => {
      const codes = own.newProductCodes();
      const path = await pricedSku(own, codes);
      assert.deepEqual(await statusOf(own, path), missing('Missing attribute value'));
      await uploadAgain(own, path, { ...codes, bullets: ['Holds 2 l'] });
      assert.deepEqual(await statusOf(own, path), AVAILABLE);
      const data = { manufacturer: 'P', mfr_part_number: 'P-1' };
      const part = await pricedSku(own, { ...data, marketplace_browse_node_id: POWER_SUPPLIES });
      assert.deepEqual(await statusOf(own, part), AVAILABLE);
    });
  });

  accepts('REVIEW-04', 'no category if the catalog has the product, from any merchant', async (api) => {
    const codes = api.newProductCodes();
    const path = await pricedSku(api, { ...codes, marketplace_browse_node_id: null });
    assert.deepEqual(await statusOf(api, path), missing('Missing category'));
    const { test: other } = await addMerchant(api, {}, async () => {});
    await statusOf(other, await pricedSku(other, codes));
    const source = async () => (await checkOf(api, path, 'category')).evidence.source;
    await waitUntil('the catalog', 60_000, async () => ((await source()) === 'catalog' ? true : undefined));
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  accepts('REVIEW-05', 'a title with another number of items: incorrect quantity, until they agree', async (api) => {
    const codes = api.newProductCodes();
    const path = await pricedSku(api, { ...codes, product_title: 'Soup bowls, pack of 6' });
    assert.deepEqual(await statusOf(api, path), missing('Incorrect multipack quantity'));
    await uploadAgain(api, path, { ...codes, product_title: 'Soup bowls, pack of 6', multipack_quantity: 6 });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  accepts('REVIEW-06', 'required attributes: absent, not allowed, without a unit, right', async (api) => {
    const codes = api.newProductCodes();
    const boots = (...more: object[]) => ({
      ...codes,
      marketplace_browse_node_id: BOOTS,
      attributes_node_specific: [attribute(123, 'Trail'), ...more],
    });
    const fault = missing('Missing attribute value');
    const path = await pricedSku(api, boots());
    assert.deepEqual(await statusOf(api, path), fault);
    assert.match(String((await checkOf(api, path, 'attributes')).remedy), /Style \(124\) is required/);
    const style = attribute(124, 'T-1');
    for (const [size, expected] of [
      [attribute(SHOE_SIZE, '9'), fault],
      [attribute(SHOE_SIZE, '9', 'JP'), fault],
      [attribute(SHOE_SIZE, 'nine', 'US'), fault],
      [attribute(SHOE_SIZE, '9', 'US'), AVAILABLE],
    ] as const) {
      await uploadAgain(api, path, boots(style, size));
      assert.deepEqual(await statusOf(api, path), expected);
    }
  });

  accepts('REVIEW-07', 'clothing in no group: missing variation information, until it is in one', async (api) => {
    const shirt = (size: string) => ({
      marketplace_browse_node_id: T_SHIRTS,
      attributes_node_specific: [attribute(SIZE, size)],
    });
    const child = api.newSkuId();
    const parent = await pricedSku(api, shirt('S'));
    await pricedSku(api, shirt('M'), child);
    for (const path of [parent, skuPath(child)]) {
      assert.deepEqual(await statusOf(api, path), missing('Missing variation information'));
    }
    await api.accepted('PUT', `${parent}/variation`, {
      relationship: 'Variation',
      variation_refinements: [SIZE],
      children_skus: [child],
    });
    for (const path of [parent, skuPath(child)]) assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  accepts(
    'REVIEW-07',
    'clothing that is excluded from its group: missing, until its values are unique',
    async (api) => {
      const skus = ['S', 'M', 'M'].map((size) => ({ size, skuId: api.newSkuId(), codes: api.newProductCodes() }));
      const fields = (codes: Fields, size: string) => ({
        ...codes,
        marketplace_browse_node_id: T_SHIRTS,
        attributes_node_specific: [attribute(SIZE, size)],
      });
      for (const { size, skuId, codes } of skus) await pricedSku(api, fields(codes, size), skuId);
      const [parent, holder, repeater] = skus.map(({ skuId }) => skuPath(skuId)) as [string, string, string];
      const children_skus = skus.slice(1).map(({ skuId }) => skuId);
      await api.accepted('PUT', `${parent}/variation`, {
        relationship: 'Variation',
        variation_refinements: [SIZE],
        children_skus,
      });
      const lacksGroup = missing('Missing variation information');
      assert.deepEqual(await statusOf(api, holder), AVAILABLE);
      assert.deepEqual(await statusOf(api, repeater), lacksGroup);
      const { state, evidence, next, remedy } = await checkOf(api, repeater, 'variation_group');
      assert.deepEqual([state, evidence.in_group, evidence.excluded, next], ['failed', false, true, 'merchant']);
      assert.match(String(remedy), new RegExp(`same variation values as ${children_skus[0]}`));

      // The other SKU frees the value, so this one is re-reviewed although it was not written.
      await uploadAgain(api, holder, fields(skus[1]?.codes ?? {}, 'L'));
      await waitUntil('the group', 60_000, async () => {
        return (await statusOf(api, repeater)).status === AVAILABLE.status || undefined;
      });
      await uploadAgain(api, holder, { ...fields(skus[1]?.codes ?? {}, 'S') });
      await waitUntil('the group', 60_000, async () => {
        return (await statusOf(api, holder)).status === lacksGroup.status || undefined;
      });
      assert.deepEqual((await api.found(`${parent}/variation`)).excluded_skus, [children_skus[0]]);
    },
  );

  accepts('REVIEW-08', 'stock at a per-pound node and no weight: missing weight, until it has one', async (api) => {
    const codes = api.newProductCodes();
    const path = await pricedSku(api, codes);
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
    await api.accepted('PATCH', `${path}/inventory`, {
      fulfillment_nodes: [{ fulfillment_node_id: WEST, quantity: 0 }],
    });
    assert.deepEqual(await statusOf(api, path), missing('Missing shipping weight'));
    await uploadAgain(api, path, { ...codes, shipping_weight_pounds: 2.5 });
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });

  accepts(
    'REVIEW-08',
    'no stock while all nodes charge by the pound: missing weight, until one does not',
    async (api) => {
      const merchant = await addMerchant(api, {}, (store, { test }) =>
        store.settings.putNode(test, flatNode('pounds', { rateKind: 'per_pound' })),
      );
      const path = await pricedSku(merchant.test);
      assert.deepEqual(await statusOf(merchant.test, path), missing('Missing shipping weight'));
      const { evidence, remedy } = await checkOf(merchant.test, path, 'shipping_weight');
      assert.deepEqual(evidence, { shipping_weight_pounds: null, per_pound_nodes: ['pounds'] });
      assert.equal(remedy, 'Add a shipping weight (shipping_weight_pounds): pounds charges by the pound.');
      await changeSetup(api, async (store) =>
        store.settings.putNode(await accountIdOf(store, 'test', merchant.merchantId), flatNode('flat')),
      );
      await eventually(
        async () => (await statusOf(merchant.test, path)).status === AVAILABLE.status,
        'the SKU needs no weight',
      );
    },
  );

  accepts('REVIEW-09', 'shoes of one brand, Collection and Style: the group that they form', async (api) => {
    const boot = (style: string) => ({
      brand: 'Walker',
      marketplace_browse_node_id: BOOTS,
      attributes_node_specific: [attribute(123, 'Trail'), attribute(124, style)],
    });
    const ids = [`boot-a-${api.newSkuId()}`, `boot-b-${api.newSkuId()}`, `boot-c-${api.newSkuId()}`] as const;
    for (const [id, style] of [
      [ids[0], 'T-1'],
      [ids[1], 't-1 '],
      [ids[2], 'T-2'],
    ] as const) {
      assert.deepEqual(await statusOf(api, await pricedSku(api, boot(style), id)), AVAILABLE);
    }
    assert.deepEqual((await api.found(`${skuPath(ids[0])}/review`)).shoe_group, [ids[0], ids[1]]);
    assert.deepEqual((await api.found(`${skuPath(ids[1])}/review`)).shoe_group, [ids[1], ids[0]]);
    // This also holds before the first review of the SKU.
    const fresh = `boot-d-${api.newSkuId()}`;
    await api.uploadedSku({ ...api.newProductCodes(), ...boot('T-9') }, fresh);
    assert.deepEqual((await api.foundNow(`${skuPath(fresh)}/review`)).shoe_group, [fresh]);
    assert.equal((await api.found(`${await pricedSku(api)}/review`)).shoe_group, undefined);
  });

  accepts('REVIEW-10', 'a request for a re-check of a SKU, with no body', async (api) => {
    const path = await pricedSku(api);
    await api.accepted('POST', `${path}/review`, undefined);
    assert.deepEqual(await statusOf(api, path), AVAILABLE);
  });
  refuses('REVIEW-10', 'a request for a SKU that was never uploaded, or that is archived', async (api) => {
    const skuId = api.newSkuId();
    await api.refused('POST', `${skuPath(skuId)}/review`, undefined, [skuUnknown(skuId)], 404);
    const path = await pricedSku(api);
    await archive(api, path);
    const { status, body } = await api.send('POST', `${path}/review`);
    assert.deepEqual([status, (body as { details: { code: string }[] }).details[0]?.code], [400, 'sku_archived']);
  });
});
