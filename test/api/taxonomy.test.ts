/** Tests the taxonomy as merchants read it: links, nodes, attributes, search, and cached responses. */
import assert from 'node:assert/strict';
import { LIMITS } from '../../src/domain/limits.ts';
import { importTaxonomy } from '../../src/operations/taxonomy/import-taxonomy.ts';
import type { ApiClient } from '../harness/api-client.ts';
import { noSuchAddress, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer, withSetupStore } from '../harness/own-server.ts';
import { eventually } from './fixtures/merchant-setup.ts';

const COOKWARE = 1_010_100;
const HUGE = '9223372036854775807';
const NO_NODE = requestProblem('taxonomy_node_not_found', 'The taxonomy has no node with this id.');
/** The promised time, plus some for a busy machine. */
const NOTICE_MS = LIMITS.setup_notice_seconds_max * 1000 + 8_000;
const Q_RULE = requestProblem('query_invalid', 'q: must have 1 to 10 words in at most 200 characters.');

const COOKWARE_READ = {
  marketplace_node_id: COOKWARE,
  marketplace_node_name: 'Cookware',
  marketplace_node_path: 'Home & Kitchen > Kitchen > Cookware',
  parent_id: 1_010_500,
  marketplace_level: 2,
  suggested_tax_code: 'Generic Taxable Product',
  active: true,
};

const ADDRESSES = [
  '/taxonomy/links/v1',
  `/taxonomy/nodes/${COOKWARE}`,
  `/taxonomy/nodes/${COOKWARE}/attributes`,
  `/taxonomy/nodes/${COOKWARE}/schema`,
  '/taxonomy/search?q=pot',
];

interface Attribute {
  readonly attribute_id: number | bigint;
  readonly required: boolean;
}

async function attributeOf(api: ApiClient, node: number, id: number): Promise<Attribute | undefined> {
  const { attributes } = await api.found(`/taxonomy/nodes/${node}/attributes`);
  return (attributes as Attribute[]).find(({ attribute_id }) => attribute_id === id);
}

async function namesFound(api: ApiClient, query: string): Promise<unknown[]> {
  const { nodes } = await api.found(`/taxonomy/search?${query}`);
  return (nodes as Record<string, unknown>[]).map((node) => node.marketplace_node_name);
}

/** Imports another taxonomy while the server runs, as the command line does. */
async function replaceTaxonomy(api: ApiClient, ...lines: string[]): Promise<void> {
  await withSetupStore(api.server.place, async (store) => {
    const file = (async function* () {
      yield ['{"offerbook_taxonomy": 1}', ...lines];
    })();
    const outcome = await importTaxonomy({ store: store.taxonomy, nowMs: () => Date.now() }, file, 'test');
    assert.ok(outcome.ok, JSON.stringify(outcome));
  });
}

const statusOf = async (api: ApiClient, path: string) => {
  const { status, sub_status } = await api.found(path);
  return [status, sub_status];
};

describeApi('taxonomy', ({ accepts, refuses }) => {
  accepts('TAX-01', 'a list of all nodes in pages, parents first, the same under every version', async (api) => {
    const all: string[] = [];
    for (let next: string | undefined = '/taxonomy/links/v1?limit=300'; next !== undefined; ) {
      const { headers, body } = await api.get(next);
      all.push(...(body as { node_urls: string[] }).node_urls);
      const [, url] = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
      assert.ok(url === undefined || url.startsWith(`${api.server.url}/taxonomy/links/v1?`));
      next = url?.replace(api.server.url, '');
    }
    assert.ok(all.length > 600);
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(all.slice(0, 2), ['/taxonomy/nodes/1000000', '/taxonomy/nodes/1000500']);
    const { node_urls: first } = await api.found('/taxonomy/links/2019-x');
    assert.deepEqual(first, all.slice(0, LIMITS.list_limit_default));
    const { node_urls: some } = await api.found('/Taxonomy/LINKS/v1?offset=2&limit=3');
    assert.deepEqual(some, all.slice(2, 5));
    assert.deepEqual(await api.found('/taxonomy/links/v1?offset=1000000'), { node_urls: [] });
  });
  for (const [query, rule] of [
    ['limit=0', 'limit: must be a whole number from 1 to 1000.'],
    ['limit=1001', 'limit: must be a whole number from 1 to 1000.'],
    ['limit=x', 'limit: must be a whole number from 1 to 1000.'],
    ['offset=-1', 'offset: must be a whole number from 0 to 2147483647.'],
    ['offset=%', 'offset: must be percent-encoded UTF-8.'],
  ] as const) {
    refuses('TAX-01', `?${query}`, async (api) => {
      await api.refused('GET', `/taxonomy/links/v1?${query}`, undefined, [requestProblem('query_invalid', rule)]);
    });
  }

  accepts('TAX-02', 'a read of a leaf, a department and a shoe product type', async (api) => {
    assert.deepEqual(await api.found(`/taxonomy/nodes/${COOKWARE}`), COOKWARE_READ);
    const { marketplace_node_path, parent_id, marketplace_level } = await api.found('/taxonomy/nodes/1010000');
    assert.deepEqual([marketplace_node_path, parent_id, marketplace_level], ['Home & Kitchen', null, 0]);
    const { marketplace_node_name } = await api.found('/taxonomy/nodes/37005005000');
    assert.equal(marketplace_node_name, 'Boots');
  });
  for (const id of ['1', '1010101', '01010100', '-5', '1.0', 'x', '%31010100', `${HUGE}0`, '__proto__']) {
    refuses('TAX-02', `to read the node ${id}, which does not exist, or its attributes`, async (api) => {
      await api.refused('GET', `/taxonomy/nodes/${id}`, undefined, [NO_NODE], 404);
      await api.refused('GET', `/taxonomy/nodes/${id}/attributes`, undefined, [NO_NODE], 404);
      await api.refused('GET', `/taxonomy/nodes/${id}/schema`, undefined, [NO_NODE], 404);
    });
  }

  accepts('TAX-09', 'a schema with the category, attributes and required fields', async (api) => {
    const { allOf, required } = await api.found(`/taxonomy/nodes/${COOKWARE}/schema`);
    assert.ok((required as string[]).includes('brand'));
    const { properties, ...rules } = (allOf as Record<string, Record<string, unknown>>[]).at(-1) ?? {};
    assert.deepEqual(properties, { marketplace_browse_node_id: { const: COOKWARE } });
    assert.ok((rules.allOf as unknown as { title: string }[]).some(({ title }) => title === 'Color'));
  });
  refuses('TAX-09', 'to read the schema of a node that does not exist', async (api) => {
    await api.refused('GET', '/taxonomy/nodes/1/schema', undefined, [NO_NODE], 404);
  });

  accepts('TAX-03', 'attributes with values or free text, units, range and flags', async (api) => {
    assert.deepEqual(await attributeOf(api, COOKWARE, 119), {
      attribute_id: 119,
      attribute_description: 'Color',
      free_text: true,
      variant: true,
      required: false,
      values: [],
      units: [],
      validation: { data_type: 'text', min_value: null, max_value: null },
    });
    assert.deepEqual(await attributeOf(api, COOKWARE, 153), {
      attribute_id: 153,
      attribute_description: 'Diameter',
      free_text: true,
      variant: true,
      required: false,
      values: [],
      units: ['in', 'cm', 'mm'],
      validation: { data_type: 'number', min_value: 0, max_value: 1000 },
    });
    assert.deepEqual(await attributeOf(api, COOKWARE, 162), {
      attribute_id: 162,
      attribute_description: 'Dishwasher Safe',
      free_text: false,
      variant: false,
      required: false,
      values: ['Yes', 'No'],
      units: [],
      validation: { data_type: 'text', min_value: null, max_value: null },
    });
    assert.equal((await attributeOf(api, 1_000_100, 120))?.required, true, 'clothing needs a size');
    assert.equal((await attributeOf(api, 37_005_005_000, 123))?.required, true, 'shoes need a collection');
    assert.equal((await attributeOf(api, 37_005_005_000, 124))?.required, true, 'shoes need a style');
  });

  accepts('TAX-04', 'a search by words, best first, with where offers may go', async (api) => {
    const { nodes } = await api.found('/taxonomy/search?q=cookware');
    assert.deepEqual((nodes as unknown[])[0], { ...COOKWARE_READ, is_leaf: true });
    assert.deepEqual(await namesFound(api, 'q=DOG+food'), ['Dog Food']);
    assert.deepEqual(await namesFound(api, 'q=d%C3%B6g%20foo'), ['Dog Food'], 'accents and endings do not matter');
    for (const word of ['mugs', 'coffee+cup', 'drinkware'])
      assert.equal((await namesFound(api, `q=${word}`))[0], 'Dinnerware', word);
    assert.deepEqual(await namesFound(api, 'q=clothing&limit=1'), ['Clothing']);
    assert.equal((await namesFound(api, 'q=a')).length, LIMITS.taxonomy_search_limit_default);
    assert.equal((await namesFound(api, 'q=a&limit=100')).length, 100);
    assert.deepEqual(await namesFound(api, 'q=elephants'), []);
    assert.equal((await api.get(`/taxonomy/search?q=${'a'.repeat(200)}`)).status, 200);
    assert.equal((await api.get('/taxonomy/search?q=a+b+c+d+e+f+g+h+i+j')).status, 200);
  });
  for (const [query, problem] of [
    ['', Q_RULE],
    ['?q=', Q_RULE],
    ['?q=%21%3F', Q_RULE],
    [`?q=${'a'.repeat(201)}`, Q_RULE],
    ['?q=a+b+c+d+e+f+g+h+i+j+k', Q_RULE],
    ['?q=%ff', requestProblem('query_invalid', 'q: must be percent-encoded UTF-8.')],
    ['?q=a&limit=101', requestProblem('query_invalid', 'limit: must be a whole number from 1 to 100.')],
  ] as const) {
    refuses('TAX-04', `a search ${query.slice(0, 30)}`, async (api) => {
      await api.refused('GET', `/taxonomy/search${query}`, undefined, [problem]);
    });
  }

  for (const address of ADDRESSES) {
    accepts('TAX-05', `${address} with the current ETag: 304`, async (api) => {
      const first = await api.get(address);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w.-]+"$/);
      assert.equal(first.headers.get('cache-control'), 'private, no-cache');
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await api.send('GET', address, undefined, { 'if-none-match': sent });
        assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], sent);
        assert.equal(again.headers.get('content-length'), null);
      }
      const head = await api.send('HEAD', address, undefined, { 'if-none-match': etag });
      assert.deepEqual([head.status, head.text], [304, '']);
      for (const sent of ['"other"', 'other', '']) {
        const again = await api.send('GET', address, undefined, { 'if-none-match': sent });
        assert.deepEqual([again.status, again.text], [200, first.text], sent);
      }
    });
    refuses('TAX-06', `to change anything at ${address}`, async (api) => {
      const problem = requestProblem('method_not_allowed', 'This path accepts only GET, HEAD.');
      for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
        await api.refused(method, address, undefined, [problem], 405);
      }
    });
    accepts('TAX-06', `${address} with a token, behind /api too`, async (api) => {
      assert.equal((await api.get(`/api${address}`)).status, 200);
    });
    refuses('TAX-06', `to serve ${address} without a token`, async (api) => {
      assert.equal((await fetch(`${api.server.url}${address}`)).status, 401);
    });
  }
  refuses('TAX-05', 'an invalid request whatever its ETag', async (api) => {
    const headers = { 'if-none-match': '*' };
    assert.equal((await api.send('GET', '/taxonomy/nodes/1', undefined, headers)).status, 404);
    assert.equal((await api.send('GET', '/taxonomy/search', undefined, headers)).status, 400);
    assert.equal((await api.send('GET', '/taxonomy/links/v1?limit=0', undefined, headers)).status, 400);
  });
  refuses('TAX-06', 'other addresses', async (api) => {
    for (const address of ['/taxonomy', '/taxonomy/nodes', '/taxonomy/links', '/taxonomy/nodes/1/x', '/taxonomy/x']) {
      await api.refused('GET', address, undefined, [noSuchAddress('GET', address)], 404);
    }
  });
});

describeApi('a taxonomy that changes', ({ accepts, refuses }) => {
  accepts('TAX-07', 'another taxonomy within two seconds: reads, tags, uploads and statuses follow', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      const path = await own.uploadedSku();
      await own.accepted('PUT', `${path}/price`, { price: 5 });
      assert.deepEqual(await statusOf(own, path), ['Available For Purchase', []]);
      const etag = (await own.get('/taxonomy/links/v1')).headers.get('etag') ?? '';

      await replaceTaxonomy(
        own,
        `{"attribute": "color", "id": ${HUGE}, "description": "Color", "values": ["Ünique"]}`,
        '{"node": 1, "name": "Everything", "required": ["color"]}',
        `{"node": ${HUGE}, "parent": 1, "name": "Töpfe", "tax_code": "Candy"}`,
        '{"node": 3, "parent": 1, "name": "Gone soon", "active": false}',
      );
      const isNew = async () => (await own.get('/taxonomy/nodes/1')).status === 200;
      await eventually(isNew, 'the new taxonomy is read', NOTICE_MS);

      assert.deepEqual(await own.found('/taxonomy/links/v1'), {
        node_urls: ['/taxonomy/nodes/1', `/taxonomy/nodes/${HUGE}`, '/taxonomy/nodes/3'],
      });
      const read = await own.get(`/taxonomy/nodes/${HUGE}`);
      assert.match(read.text, new RegExp(`"marketplace_node_id":${HUGE},`));
      assert.match((await own.get(`/taxonomy/nodes/${HUGE}/attributes`)).text, new RegExp(`"attribute_id":${HUGE},`));
      assert.deepEqual(await namesFound(own, 'q=topfe'), ['Töpfe']);
      const stale = await own.send('GET', '/taxonomy/links/v1', undefined, { 'if-none-match': etag });
      assert.equal(stale.status, 200);
      assert.notEqual(stale.headers.get('etag'), etag);

      assert.deepEqual(await statusOf(own, path), ['Missing Listing Data', ['Invalid category']], 'its node is gone');
      const inNode = async (id: string) => {
        const attributes_node_specific = [{ attribute_id: BigInt(HUGE), attribute_value: 'Ünique' }];
        const body = { attributes_node_specific, marketplace_browse_node_id: BigInt(id) };
        const uploaded = await own.uploadedSku(body);
        await own.accepted('PUT', `${uploaded}/price`, { price: 5 });
        return statusOf(own, uploaded);
      };
      assert.deepEqual(await inNode(HUGE), ['Available For Purchase', []]);
      assert.deepEqual(await inNode('3'), ['Missing Listing Data', ['Invalid category']], 'it is not active');

      await withSetupStore(own.server.place, (store) => store.taxonomy.dropTaxonomy());
      const isBack = async () => (await own.get(`/taxonomy/nodes/${COOKWARE}`)).status === 200;
      await eventually(isBack, 'the starter is back', NOTICE_MS);
      assert.deepEqual(await statusOf(own, path), ['Available For Purchase', []]);
      assert.equal((await own.get('/taxonomy/links/v1')).headers.get('etag'), etag);
    });
  });
  refuses('TAX-07', 'an upload that names a node of the old taxonomy', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      await replaceTaxonomy(own, '{"node": 1, "name": "Everything"}');
      const isNew = async () => (await own.get('/taxonomy/nodes/1')).status === 200;
      await eventually(isNew, 'the new taxonomy is read', NOTICE_MS);
      const { status, body } = await own.put('/merchant-skus/x', {
        ...{ product_title: 'Title', multipack_quantity: 1, ASIN: 'B000000000', brand: 'B' },
        ...{ main_image_url: 'https://images.example/a.jpg', marketplace_browse_node_id: COOKWARE },
      });
      const { details } = body as { details: { code: string }[] };
      assert.deepEqual([status, details.map(({ code }) => code)], [400, ['browse_node_unknown']]);
    });
  });
});
