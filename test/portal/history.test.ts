/** Tests an offer's history in the portal: changes by key, person and file, and restoring versions; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { ApiClient, minimalSku, requestProblem, skuPath } from '../harness/api-client.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { addPerson, type PortalBrowser } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { isRun } from '../harness/scope.ts';
import { VARIANTS } from '../harness/variants.ts';

interface Change {
  readonly id: number;
  readonly at: string;
  readonly by: { readonly kind: string; readonly name: string };
  readonly part: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface History {
  readonly changes: readonly Change[];
  readonly next: string | null;
}

const KEY = { kind: 'key', name: DEMO_CREDENTIALS.test.user };
const ANNA = { kind: 'person', name: 'anna@history.example' };
const NODE = 'demo-node-east';

const historyPath = (skuId: string) => `/test${skuPath(skuId)}/history`;

/** The store contract tests the history on PostgreSQL, so these tests are long ones there. */
const RUN = VARIANTS.filter(({ store }) => isRun(store === 'sqlite' ? 'usual' : 'long'));

for (const variant of RUN) {
  describe(`portal: history (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let anna: PortalBrowser;
    let viewer: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant);
      anna = await addPerson(api.server, ANNA.name, 'merchant-admin');
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
    });
    after(() => api.server.close());

    /** Pages use neutral field names; restores the carrier names for comparison. */
    async function read(skuId: string, query = ''): Promise<History> {
      const answer = await viewer.send('GET', `${historyPath(skuId)}${query}`);
      assert.equal(answer.status, 200, answer.text);
      const carriers = variant.pairs.filter(([neutral]) => neutral.startsWith('<carrier_'));
      return JSON.parse(carriers.reduce((text, [neutral, set]) => text.replaceAll(set, neutral), answer.text));
    }

    /** Removes ids and timestamps, which the server sets. */
    async function told(skuId: string): Promise<readonly Omit<Change, 'id' | 'at'>[]> {
      const { changes, next } = await read(skuId);
      assert.equal(next, null);
      for (const { at } of changes) assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(
        changes.map(({ at }) => at),
        changes.map(({ at }) => at).toSorted((a, b) => b.localeCompare(a)),
      );
      return changes.map(({ id, at, ...change }) => change);
    }

    async function putByAnna(path: string, body: unknown): Promise<void> {
      const answer = await anna.put(`/test${path}`, body);
      assert.equal(answer.status, 202, answer.text);
    }

    it('shows every part as the API does, newest first, with its author', async () => {
      const skuId = 'mug / é';
      const path = skuPath(skuId);
      const first = { ...minimalSku(), external_item_type_keyword: 'mugs' };
      await api.accepted('PUT', path, first);
      const exceptions = {
        fulfillment_nodes: [
          {
            fulfillment_node_id: NODE,
            shipping_exceptions: [{ shipping_method: '<carrier_2> Ground', shipping_exception_type: 'restricted' }],
          },
        ],
      };
      await putByAnna(path, { ...first, product_title: 'A mug' });
      await api.accepted('PUT', `${path}/price`, { price: 12.5 });
      await putByAnna(`${path}/price`, {
        price: 13,
        fulfillment_nodes: [{ fulfillment_node_id: NODE, fulfillment_node_price: 0.01 }],
      });
      await api.accepted('PATCH', `${path}/inventory`, {
        fulfillment_nodes: [
          { fulfillment_node_id: NODE, quantity: 4 },
          { fulfillment_node_id: 'demo-node-west', quantity: 0 },
        ],
      });
      await api.accepted('PUT', `${path}/shippingexception`, exceptions);
      await api.accepted('PUT', `${path}/shippingexception`, {});
      await putByAnna(`${path}/status/archive`, { is_archived: true });
      const stored = { ...first, prop_65: false };
      assert.deepEqual(await told(skuId), [
        { by: ANNA, part: 'inventory', before: { [NODE]: 4 }, after: { [NODE]: 0 } },
        { by: ANNA, part: 'archive', before: { is_archived: false }, after: { is_archived: true } },
        { by: KEY, part: 'shipping_exception', before: exceptions, after: null },
        { by: KEY, part: 'shipping_exception', before: null, after: exceptions },
        { by: KEY, part: 'inventory', before: null, after: { [NODE]: 4, 'demo-node-west': 0 } },
        {
          by: ANNA,
          part: 'price',
          before: { price: 12.5, fulfillment_nodes: [] },
          after: { price: 13, fulfillment_nodes: [{ fulfillment_node_id: NODE, fulfillment_node_price: 0.01 }] },
        },
        { by: KEY, part: 'price', before: null, after: { price: 12.5, fulfillment_nodes: [] } },
        { by: ANNA, part: 'sku', before: stored, after: { ...stored, product_title: 'A mug' } },
        { by: KEY, part: 'sku', before: null, after: stored },
      ]);
    });

    it('shows groups with attribute ids beyond 2^53 exactly, and the end of a group', async () => {
      const attribute = (value: string) => {
        return `"attributes_node_specific":[{"attribute_id":9223372036854775807,"attribute_value":"${value}"}]`;
      };
      for (const [skuId, value] of [
        ['p', 'red'],
        ['c', 'blue'],
      ] as const) {
        const body = JSON.stringify(minimalSku()).replace(/\}$/, `,${attribute(value)}}`);
        await api.accepted('PUT', skuPath(skuId), body);
      }
      const group = (child: string) =>
        `{"relationship":"Variation","variation_refinements":[9223372036854775807],"children_skus":["${child}"]}`;
      await api.accepted('PUT', `${skuPath('p')}/variation`, group('c'));
      await api.accepted('PUT', `${skuPath('c')}/variation`, group('p'));
      const answer = await viewer.send('GET', historyPath('p'));
      assert.ok(answer.text.includes(`"part":"variation","before":${group('c')},"after":null`), answer.text);
      assert.ok(answer.text.includes(`"part":"variation","before":null,"after":${group('c')}`), answer.text);
    });

    it('omits writes that changed nothing or were refused', async () => {
      const path = await api.uploadedSku({}, 'same');
      await api.accepted('PUT', path, minimalSku());
      await api.accepted('PUT', `${path}/price`, { price: 1 });
      await api.accepted('PUT', `${path}/price`, { price: 1 });
      const refused = await api.put(`${path}/price`, { price: 0 });
      assert.equal(refused.status, 400);
      assert.deepEqual(
        (await told('same')).map(({ part }) => part),
        ['price', 'sku'],
      );
    });

    // Bulk files use one spelling only.
    if (variant.pairs.length === 0) {
      it('names the file of a row', async () => {
        await api.uploadedSku({}, 'filed');
        const files = new BulkFiles(api.server.url, api.token);
        const fileId = await files.send('Price', JSON.stringify({ filed: { price: 7 } }));
        assert.equal((await files.ended(fileId)).status, 'Processed successfully');
        const [change] = await told('filed');
        assert.deepEqual(change, {
          by: { kind: 'file', name: fileId },
          part: 'price',
          before: null,
          after: { price: 7, fulfillment_nodes: [] },
        });
      });
    }

    it('is paginated', async () => {
      const path = await api.uploadedSku({}, 'paged');
      for (const price of [1, 2, 3, 4]) await api.accepted('PUT', `${path}/price`, { price });
      const all = await read('paged');
      const pages: Change[] = [];
      let query = '?limit=2';
      for (;;) {
        const { changes, next } = await read('paged', query);
        pages.push(...changes);
        if (next === null) break;
        assert.equal(changes.length, 2);
        query = `?limit=2&after=${next}`;
      }
      assert.deepEqual(pages, all.changes);
      assert.equal(pages.length, 5);
    });

    /** The path that restores the value before the newest change of the part, or before the `nth` newest. */
    async function restorePath(skuId: string, part: string, nth = 0): Promise<string> {
      const { changes } = await read(skuId);
      const { id } = changes.filter((change) => change.part === part)[nth] ?? assert.fail(`No change of ${part}.`);
      return `${historyPath(skuId)}/${id}/restore`;
    }

    async function restore(skuId: string, part: string, nth?: number): Promise<void> {
      const answer = await anna.post(await restorePath(skuId, part, nth));
      assert.equal(answer.status, 202, answer.text);
    }

    it('restores each part as it was before a change, with the restoring user as author', async () => {
      const skuId = 'back / é';
      const path = skuPath(skuId);
      const first = { ...minimalSku(), external_item_type_keyword: 'mugs' };
      const exceptions = [{ shipping_method: '<carrier_2> Ground', shipping_exception_type: 'restricted' }];
      const shipping = { fulfillment_nodes: [{ fulfillment_node_id: NODE, shipping_exceptions: exceptions }] };
      const nodes = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: NODE, quantity }] });
      await api.accepted('PUT', path, first);
      for (const price of [1, 2, 3]) await api.accepted('PUT', `${path}/price`, { price });
      await api.accepted('PUT', path, { ...first, product_title: 'Another' });
      await api.accepted('PUT', `${path}/shippingexception`, shipping);
      await api.accepted('PUT', `${path}/shippingexception`, {});
      await api.accepted('PATCH', `${path}/inventory`, nodes(4));
      await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });

      await restore(skuId, 'archive');
      await restore(skuId, 'inventory');
      await restore(skuId, 'sku');
      await restore(skuId, 'price', 1);
      await restore(skuId, 'shipping_exception');
      const stored = { ...first, prop_65: false };
      assert.deepEqual((await told(skuId)).slice(0, 5), [
        { by: ANNA, part: 'shipping_exception', before: null, after: shipping },
        {
          by: ANNA,
          part: 'price',
          before: { price: 3, fulfillment_nodes: [] },
          after: { price: 1, fulfillment_nodes: [] },
        },
        { by: ANNA, part: 'sku', before: { ...stored, product_title: 'Another' }, after: stored },
        { by: ANNA, part: 'inventory', before: { [NODE]: 0 }, after: { [NODE]: 4 } },
        { by: ANNA, part: 'archive', before: { is_archived: true }, after: { is_archived: false } },
      ]);

      // Exceptions that did not exist are cleared again.
      await restore(skuId, 'shipping_exception');
      assert.equal((await told(skuId))[0]?.after, null);
    });

    it('restores a group with attribute ids beyond 2^53, and a shoe as a shoe', async () => {
      const attribute = '"attributes_node_specific":[{"attribute_id":9223372036854775807,"attribute_value":"red"}]';
      for (const skuId of ['gp', 'g1', 'g2']) {
        const body = JSON.stringify(minimalSku()).replace(/\}$/, `,${attribute}}`);
        await api.accepted('PUT', skuPath(skuId), body);
      }
      const group = (child: string) =>
        `{"relationship":"Variation","variation_refinements":[9223372036854775807],"children_skus":["${child}"]}`;
      await api.accepted('PUT', `${skuPath('gp')}/variation`, group('g1'));
      await api.accepted('PUT', `${skuPath('gp')}/variation`, group('g2'));
      await restore('gp', 'variation');
      const { text } = await viewer.send('GET', historyPath('gp'));
      assert.ok(text.includes(`"part":"variation","before":${group('g2')},"after":${group('g1')}`), text);

      const boots = { ...minimalSku(), product_type_id: 37_005_005_000 };
      await api.accepted('PUT', `${skuPath('boots')}/v2`, boots);
      await api.accepted('PUT', `${skuPath('boots')}/v2`, { ...boots, product_title: 'Other boots' });
      await restore('boots', 'sku');
      assert.deepEqual((await told('boots'))[0]?.after, { ...boots, prop_65: false });
    });

    it('refuses to restore values that current rules forbid, values that did not exist, and unknown changes', async () => {
      const attributes_node_specific = [{ attribute_id: 7, attribute_value: 'L' }];
      for (const skuId of ['rp', 'r1', 'r2']) await api.uploadedSku({ attributes_node_specific }, skuId);
      const group = (child: string) => {
        return { relationship: 'Variation', variation_refinements: [7], children_skus: [child] };
      };
      await api.accepted('PUT', `${skuPath('rp')}/variation`, group('r1'));
      await api.accepted('PUT', `${skuPath('rp')}/variation`, group('r2'));
      await api.accepted('PUT', `${skuPath('rp')}/price`, { price: 1 });
      await api.accepted('PUT', `${skuPath('r1')}/status/archive`, { is_archived: true });
      const admin = await PortalClient.signIn(api.server, 'merchant-admin');
      const refused = async (path: string, problem: readonly [string, string, string], status = 400) => {
        const before = await read('rp');
        await admin.refused('POST', path, undefined, [problem], status);
        assert.deepEqual(await read('rp'), before, 'nothing was changed');
      };
      const archived = ['child_archived', '/children_skus/0', 'children_skus[0]: SKU r1 is archived'] as const;
      await refused(await restorePath('rp', 'variation'), archived);
      const empty = 'There is no earlier version to restore: this change created the value.';
      for (const [part, nth] of [
        ['variation', 1],
        ['price', 0],
        ['sku', 0],
      ] as const) {
        await refused(await restorePath('rp', part, nth), ['version_empty', '', empty]);
      }
      const unknown = 'SKU rp has no change 999999999999999, or the history of that change has expired.';
      await refused(`${historyPath('rp')}/999999999999999/restore`, ['change_unknown', '', unknown], 404);
      const invalid = ['change_unknown', '', 'No such change.'] as const;
      for (const id of ['', '0', '1e3']) await refused(`${historyPath('rp')}/${id}/restore`, invalid, 404);
      const nobody = ['sku_unknown', '', 'SKU nobody not found.'] as const;
      await refused(`${historyPath('nobody')}/1/restore`, nobody, 404);

      await api.accepted('PUT', `${skuPath('rp')}/price`, { price: 2 });
      await api.accepted('PUT', `${skuPath('rp')}/status/archive`, { is_archived: true });
      const text = 'SKU rp is archived and cannot be updated. Unarchive it first.';
      await refused(await restorePath('rp', 'price'), ['sku_archived', '', text]);
    });

    it('is refused for unknown SKUs, SKUs of the other environment, and invalid page tokens', async () => {
      await api.uploadedSku({}, 'mine');
      const unknown = (skuId: string) => requestProblem('sku_unknown', `SKU ${skuId} not found.`);
      const rows: readonly (readonly [string, ReturnType<typeof requestProblem>, number])[] = [
        ['/test/merchant-skus/nobody/history', unknown('nobody'), 404],
        ['/live/merchant-skus/mine/history', unknown('mine'), 404],
        [
          '/test/merchant-skus/mine/history?limit=0',
          requestProblem('query_invalid', 'limit: must be a whole number from 1 to 200.'),
          400,
        ],
        [
          '/test/merchant-skus/mine/history?limit=201',
          requestProblem('query_invalid', 'limit: must be a whole number from 1 to 200.'),
          400,
        ],
        [
          '/test/merchant-skus/mine/history?after=x',
          requestProblem('query_invalid', 'after: must be a whole number from 1 to 999999999999999.'),
          400,
        ],
      ];
      for (const [path, problem, status] of rows) {
        await viewer.refused('GET', path, undefined, [[problem.code, problem.field, problem.message]], status);
      }
      for (const limit of [1, 200]) await read('mine', `?limit=${limit}`);
    });
  });
}

describe('portal: history turned off', () => {
  it('is empty', async () => {
    const api = await ApiClient.open(VARIANTS[0], { HISTORY_DAYS: '0' });
    try {
      await api.uploadedSku({}, 'silent');
      const viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
      assert.deepEqual(await viewer.found('GET', historyPath('silent')), { changes: [], next: null });
    } finally {
      await api.server.close();
    }
  });
});
