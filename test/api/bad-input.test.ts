/** Tests hostile input: it is refused in the usual shape, and changes nothing. */
import assert from 'node:assert/strict';
import { API_PROBLEM_CODES } from '../../src/domain/problem.ts';
import { type ApiAnswer, type ApiClient, requestProblem, skuPath } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { randomBody } from '../harness/random-bodies.ts';
import { pipeline, type RawRequest, sendRaw } from '../harness/raw-http.ts';
import { seededChance } from '../harness/seeded-random.ts';
import { respell } from '../harness/spellings.ts';

const UPDATES = [
  ['PUT', ''],
  ['PUT', '/v2'],
  ['PUT', '/price'],
  ['PATCH', '/inventory'],
  ['PUT', '/variation'],
  ['PUT', '/shippingexception'],
  ['PUT', '/returnsexception'],
  ['PUT', '/status/archive'],
  ['PUT', '/offer'],
] as const;

/** No call accepts any of these bodies. */
const HOSTILE_BODIES: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  'white space': ' \n\t ',
  'a list': '[]',
  'a list of bodies': '[{"price":5}]',
  null: 'null',
  'a number': '1',
  'a text': '"{}"',
  'half an object': '{"price":',
  'two objects': '{}{}',
  'a comment': '{/**/}',
  'single quotes': "{'price':5}",
  XML: '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>',
  'form data': 'price=5&is_archived=true',
  'a NUL byte': '{"price":5}\0',
  'a NUL byte in a text': '{"x":"\0"}',
  'an escaped NUL': '{"x":"\\u0000","price":5,"is_archived":true,"return_location_ids":[],"fulfillment_nodes":[]}',
  'a NUL in a name': '{"x\\u0000":1,"price":5,"is_archived":true,"return_location_ids":[],"fulfillment_nodes":[]}',
  'half a surrogate pair':
    '{"x":"\\ud800","price":5,"is_archived":true,"return_location_ids":[],"fulfillment_nodes":[]}',
  'Latin-1': Buffer.from('{"brand":"Pötter"}', 'latin1'),
  'UTF-16': Buffer.from('{"price":5}', 'utf16le'),
  'overlong UTF-8': Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  'two byte order marks': '\ufeff\ufeff{"price":5}',
  'gzip bytes': Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
  'deep lists': '['.repeat(100_000),
  'deep objects': `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  'a body beyond the limit': `{"price":5${' '.repeat(1_048_576)}}`,
};

/** Hostile parts outside the body; the SKU is `x`, which does not exist. */
const HOSTILE_REQUESTS: Readonly<Record<string, { request: RawRequest; status: number }>> = {
  'SQL in the id': { request: { target: "/merchant-skus/x'%20OR%20'1'='1" }, status: 404 },
  'SQL in a query': { request: { target: "/merchant-skus?after=x';DROP%20TABLE%20sku;--" }, status: 400 },
  'a path upwards': { request: { target: '/merchant-skus/..%2F..%2Fetc%2Fpasswd' }, status: 404 },
  'a path upwards, not encoded': { request: { target: '/merchant-skus/../../etc/passwd' }, status: 404 },
  'an encoded line break': { request: { target: '/merchant-skus/x%0d%0aset-cookie:%20a=b' }, status: 404 },
  'an encoded NUL': { request: { target: '/merchant-skus/x%00' }, status: 400 },
  'a half encoded byte': { request: { target: '/merchant-skus/%e0%80' }, status: 400 },
  'a long id': { request: { target: `/merchant-skus/${'a'.repeat(9000)}` }, status: 400 },
  'many segments': { request: { target: `/merchant-skus/x${'/y'.repeat(4000)}` }, status: 404 },
  'many slashes': { request: { target: `${'/'.repeat(9000)}merchant-skus/x` }, status: 404 },
  'many parameters': { request: { target: `/merchant-skus?${'limit=0&'.repeat(1500)}` }, status: 400 },
  'a parameter that does not decode': { request: { target: '/merchant-skus?sku=%ff' }, status: 400 },
  'an overriding method': {
    request: { method: 'POST', target: '/merchant-skus/x', headers: { 'x-http-method-override': 'PUT' }, body: '{}' },
    status: 405,
  },
  'a long token': {
    request: { target: '/merchant-skus/x', headers: { authorization: `Bearer ${'a'.repeat(9000)}` } },
    status: 401,
  },
  'a token with a line break encoded': {
    request: { target: '/authcheck', headers: { authorization: 'Bearer %0d%0a' } },
    status: 401,
  },
};

function assertShape({ status, body, text, headers }: ApiAnswer): void {
  assert.ok(status >= 400 && status < 500, `${status}: ${text.slice(0, 500)}`);
  const { errors, details, ...rest } = body as { errors: string[]; details: { code: string; message: string }[] };
  assert.deepEqual(rest, {});
  assert.deepEqual(
    errors,
    details.map((detail) => detail.message),
  );
  assert.ok(errors.length > 0 && details.every((detail) => Object.hasOwn(API_PROBLEM_CODES, detail.code)), text);
  assert.ok(headers.get('x-request-id'));
}

const authorized = (api: ApiClient) => ({ authorization: `Bearer ${api.token}` });

/** Reads everything about a SKU. */
async function everythingOf(api: ApiClient, path: string): Promise<string[]> {
  const parts = ['', '/price', '/inventory', '/variation', '/shippingexception', '/returnsexception'];
  const answers = await Promise.all(parts.map((part) => api.get(`${path}${part}`)));
  return answers.map((answer) => answer.text);
}

async function wholeSku(api: ApiClient): Promise<string> {
  const node = { fulfillment_node_id: 'demo-node-east' };
  const child = api.newSkuId();
  const attributes = (value: string) => ({ attributes_node_specific: [{ attribute_id: 119, attribute_value: value }] });
  await api.uploadedSku(attributes('red'), child);
  const path = await api.uploadedSku(attributes('blue'));
  await api.accepted('PUT', `${path}/price`, { price: 5, fulfillment_nodes: [{ ...node, fulfillment_node_price: 4 }] });
  await api.accepted('PATCH', `${path}/inventory`, { fulfillment_nodes: [{ ...node, quantity: 3 }] });
  const group = { relationship: 'Variation', variation_refinements: [119], children_skus: [child] };
  await api.accepted('PUT', `${path}/variation`, group);
  const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
  await api.accepted('PUT', `${path}/shippingexception`, {
    fulfillment_nodes: [{ ...node, shipping_exceptions: [exception] }],
  });
  await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids: ['demo-returns-east'] });
  // The status no longer changes once the SKU is reviewed.
  await api.found(path);
  return path;
}

describeSharedApi('bad input', ({ accepts, refuses }) => {
  refuses('BODY-21', 'hostile bodies on every update, and leaves the SKU as it was', async (api) => {
    const path = await wholeSku(api);
    const before = await everythingOf(api, path);
    for (const [method, part] of UPDATES) {
      for (const body of Object.values(HOSTILE_BODIES)) {
        const answer = await sendRaw(api.server.url, {
          method,
          target: `${path}${part}`,
          headers: authorized(api),
          body,
        });
        assertShape(answer);
        assert.equal(answer.status, 400);
      }
    }
    assert.deepEqual(await everythingOf(api, path), before);
  });

  refuses('BODY-21', 'hostile bodies for a SKU that does not exist, and does not create it', async (api) => {
    const skuId = api.newSkuId();
    for (const part of ['', '/v2']) {
      for (const body of Object.values(HOSTILE_BODIES))
        assertShape(
          await sendRaw(api.server.url, {
            method: 'PUT',
            target: `${skuPath(skuId)}${part}`,
            headers: authorized(api),
            body,
          }),
        );
    }
    const unknown = requestProblem('sku_unknown', `SKU ${skuId} not found.`);
    await api.refused('GET', skuPath(skuId), undefined, [unknown], 404);
  });

  for (const [what, { request, status }] of Object.entries(HOSTILE_REQUESTS)) {
    refuses('BODY-22', `${what}, in the usual shape`, async (api) => {
      const answer = await sendRaw(api.server.url, { ...request, headers: { ...authorized(api), ...request.headers } });
      assertShape(answer);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('set-cookie'), null);
    });
  }

  refuses('BODY-23', 'a body with long names and many problems, in a response no larger than a body', async (api) => {
    // 100 faults below one name of 100,000 characters; the response must not repeat the name for each.
    const body = `{"${'k'.repeat(100_000)}":[${Array(100).fill('"\\u0000"').join(',')}]}`;
    for (const answer of [
      await api.send('POST', '/token', body),
      await api.send('PUT', `${await api.uploadedSku()}/price`, body),
    ]) {
      assert.ok(answer.text.length <= 1_048_576, `the response has ${answer.text.length} characters`);
      assertShape(answer);
    }
  });

  accepts('BODY-24', 'text that looks like an attack as plain text', async (api) => {
    const brand = `'; DROP TABLE sku; -- <script>alert(1)</script> \${7*7} {{7*7}} %s%n \\ " \u202e`;
    const path = await api.uploadedSku({
      brand,
      category_path: '=cmd|calc!A1',
      product_description: '../../etc/passwd\r\n',
    });
    const sku = await api.found(path);
    assert.deepEqual(
      [sku.brand, sku.category_path, sku.product_description],
      [brand, '=cmd|calc!A1', '../../etc/passwd\r\n'],
    );
  });

  accepts('BODY-25', '1,200 random bodies, each stored or refused in the usual shape', async (api) => {
    const chance = seededChance(20_170_529);
    const path = await api.uploadedSku();
    const requests = Array.from({ length: 1200 }, (_, n): RawRequest => {
      const [method, part] = UPDATES[n % UPDATES.length] ?? ['PUT', ''];
      return {
        method,
        target: `${path}${part}`,
        headers: authorized(api),
        body: respell(api.variant, randomBody(chance, part)),
      };
    });
    for (let at = 0; at < requests.length; at += 100) {
      const batch = requests.slice(at, at + 100);
      for (const [n, answer] of (await pipeline(api.server.url, batch)).entries()) {
        if (answer.status === 202 && answer.text === '') continue;
        assert.notEqual(answer.status, 500, `${batch[n]?.method} ${batch[n]?.target} ${batch[n]?.body}`);
        assertShape(answer);
      }
    }
    assert.equal((await api.get('/authcheck')).status, 200);
  });
});
