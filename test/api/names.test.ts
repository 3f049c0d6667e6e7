/** Tests the white label with configured and neutral names, and compares the exact text of both. */
import assert from 'node:assert/strict';
import { readSettings, SettingError } from '../../src/config/settings.ts';
import { type ApiClient, assertProblems, minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { respell, SPELLINGS } from '../harness/spellings.ts';
import { withPlace } from '../harness/store-place.ts';

const NODE_FIELD = 'marketplace_browse_node_id';
const KEYWORD_FIELD = 'external_item_type_keyword';
const METHOD = '<carrier_2> Ground';

/** Sends and receives names as they are; the harness would otherwise convert them. */
const send = (api: ApiClient, method: string, target: string, body?: unknown) =>
  sendRaw(api.server.url, {
    method,
    target,
    headers: { authorization: `Bearer ${api.token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const set = (api: ApiClient, name: string) => respell(api.variant, name);
const isRenamed = (api: ApiClient) => set(api, NODE_FIELD) !== NODE_FIELD;

function skuWith(fields: Record<string, unknown>): Record<string, unknown> {
  const { [NODE_FIELD]: _node, ...rest } = minimalSku();
  return { ...rest, ...fields };
}

function assertNoNeutralName(api: ApiClient, text: string): void {
  for (const [neutral] of api.variant.pairs) assert.ok(!text.includes(neutral), `${neutral} in ${text}`);
}

const exception = (method: string) => ({
  fulfillment_nodes: [
    {
      fulfillment_node_id: 'demo-node-east',
      shipping_exceptions: [{ shipping_method: method, shipping_exception_type: 'restricted' }],
    },
  ],
});

const settingFault = (variables: Record<string, string>): string => {
  try {
    readSettings(variables);
  } catch (error) {
    assert.ok(error instanceof SettingError);
    return error.message;
  }
  return 'no fault';
};

describeApi('names', ({ accepts, refuses }) => {
  accepts('NAME-01', 'renamed fields under either name, and returns the configured one', async (api) => {
    for (const spell of [(name: string) => name, (name: string) => set(api, name)]) {
      const path = skuPath(api.newSkuId());
      const fields = { [spell(NODE_FIELD)]: 1_010_100, [spell(KEYWORD_FIELD)]: 'pots' };
      const answer = await send(api, 'PUT', path, skuWith(fields));
      assert.deepEqual([answer.status, answer.headers.get('x-ignored-fields')], [202, null]);
      const { text, body } = await send(api, 'GET', path);
      const sku = body as Record<string, unknown>;
      assert.deepEqual([sku[set(api, NODE_FIELD)], sku[set(api, KEYWORD_FIELD)]], [1_010_100, 'pots']);
      assertNoNeutralName(api, text);
    }
  });

  refuses('NAME-01', 'a name that is not configured', async (api) => {
    const other = isRenamed(api) ? 'souk_browse_node_id' : 'bazaar_browse_node_id';
    const answer = await send(api, 'PUT', skuPath(api.newSkuId()), skuWith({ [other]: 1_010_100 }));
    assert.deepEqual([answer.status, answer.headers.get('x-ignored-fields')], [202, `%2F${other}`]);
  });

  accepts('NAME-02', 'carriers under either name, and returns the configured one', async (api) => {
    for (const method of [METHOD, set(api, METHOD)]) {
      const path = await api.uploadedSku();
      assert.equal((await send(api, 'PUT', `${path}/shippingexception`, exception(method))).status, 202);
      const read = await send(api, 'GET', `${path}/shippingexception`);
      assert.deepEqual(read.body, exception(set(api, METHOD)));
      assertNoNeutralName(api, (await send(api, 'GET', path)).text);
    }
    const nodes = await send(api, 'GET', '/fulfillment-nodes');
    assert.ok(nodes.text.includes(set(api, METHOD)));
    assertNoNeutralName(api, nodes.text);
    assertNoNeutralName(api, (await send(api, 'GET', '/setup/returnsLocations')).text);
  });

  refuses('NAME-02', 'an unknown carrier name', async (api) => {
    const answer = await send(api, 'PUT', `${await api.uploadedSku()}/shippingexception`, exception('Nobody Ground'));
    assert.equal(answer.status, 400);
    assert.ok(
      answer.text.includes(`must be one of: ${set(api, '<carrier_1> Global Mail')}, ${set(api, '<carrier_2> 2 Day')}`),
    );
  });

  refuses('NAME-03', 'both names in one object', async (api) => {
    const fields = { [NODE_FIELD]: 1_010_100, bazaar_browse_node_id: 1_010_100 };
    const keywords = { [KEYWORD_FIELD]: 'a', rival_item_type_keyword: 'a' };
    const answer = await send(api, 'PUT', skuPath(api.newSkuId()), skuWith({ ...fields, ...keywords }));
    if (!isRenamed(api)) {
      // Only one of the two spellings is a known name here.
      assert.equal(answer.headers.get('x-ignored-fields'), '%2Fbazaar_browse_node_id, %2Frival_item_type_keyword');
      return;
    }
    const problem = (set: string, neutral: string) => ({
      code: 'duplicate_spelling',
      field: `/${set}`,
      message: `${set}: must not be sent together with ${neutral}, its other name`,
    });
    assertProblems(answer, [
      problem('bazaar_browse_node_id', NODE_FIELD),
      problem('rival_item_type_keyword', KEYWORD_FIELD),
    ]);
  });

  accepts('NAME-03', 'both names where one of them is null', async (api) => {
    const path = skuPath(api.newSkuId());
    const fields = { [NODE_FIELD]: null, [set(api, KEYWORD_FIELD)]: 'pots' };
    const renamed = isRenamed(api) ? { [set(api, NODE_FIELD)]: 1_010_100, [KEYWORD_FIELD]: null } : {};
    assert.equal((await send(api, 'PUT', path, skuWith({ ...fields, ...renamed }))).status, 202);
    const sku = (await send(api, 'GET', path)).body as Record<string, unknown>;
    assert.equal(sku[set(api, KEYWORD_FIELD)], 'pots');
    assert.equal(sku[set(api, NODE_FIELD)], isRenamed(api) ? 1_010_100 : undefined);
  });

  refuses('NAME-04', 'problems under the configured name, whichever was sent', async (api) => {
    const field = set(api, NODE_FIELD);
    const problem = {
      code: 'browse_node_unknown',
      field: `/${field}`,
      message: `${field}: must be a node of the taxonomy: see GET /taxonomy/search`,
    };
    for (const name of [NODE_FIELD, field])
      assertProblems(await send(api, 'PUT', skuPath(api.newSkuId()), skuWith({ [name]: 5 })), [problem]);
  });

  accepts('NAME-05', 'an OpenAPI document with only the configured names', async (api) => {
    const { text, body } = await send(api, 'GET', '/openapi.json');
    for (const name of [NODE_FIELD, KEYWORD_FIELD, METHOD, 'Under Jet Review', '<carrier_5> Media Mail'])
      assert.ok(text.includes(set(api, name)), set(api, name));
    assertNoNeutralName(api, text);
    const { schemas } = (body as { components: { schemas: Record<string, { properties: object }> } }).components;
    assert.ok(set(api, NODE_FIELD) in (schemas.PutSkuBody?.properties ?? {}));
  });

  accepts('NAME-06', 'a store that was written under other names, without a migration', async (api) => {
    const other = SPELLINGS.find(({ pairs }) => pairs !== api.variant.pairs);
    assert.ok(other);
    await withPlace(api.variant.store, async (place) => {
      const readUnder = async (spelling: typeof other, body?: unknown) => {
        const { result } = await withOfferbook(place, { demo: true, settings: spelling.settings }, async (url) => {
          const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
          const text = respell(spelling, JSON.stringify(body) ?? '');
          if (text !== '') await sendRaw(url, { method: 'PUT', target: '/merchant-skus/x', headers, body: text });
          return (await sendRaw(url, { target: '/merchant-skus/x', headers })).body;
        });
        return result as Record<string, unknown>;
      };
      const written = await readUnder(api.variant, { ...minimalSku(), [KEYWORD_FIELD]: 'pots' });
      const renamed = await readUnder(other);
      const fields = [NODE_FIELD, KEYWORD_FIELD];
      const values = fields.map((name) => written[respell(api.variant, name)]);
      assert.deepEqual(values, [1_010_100, 'pots']);
      assert.deepEqual(
        fields.map((name) => renamed[respell(other, name)]),
        values,
      );
      assert.deepEqual(
        fields.filter((name) => respell(api.variant, name) in renamed),
        [],
      );
    });
  });

  accepts('NAME-07', 'the neutral names without settings', async () => {
    const { marketplaceName, externalName, carrierNames, reviewStatus } = readSettings({});
    assert.deepEqual(
      { marketplaceName, externalName, carrierNames, reviewStatus },
      {
        marketplaceName: 'marketplace',
        externalName: 'external',
        carrierNames: ['<carrier_1>', '<carrier_2>', '<carrier_3>', '<carrier_4>', '<carrier_5>'],
        reviewStatus: 'Under Jet Review',
      },
    );
  });

  refuses('NAME-07', 'bad names at start, by the name of the setting', async () => {
    const part = 'be 1 to 32 lower-case letters, digits or underscores, a letter first';
    const five = 'be five different names of at most 50 characters, separated by commas';
    for (const [name, value, rule] of [
      ['MARKETPLACE_NAME', '', part],
      ['MARKETPLACE_NAME', 'Bazaar', part],
      ['MARKETPLACE_NAME', '1st', part],
      ['MARKETPLACE_NAME', 'x'.repeat(33), part],
      ['EXTERNAL_NAME', 'a-b', part],
      ['EXTERNAL_NAME', 'a b', part],
      ['CARRIER_NAMES', 'A,B,C,D', five],
      ['CARRIER_NAMES', 'A,B,C,D,E,F', five],
      ['CARRIER_NAMES', 'A,B,C,D,', five],
      ['CARRIER_NAMES', 'A,B,C,D,A', five],
      ['CARRIER_NAMES', `A,B,C,D,${'x'.repeat(51)}`, five],
      ['CARRIER_NAMES', '<carrier_2>,B,C,D,E', 'use <carrier_N> only at position N'],
      ['REVIEW_STATUS', '', 'be 1 to 100 characters and differ from the other statuses'],
      ['REVIEW_STATUS', 'Archived', 'be 1 to 100 characters and differ from the other statuses'],
      ['REVIEW_STATUS', 'x'.repeat(101), 'be 1 to 100 characters and differ from the other statuses'],
    ] as const)
      assert.equal(settingFault({ [name]: value }), `${name} must ${rule} (it is ${JSON.stringify(value)})`);
  });
});
