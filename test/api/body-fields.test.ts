/** Tests the rules for the fields of every body: types, null, unknown names, forbidden characters, limits. */
import assert from 'node:assert/strict';
import {
  type ApiAnswer,
  type ApiClient,
  assertProblems,
  minimalSku,
  problemAt,
  requestProblem,
  skuPath,
} from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { sendRaw } from '../harness/raw-http.ts';

const EAST = 'demo-node-east';
const FORBIDDEN = 'must not contain NUL characters or unpaired surrogates';
const ID_RULE = 'must be a whole number from 1 to 9223372036854775807, in plain digits';
const QUANTITY = 'must be an integer from 0 to 2147483647';

const sendSku = (api: ApiClient, fields: Record<string, unknown>) =>
  api.put(skuPath(api.newSkuId()), { ...minimalSku(), ...fields });

const sendPrice = async (api: ApiClient, body: unknown) => api.put(`${await api.uploadedSku()}/price`, body);

/** Returns the ignored fields that a response names, as JSON pointers. */
function ignoredFields(answer: ApiAnswer): string[] | undefined {
  return answer.headers.get('x-ignored-fields')?.split(', ').map(decodeURIComponent);
}

const attribute = (id: string) => `[{"attribute_id":${id},"attribute_value":"red"}]`;
const withAttribute = (id: string) =>
  JSON.stringify({ ...minimalSku(), attributes_node_specific: 0 }).replace(
    '"attributes_node_specific":0',
    `"attributes_node_specific":${attribute(id)}`,
  );

describeSharedApi('body fields', ({ accepts, refuses, bounds }) => {
  bounds('BODY-11', {
    send: sendSku,
    accepted: {
      'numbers that are whole, however written': { multipack_quantity: 3.0, msrp: 1 },
      'texts of digits where texts are asked for': { map_implementation: '101', brand: '3', fulfillment_time: '3' },
    },
    refused: {
      'a text for an integer': {
        body: { multipack_quantity: '3' },
        problems: [problemAt('wrong_type', 'multipack_quantity', 'must be an integer from 1 to 128')],
      },
      'a fraction for an integer': {
        body: { multipack_quantity: 1.5 },
        problems: [problemAt('wrong_type', 'multipack_quantity', 'must be an integer from 1 to 128')],
      },
      'a number for a text': {
        body: { map_implementation: 101, brand: 3 },
        problems: [
          problemAt('wrong_type', 'brand', 'must be a string'),
          problemAt(
            'wrong_type',
            'map_implementation',
            'must be one of: 101, 102, 103, Type0, Type1, Type2, Type3, Type4',
          ),
        ],
      },
      'a text or a number for a truth value': {
        body: { prop_65: 'true' },
        problems: [problemAt('wrong_type', 'prop_65', 'must be true or false')],
      },
      'a truth value for a number': {
        body: { msrp: true },
        problems: [problemAt('wrong_type', 'msrp', 'must be a number from 0.01 to 1000000000')],
      },
      'an object for a list, a list for a text': {
        body: { bullets: {}, brand: ['a'] },
        problems: [
          problemAt('wrong_type', 'brand', 'must be a string'),
          problemAt('wrong_type', 'bullets', 'must be a list'),
        ],
      },
      'a text for an object': {
        body: { standard_product_codes: ['012345678905'] },
        problems: [problemAt('wrong_type', 'standard_product_codes[0]', 'must be an object')],
      },
    },
  });

  accepts('BODY-12', 'null in an optional field as absent, and does not return it', async (api) => {
    const path = await api.uploadedSku({ msrp: null, bullets: null, prop_65: null, ASIN: null, ships_alone: null });
    const sku = await api.found(path);
    assert.deepEqual([sku.prop_65, 'msrp' in sku, 'bullets' in sku], [false, false, false]);
    const answer = await sendPrice(api, { price: 5, fulfillment_nodes: null });
    assert.deepEqual([answer.status, ignoredFields(answer)], [202, undefined]);
  });

  refuses('BODY-12', 'null in a required field as missing, and as an entry of a list', async (api) => {
    assertProblems(await sendSku(api, { brand: null }), [problemAt('required', 'brand', 'is required')]);
    assertProblems(await sendSku(api, { bullets: [null] }), [
      problemAt('wrong_type', 'bullets[0]', 'must be a string'),
    ]);
    assertProblems(await sendPrice(api, { price: 5, fulfillment_nodes: [null] }), [
      problemAt('wrong_type', 'fulfillment_nodes[0]', 'must be an object'),
    ]);
  });

  accepts('BODY-13', 'unknown fields, which it names and does not store', async (api) => {
    const path = skuPath(api.newSkuId());
    const answer = await api.accepted('PUT', path, {
      ...minimalSku(),
      product_titel: 'x',
      alternate_images: [{ image_slot_id: 1, image_url: 'https://i.example/a', alt: { deep: [1] } }],
      'a/b~c, d': 1,
      'ü😀': 1,
      '': 1,
    });
    const header = answer.headers.get('x-ignored-fields') ?? '';
    assert.match(header, /^[\w%.!~*'(), -]+$/);
    const pointers = ['/alternate_images/0/alt', '/product_titel', '/a~1b~0c, d', '/ü😀', '/'];
    assert.deepEqual(ignoredFields(answer), pointers);
    const sku = await api.found(path);
    assert.deepEqual(sku.alternate_images, [{ image_slot_id: 1, image_url: 'https://i.example/a' }]);
    assert.deepEqual(
      Object.keys(sku).filter((key) => pointers.includes(`/${key}`)),
      [],
    );
  });

  accepts('BODY-13', 'a body of known fields without the header, and a refused body with it', async (api) => {
    assert.equal((await sendPrice(api, { price: 5 })).headers.has('x-ignored-fields'), false);
    assert.deepEqual(ignoredFields(await sendPrice(api, { prise: 5 })), ['/prise']);
    const body = JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret', scope: 'all' });
    const token = await sendRaw(api.server.url, { method: 'POST', target: '/token', body });
    assert.deepEqual([token.status, ignoredFields(token)], [200, ['/scope']]);
  });

  accepts('BODY-14', 'at most 20 names and 1,000 bytes in X-Ignored-Fields', async (api) => {
    const unknown = (count: number, name: (n: number) => string) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), n]));
    const twenty = await sendPrice(api, { price: 5, ...unknown(20, (n) => `x${n}`) });
    assert.equal(ignoredFields(twenty)?.length, 20);
    const more = await sendPrice(api, { price: 5, ...unknown(21, (n) => `x${n}`) });
    assert.deepEqual(ignoredFields(more), ignoredFields(twenty));

    // Each has 3 characters of encoded slash and 97 of name, with ", " between: nine take 916 bytes, ten would take 1,018.
    const long = await sendPrice(api, { price: 5, ...unknown(12, (n) => `${n}`.padEnd(97, 'x')) });
    assert.deepEqual([long.headers.get('x-ignored-fields')?.length, ignoredFields(long)?.length], [916, 9]);
    const exact = await sendPrice(api, { price: 5, ...unknown(10, (n) => `n${n}`.padEnd(n === 9 ? 79 : 97, 'x')) });
    assert.deepEqual([exact.headers.get('x-ignored-fields')?.length, ignoredFields(exact)?.length], [1000, 10]);
    const huge = await sendPrice(api, { price: 5, ['x'.repeat(100_000)]: 1 });
    assert.deepEqual([huge.status, (huge.headers.get('x-ignored-fields') ?? '').length], [202, 0]);
  });

  accepts('BODY-15', '__proto__, constructor and similar names as unknown names', async (api) => {
    const path = await api.uploadedSku();
    const text = '{"price":5,"__proto__":{"price":9,"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const answer = await api.accepted('PUT', `${path}/price`, text);
    assert.deepEqual(ignoredFields(answer), ['/__proto__', '/constructor']);
    assert.equal((await api.found(`${path}/price`)).price, 5);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  refuses('BODY-15', 'a required field that only a __proto__ holds', async (api) => {
    assertProblems(await sendPrice(api, '{"__proto__":{"price":5}}'), [problemAt('required', 'price', 'is required')]);
    const nodes = '{"price":5,"fulfillment_nodes":[{"__proto__":{"fulfillment_node_id":"demo-node-east"}}]}';
    assertProblems(await sendPrice(api, nodes), [
      problemAt('required', 'fulfillment_nodes[0].fulfillment_node_id', 'is required'),
      problemAt('required', 'fulfillment_nodes[0].fulfillment_node_price', 'is required'),
    ]);
  });

  accepts('BODY-16', 'escaped pairs of surrogates, escaped backslashes, and other control characters', async (api) => {
    const path = skuPath(api.newSkuId());
    const body = JSON.stringify({ ...minimalSku(), brand: 'B' }).replace('"B"', '"\\ud83d\\ude00 \\\\u0000 \\u0001"');
    await api.accepted('PUT', path, body);
    assert.equal((await api.found(path)).brand, '😀 \\u0000 \u0001');
  });

  for (const [what, code] of Object.entries({
    NUL: '\\u0000',
    'half a pair': '\\ud83d',
    'the other half': '\\uDE00',
  })) {
    refuses('BODY-16', `${what} in a value, known or unknown, at any depth`, async (api) => {
      assertProblems(await sendPrice(api, `{"price":5,"fulfillment_nodes":[{"fulfillment_node_id":"a${code}"}]}`), [
        problemAt('forbidden_character', 'fulfillment_nodes[0].fulfillment_node_id', FORBIDDEN),
        problemAt('required', 'fulfillment_nodes[0].fulfillment_node_price', 'is required'),
      ]);
      assertProblems(await sendPrice(api, `{"price":5,"x":{"y":[1,"${code}"]}}`), [
        problemAt('forbidden_character', 'x.y[1]', FORBIDDEN),
      ]);
    });

    refuses('BODY-16', `${what} in a name, without repeating the name`, async (api) => {
      assertProblems(await sendPrice(api, `{"price":5,"x":{"a${code}":1}}`), [
        problemAt('forbidden_character', 'x', `has a name that ${FORBIDDEN}`),
      ]);
      const problem = requestProblem('forbidden_character', `The body has a name that ${FORBIDDEN}`);
      assertProblems(await sendPrice(api, `{"price":5,"a${code}":1}`), [problem]);
    });
  }

  bounds('BODY-17', {
    send: sendSku,
    accepted: {
      '100 emoji where 100 characters are allowed': { brand: '😀'.repeat(100), bullets: ['👍'.repeat(500)] },
    },
    refused: {
      'one more': {
        body: { brand: '😀'.repeat(101) },
        problems: [problemAt('too_long', 'brand', 'must have 1 to 100 characters')],
      },
      'four emoji where five characters are asked for': {
        body: { product_title: '😀'.repeat(4) },
        problems: [problemAt('too_short', 'product_title', 'must have 5 to 500 characters')],
      },
    },
  });

  accepts('BODY-18', 'integers up to 2^63 - 1, exact in and out', async (api) => {
    for (const id of ['1', '9007199254740991', '9007199254740993', '9223372036854775807']) {
      const path = skuPath(api.newSkuId());
      await api.accepted('PUT', path, withAttribute(id));
      assert.ok((await api.get(path)).text.includes(`"attributes_node_specific":${attribute(id)}`), id);
    }
  });

  refuses('BODY-18', 'larger integers, and integers that lost digits', async (api) => {
    for (const [id, code] of [
      ['9223372036854775808', 'too_large'],
      ['99999999999999999999999', 'too_large'],
      ['1e19', 'too_large'],
      ['9007199254740993.0', 'too_large'],
      ['0', 'too_small'],
      ['-9223372036854775808', 'too_small'],
      ['1.5', 'wrong_type'],
      ['"1"', 'wrong_type'],
    ] as const) {
      const problem = problemAt(code, 'attributes_node_specific[0].attribute_id', ID_RULE);
      await api.refused('PUT', skuPath(api.newSkuId()), withAttribute(id), [problem]);
    }
  });

  refuses('BODY-19', 'a list that is too long, without checking its entries', async (api) => {
    const patch = async (nodes: unknown[]) =>
      api.patch(`${await api.uploadedSku()}/inventory`, { fulfillment_nodes: nodes });
    assertProblems(await patch(Array(1001).fill('no node')), [
      problemAt('too_many', 'fulfillment_nodes', 'must have at most 1000 entries'),
    ]);
    assertProblems(await patch([{ fulfillment_node_id: EAST, quantity: -1 }]), [
      problemAt('too_small', 'fulfillment_nodes[0].quantity', QUANTITY),
    ]);
  });

  refuses('BODY-20', 'a body, with all its problems in one response', async (api) => {
    assertProblems(
      await sendSku(api, { product_title: 'abc', multipack_quantity: 0, brand: '', msrp: 'x', bullets: [''] }),
      [
        problemAt('too_short', 'product_title', 'must have 5 to 500 characters'),
        problemAt('too_small', 'multipack_quantity', 'must be an integer from 1 to 128'),
        problemAt('too_short', 'brand', 'must have 1 to 100 characters'),
        problemAt('too_short', 'bullets[0]', 'must have 1 to 500 characters'),
        problemAt('wrong_type', 'msrp', 'must be a number from 0.01 to 1000000000'),
      ],
    );
  });

  refuses('BODY-20', 'up to 100 problems by name, and says when there are more', async (api) => {
    const patch = async (count: number) => {
      const nodes = Array.from({ length: count }, () => ({ fulfillment_node_id: EAST, quantity: -1 }));
      return api.patch(`${await api.uploadedSku()}/inventory`, { fulfillment_nodes: nodes });
    };
    const problems = (count: number) =>
      Array.from({ length: count }, (_, n) => problemAt('too_small', `fulfillment_nodes[${n}].quantity`, QUANTITY));
    assertProblems(await patch(100), problems(100));
    const more = requestProblem(
      'more_problems',
      'There are more problems than this list shows. Fix these, then try again.',
    );
    assertProblems(await patch(101), [...problems(99), more]);
    assertProblems(await patch(1000), [...problems(99), more]);
  });
});
