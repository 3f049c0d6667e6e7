/** Tests the fixes that the review offers, and the call that applies them. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, problemAt, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { archive, skuUnknown } from './fixtures/check-order.ts';

const PHONES = 1_022_000;
const SMARTPHONES = 1_022_010;
const TELEVISIONS = 1_021_510;
const SCREEN_SIZE = 169;

interface ShownFix {
  readonly id: string;
  readonly kind: string;
}

interface OfferedFix extends ShownFix {
  readonly confidence: string;
  readonly source: string;
  readonly patch: readonly { readonly value: unknown }[];
}

/** Uploads a SKU whose multipack quantity and screen size are wrong. */
async function faultySku(api: ApiClient): Promise<string> {
  return await api.uploadedSku({ ...api.newProductCodes(), ...FAULTY });
}

const FAULTY = {
  product_title: 'Television, 55 inch, pack of 2',
  multipack_quantity: 1,
  marketplace_browse_node_id: TELEVISIONS,
  attributes_node_specific: [{ attribute_id: SCREEN_SIZE, attribute_value: '55 inches' }],
};

async function fixesOf(api: ApiClient, path: string): Promise<readonly ShownFix[]> {
  const { checks } = (await api.found(`${path}/review`)) as { checks: { check: string; fixes?: ShownFix[] }[] };
  return checks.flatMap(({ fixes = [] }) => fixes);
}

const idsOf = (fixes: readonly ShownFix[]) => fixes.map(({ id }) => id);

describeApi('fixes of the review', ({ accepts, refuses }) => {
  accepts('FIX-01', 'a failed check with the changes that would resolve it', async (api) => {
    const fixes = await fixesOf(api, await faultySku(api));
    assert.deepEqual(
      fixes.map(({ id, ...fix }) => [id.length, fix]),
      [
        [
          21,
          {
            kind: 'attribute',
            confidence: 'certain',
            source: 'category_rule',
            part: 'sku',
            patch: [
              {
                op: 'replace',
                path: '/attributes_node_specific/0',
                value: { attribute_id: SCREEN_SIZE, attribute_value: '55', attribute_value_unit: 'in' },
              },
            ],
            before: { attribute_id: SCREEN_SIZE, attribute_value: '55 inches' },
            text: 'Set Screen Size to 55 in.',
          },
        ],
        [
          21,
          {
            kind: 'multipack_quantity',
            confidence: 'certain',
            source: 'title',
            part: 'sku',
            patch: [{ op: 'replace', path: '/multipack_quantity', value: 2 }],
            before: 1,
            text: 'Set the multipack quantity to 2, as in the title.',
          },
        ],
      ],
    );
    assert.deepEqual(await fixesOf(api, await api.uploadedSku(api.newProductCodes())), []);
  });

  accepts('FIX-04', 'a likely category, from the titles of listed products', async (api) => {
    const path = await api.uploadedSku({
      ...api.newProductCodes(),
      product_title: 'Smartphones',
      marketplace_browse_node_id: PHONES,
    });
    // The first review of a process starts to train the model.
    const [fix] = await waitToSee('a guess', async () => {
      const fixes = (await fixesOf(api, path)) as readonly OfferedFix[];
      return fixes.length > 0 ? fixes : undefined;
    });
    assert.deepEqual([fix?.kind, fix?.confidence, fix?.source], ['invalid_category', 'likely', 'live_offers']);
    assert.deepEqual(
      fix?.patch?.map(({ value }) => value),
      [SMARTPHONES],
    );
  });
  refuses('FIX-04', 'a guess if nothing in the title names a category', async (api) => {
    const path = await api.uploadedSku({
      ...api.newProductCodes(),
      product_title: 'Xyzzyx',
      marketplace_browse_node_id: PHONES,
    });
    assert.deepEqual(await fixesOf(api, path), []);
  });

  accepts('FIX-02', 'chosen fixes, as a write with an author, which can be restored', async (api) => {
    const path = await faultySku(api);
    const [attribute, pack] = await fixesOf(api, path);
    const before = await api.found(path);
    const dry = await api.send('POST', `${path}/review/fixes?dry_run=true`, { fixes: [pack?.id] });
    assert.deepEqual([dry.status, (await api.found(path)).multipack_quantity], [200, 1]);
    await api.accepted('POST', `${path}/review/fixes`, { fixes: [attribute?.id, pack?.id, pack?.id] });
    const { multipack_quantity, attributes_node_specific } = await api.found(path);
    assert.equal(multipack_quantity, 2);
    assert.deepEqual(attributes_node_specific, [
      { attribute_id: SCREEN_SIZE, attribute_value: '55', attribute_value_unit: 'in' },
    ]);
    const { changes } = (await api.found(`${path}/history`)) as { changes: { id: number; by: { kind: string } }[] };
    assert.equal(changes[0]?.by.kind, 'key');
    assert.deepEqual(await fixesOf(api, path), []);
    await api.accepted('POST', `${path}/history/${changes[0]?.id}/restore`, undefined);
    assert.deepEqual((await api.found(path)).multipack_quantity, before.multipack_quantity);
  });
  refuses('FIX-02', 'fixes of an offer that has changed, is archived, or does not exist', async (api) => {
    const path = await faultySku(api);
    const ids = idsOf(await fixesOf(api, path));
    await api.accepted('PUT', path, { ...minimalSku(), ...FAULTY, brand: 'Other' });
    const stale = await api.send('POST', `${path}/review/fixes`, { fixes: ids });
    const { details } = stale.body as { details: { code: string }[] };
    assert.deepEqual([stale.status, details.map(({ code }) => code)], [412, ['fix_stale']]);
    const fresh = idsOf(await fixesOf(api, path));
    const other = await api.send('POST', `${path}/review/fixes`, { fixes: fresh }, { 'if-match': '"other"' });
    assert.equal(other.status, 412);
    assert.equal((await api.found(path)).multipack_quantity, 1);
    await archive(api, path);
    const archived = await api.send('POST', `${path}/review/fixes`, { fixes: fresh });
    assert.equal((archived.body as { details: { code: string }[] }).details[0]?.code, 'sku_archived');
    const skuId = api.newSkuId();
    await api.refused('POST', `${skuPath(skuId)}/review/fixes`, { fixes: fresh }, [skuUnknown(skuId)], 404);
  });

  accepts('FIX-03', 'one of several fixes', async (api) => {
    const path = await faultySku(api);
    const [, pack] = await fixesOf(api, path);
    await api.accepted('POST', `${path}/review/fixes`, { fixes: [pack?.id] });
    assert.deepEqual(
      (await fixesOf(api, path)).map(({ kind }) => kind),
      ['attribute'],
    );
  });
  refuses('FIX-03', 'fixes that the review does not offer, and a body without fixes', async (api) => {
    const path = await faultySku(api);
    const [attribute] = await fixesOf(api, path);
    const unknown = `${attribute?.id.split('.')[0]}.unknown`;
    const problem = problemAt('fix_unknown', 'fixes[1]', 'is not a fix of the current review');
    await api.refused('POST', `${path}/review/fixes`, { fixes: [attribute?.id, unknown] }, [problem]);
    const empty = await api.send('POST', `${path}/review/fixes`, { fixes: [] });
    const missing = await api.send('POST', `${path}/review/fixes`, {});
    assert.deepEqual([empty.status, missing.status], [400, 400]);
    assert.equal((await api.found(path)).multipack_quantity, 1);
  });
});
