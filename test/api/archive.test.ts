/** Tests archiving and unarchiving a SKU, and what an archived SKU refuses. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, problemAt, skuPath } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { archive, skuArchived, skuUnknown } from './fixtures/check-order.ts';
import { EAST, RETURNS_EAST, WEST } from './fixtures/merchant-setup.ts';
import { type Fields, skuWith } from './fixtures/sku-bounds.ts';

const SIZED = { attributes_node_specific: [{ attribute_id: 7, attribute_value: 'M' }] };
const stock = (east: number, west: number) => ({
  fulfillment_nodes: [
    { fulfillment_node_id: EAST, quantity: east },
    { fulfillment_node_id: WEST, quantity: west },
  ],
});
const shipping = (node: string) => {
  const exception = { service_level: 'Standard', shipping_exception_type: 'exclusive' };
  return { fulfillment_nodes: [{ fulfillment_node_id: node, shipping_exceptions: [exception] }] };
};
const group = (child: string) => ({
  relationship: 'Variation',
  variation_refinements: [7],
  children_skus: [child],
});

interface Update {
  readonly method: 'PUT' | 'PATCH';
  readonly part: string;
  readonly body: (child: string) => Fields;
  /** Breaks a rule about stored data, which is checked after the archive flag. */
  readonly misfit?: Fields;
  /** Breaks a rule about the body, which is checked before the archive flag. */
  readonly faulty: Fields;
  readonly fault: ReturnType<typeof problemAt>;
}

const required = (field: string) => problemAt('required', field, 'is required');
const clearsNothing = (field: string) =>
  problemAt('list_required_to_clear', field, 'is required. To clear, send {} or an empty list');

/** Every update of a SKU except the archive call. */
const UPDATES: Readonly<Record<string, Update>> = {
  'SKU data': {
    method: 'PUT',
    part: '',
    body: () => skuWith(SIZED),
    faulty: skuWith({ brand: null }),
    fault: required('brand'),
  },
  'shoe data': {
    method: 'PUT',
    part: '/v2',
    body: () => skuWith({ ...SIZED, product_type_id: 37_005_005_000 }),
    faulty: minimalSku(),
    fault: required('product_type_id'),
  },
  'a price': {
    method: 'PUT',
    part: '/price',
    body: () => ({ price: 9 }),
    misfit: { price: 9, fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', fulfillment_node_price: 1 }] },
    faulty: {},
    fault: required('price'),
  },
  inventory: {
    method: 'PATCH',
    part: '/inventory',
    body: () => stock(1, 2),
    misfit: { fulfillment_nodes: [{ fulfillment_node_id: 'nowhere', quantity: 1 }] },
    faulty: {},
    fault: required('fulfillment_nodes'),
  },
  'a variation group': {
    method: 'PUT',
    part: '/variation',
    body: group,
    misfit: group('never uploaded'),
    faulty: { ...group('x'), relationship: null },
    fault: required('relationship'),
  },
  'shipping exceptions': {
    method: 'PUT',
    part: '/shippingexception',
    body: () => shipping(EAST),
    misfit: shipping('nowhere'),
    faulty: { nodes: [] },
    fault: clearsNothing('fulfillment_nodes'),
  },
  'a returns exception': {
    method: 'PUT',
    part: '/returnsexception',
    body: () => ({ return_location_ids: [RETURNS_EAST] }),
    misfit: { return_location_ids: ['nowhere'] },
    faulty: { location_ids: [] },
    fault: clearsNothing('return_location_ids'),
  },
};

const unarchive = (api: ApiClient, path: string) =>
  api.accepted('PUT', `${path}/status/archive`, { is_archived: false });

/** Uploads and archives a SKU that has every part, and a child for it. */
async function archivedSku(api: ApiClient) {
  const [skuId, child] = [api.newSkuId(), api.newSkuId()];
  // One of the nodes requires a shipping weight.
  const path = await api.uploadedSku({ ...SIZED, shipping_weight_pounds: 2 }, skuId);
  await api.uploadedSku(SIZED, child);
  await api.accepted('PUT', `${path}/price`, { price: 5 });
  await api.accepted('PATCH', `${path}/inventory`, stock(3, 4));
  await api.accepted('PUT', `${path}/shippingexception`, shipping(WEST));
  await archive(api, path);
  return { skuId, path, child };
}

const readAll = (api: ApiClient, path: string) =>
  Promise.all(['', '/price', '/inventory', '/shippingexception'].map((part) => api.found(`${path}${part}`)));

interface InventoryRead {
  readonly fulfillment_nodes: readonly { readonly quantity: number; readonly inventory_last_update: string }[];
  readonly inventory_last_update?: string;
}

async function stockOf(api: ApiClient, path: string) {
  const { fulfillment_nodes, ...rest } = (await api.found(`${path}/inventory`)) as unknown as InventoryRead;
  const times = fulfillment_nodes.map((node) => Date.parse(node.inventory_last_update));
  if (rest.inventory_last_update !== undefined) times.push(Date.parse(rest.inventory_last_update));
  return { quantities: fulfillment_nodes.map((node) => node.quantity), times };
}

/** Advances the clock, acts, and returns which stock times changed. */
async function movedBy(api: ApiClient, path: string, act: () => Promise<unknown>): Promise<boolean[]> {
  const before = (await stockOf(api, path)).times;
  api.server.passTime(5000);
  await act();
  const after = (await stockOf(api, path)).times;
  return after.map((time, index) => time >= Number(before[index]) + 5000);
}

describeSharedApi('archive', ({ accepts, refuses, bounds }) => {
  const notBoolean = [problemAt('wrong_type', 'is_archived', 'must be true or false')];
  bounds('ARCH-01', {
    send: async (api, body) => api.put(`${await api.uploadedSku()}/status/archive`, body),
    accepted: { true: { is_archived: true }, false: { is_archived: false } },
    refused: {
      'no flag': { body: {}, problems: [required('is_archived')] },
      'a null flag': { body: { is_archived: null }, problems: [required('is_archived')] },
      'a text': { body: { is_archived: 'true' }, problems: notBoolean },
      'a number': { body: { is_archived: 1 }, problems: notBoolean },
    },
  });

  refuses('ARCH-02', 'to archive or unarchive a SKU that was never uploaded', async (api) => {
    for (const is_archived of [true, false]) {
      const skuId = api.newSkuId();
      const path = `${skuPath(skuId)}/status/archive`;
      await api.refused('PUT', path, { is_archived }, [skuUnknown(skuId)], 404);
    }
  });
  accepts('ARCH-02', 'an uploaded SKU', async (api) => archive(api, await api.uploadedSku()));

  accepts('ARCH-03', 'a SKU, which then reads as archived, and back', async (api) => {
    const path = await api.uploadedSku();
    const before = await api.found(path);
    await archive(api, path);
    assert.deepEqual(await api.found(path), { ...before, is_archived: true, status: 'Archived' });
    await unarchive(api, path);
    assert.deepEqual(await api.found(path), before);
  });

  accepts('ARCH-04', 'a SKU with stock, which is zeroed at every node with a new time', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PATCH', `${path}/inventory`, stock(3, 4));
    assert.deepEqual(await movedBy(api, path, () => archive(api, path)), [true, true]);
    assert.deepEqual((await stockOf(api, path)).quantities, [0, 0]);
  });

  accepts('ARCH-05', 'to unarchive, which updates the time of the zero stock', async (api) => {
    const { path } = await archivedSku(api);
    assert.deepEqual(await movedBy(api, path, () => unarchive(api, path)), [true, true]);
    assert.deepEqual((await stockOf(api, path)).quantities, [0, 0]);
  });

  accepts('ARCH-06', 'the flag that it already has, which changes nothing', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PATCH', `${path}/inventory`, stock(3, 4));
    assert.deepEqual(await movedBy(api, path, () => unarchive(api, path)), [false, false]);
    assert.deepEqual((await stockOf(api, path)).quantities, [3, 4]);
    await archive(api, path);
    assert.deepEqual(await movedBy(api, path, () => archive(api, path)), [false, false]);
    assert.equal((await api.found(path)).is_archived, true);
  });

  accepts('ARCH-07', 'a SKU that never had stock, whose inventory gets a new time', async (api) => {
    const path = await api.uploadedSku();
    assert.deepEqual(await movedBy(api, path, () => unarchive(api, path)), [false]);
    assert.deepEqual(await movedBy(api, path, () => archive(api, path)), [true]);
    assert.deepEqual(await movedBy(api, path, () => archive(api, path)), [false]);
    assert.deepEqual(await movedBy(api, path, () => unarchive(api, path)), [true]);
    assert.deepEqual((await stockOf(api, path)).quantities, []);
  });

  for (const [what, { method, part, body, misfit, faulty, fault }] of Object.entries(UPDATES)) {
    refuses('ARCH-08', `${what} for an archived SKU, which stays as it is`, async (api) => {
      const { skuId, path, child } = await archivedSku(api);
      const before = await readAll(api, path);
      await api.refused(method, `${path}${part}`, body(child), [skuArchived(skuId)]);
      assert.deepEqual(await readAll(api, path), before);
    });
    accepts('ARCH-08', `${what} for a SKU that was unarchived`, async (api) => {
      const { path, child } = await archivedSku(api);
      await unarchive(api, path);
      await api.accepted(method, `${path}${part}`, body(child));
    });
    refuses('ARCH-09', `${what} with an invalid body for that body, archived SKU or not`, async (api) => {
      await api.refused(method, `${(await archivedSku(api)).path}${part}`, faulty, [fault]);
      await api.refused(method, `${skuPath(api.newSkuId())}${part}`, faulty, [fault]);
    });
    if (misfit === undefined) continue;
    refuses('ARCH-10', `${what} that breaks a stored rule, for the unknown or archived SKU first`, async (api) => {
      const { skuId, path } = await archivedSku(api);
      await api.refused(method, `${path}${part}`, misfit, [skuArchived(skuId)]);
      const unknown = api.newSkuId();
      await api.refused(method, `${skuPath(unknown)}${part}`, misfit, [skuUnknown(unknown)], 404);
    });
  }
  refuses('ARCH-08', 'to clear the exceptions of an archived SKU', async (api) => {
    const { skuId, path } = await archivedSku(api);
    await api.refused('PUT', `${path}/shippingexception`, {}, [skuArchived(skuId)]);
    await api.refused('PUT', `${path}/returnsexception`, {}, [skuArchived(skuId)]);
    await api.refused('PATCH', `${path}/inventory`, { fulfillment_nodes: [] }, [skuArchived(skuId)]);
  });
  refuses('ARCH-09', 'an invalid flag for a SKU that was never uploaded, because of the flag', async (api) => {
    await api.refused('PUT', `${skuPath(api.newSkuId())}/status/archive`, {}, [required('is_archived')]);
  });

  accepts('ARCH-11', 'a SKU, which keeps all its parts except the quantities', async (api) => {
    const { path } = await archivedSku(api);
    const [sku, price, , exceptions] = await readAll(api, path);
    await unarchive(api, path);
    const [skuNow, priceNow, , exceptionsNow] = await readAll(api, path);
    assert.deepEqual(skuNow, { ...sku, is_archived: false, status: 'Available For Purchase' });
    assert.deepEqual([priceNow, exceptionsNow], [price, exceptions]);
    assert.equal(price?.price, 5);
  });

  accepts('ARCH-12', 'unknown fields next to the flag, which it reports', async (api) => {
    const path = await api.uploadedSku();
    const answer = await api.accepted('PUT', `${path}/status/archive`, { is_archived: true, reason: 'sold out' });
    assert.equal(answer.headers.get('x-ignored-fields'), '%2Freason');
  });
});
