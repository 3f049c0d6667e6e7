/** Tests the rules for every body as bytes and as JSON, before its fields are checked. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type ApiClient, assertProblems, minimalSku, problemAt, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { chunked, type RawRequest, sendRaw } from '../harness/raw-http.ts';

const BODY_BYTES_MAX = 1_048_576;
const OPEN_BODY_BYTES_MAX = 8192;
const DEPTH_MAX = 32;
const VALUES_MAX = 50_000;
const FIELDS_MAX = 1000;

const MISSING = requestProblem('body_missing', 'The call needs a JSON body.');
const TOO_LARGE = requestProblem('body_too_large', 'The body must have at most 1048576 bytes.');
const ENCODED = requestProblem('body_encoded', 'The body must be plain JSON without a Content-Encoding.');
const CODED = requestProblem('request_malformed', 'Transfer-Encoding must be "chunked" or absent.');
const TOO_DEEP = requestProblem('body_too_deep', 'The body must be nested at most 32 levels deep.');
const NOT_UTF8 = requestProblem('body_not_utf8', 'The body must be UTF-8.');
const NOT_OBJECT = requestProblem('body_not_object', 'The body must be a JSON object.');
const notJson = (text: string) => requestProblem('body_not_json', `The body is not JSON: ${text}.`);

/** Sends exactly these headers, without a Content-Type, to the price of a SKU. */
async function sendPrice(api: ApiClient, headers: Readonly<Record<string, string>>, body?: RawRequest['body']) {
  const path = await api.uploadedSku();
  const answer = await sendRaw(api.server.url, {
    method: 'PUT',
    target: `${path}/price`,
    headers: { authorization: `Bearer ${api.token}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { answer, price: async () => (await api.get(`${path}/price`)).body as Record<string, unknown> };
}

async function priceOf(api: ApiClient, body: string | Uint8Array) {
  return (await sendPrice(api, {}, body)).answer;
}

async function assertStored(api: ApiClient, headers: Readonly<Record<string, string>>, body: RawRequest['body']) {
  const { answer, price } = await sendPrice(api, headers, body);
  assert.deepEqual({ headers, status: answer.status, text: answer.text }, { headers, status: 202, text: '' });
  assert.equal((await price()).price, 5);
}

const nested = (levels: number, open: '[' | '{"a":') =>
  `${open.repeat(levels - 1)}1${(open === '[' ? ']' : '}').repeat(levels - 1)}`;

const manyFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));

describeSharedApi('bodies', ({ accepts, refuses }) => {
  accepts('BODY-01', 'JSON without a Content-Type, or with one that says something else', async (api) => {
    await assertStored(api, {}, '{"price":5}');
    for (const type of ['application/json', 'text/plain', 'application/xml; charset=utf-16', 'multipart/form-data'])
      await assertStored(api, { 'content-type': type }, '{"price":5}');
  });

  accepts('BODY-01', 'JSON with a Content-Type that is garbage', async (api) => {
    for (const type of ['garbage', 'a/b/c', ';;;', '/', '*/*', '']) {
      await assertStored(api, { 'content-type': type }, '{"price":5}');
    }
  });

  accepts('BODY-02', 'reads without a body, and reads with one', async (api) => {
    const headers = { authorization: `Bearer ${api.token}` };
    for (const body of ['{', 'x'.repeat(100)]) {
      assert.equal((await sendRaw(api.server.url, { target: '/authcheck', headers, body })).status, 200);
    }
  });

  refuses('BODY-02', 'a call without its required body, so that nothing is cleared', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids: ['demo-returns-east'] });
    const headers = { authorization: `Bearer ${api.token}` };
    for (const target of [
      '',
      '/v2',
      '/price',
      '/variation',
      '/shippingexception',
      '/returnsexception',
      '/status/archive',
      '/offer',
    ]) {
      const request = { method: 'PUT', target: `${path}${target}`, headers };
      assertProblems(await sendRaw(api.server.url, request), [MISSING]);
      assertProblems(await sendRaw(api.server.url, { ...request, body: '' }), [MISSING]);
      const empty = { ...headers, 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
      assertProblems(await sendRaw(api.server.url, { ...request, headers: empty, body: '0\r\n\r\n' }), [MISSING]);
    }
    assertProblems(await sendRaw(api.server.url, { method: 'PATCH', target: `${path}/inventory`, headers }), [MISSING]);
    assertProblems(await sendRaw(api.server.url, { method: 'POST', target: '/token' }), [MISSING]);
    assert.deepEqual((await api.found(path)).return_location_ids, ['demo-returns-east']);
  });

  accepts('BODY-03', 'a body in chunks, and one whose encoding is the identity', async (api) => {
    await assertStored(api, { 'transfer-encoding': 'chunked' }, chunked('{"price":5}'));
    for (const encoding of ['identity', 'Identity', 'IDENTITY', ''])
      await assertStored(api, { 'content-encoding': encoding }, '{"price":5}');
  });

  refuses('BODY-03', 'a Content-Encoding', async (api) => {
    for (const encoding of ['gzip', 'br', 'deflate', 'x'])
      assertProblems((await sendPrice(api, { 'content-encoding': encoding }, '{"price":5}')).answer, [ENCODED]);
    assertProblems((await sendPrice(api, { 'content-encoding': 'gzip' }, gzipSync('{"price":5}'))).answer, [ENCODED]);
  });

  accepts('BODY-04', 'a body of exactly 1 MiB', async (api) => {
    await assertStored(api, {}, '{"price":5}'.padEnd(BODY_BYTES_MAX));
    await assertStored(api, {}, `{"price":5,"note":"${'é'.repeat((BODY_BYTES_MAX - 22) / 2)}" }`);
    await assertStored(api, { 'transfer-encoding': 'chunked' }, chunked('{"price":5}'.padEnd(BODY_BYTES_MAX)));
  });

  refuses('BODY-04', 'a body of one byte more, of 2 MiB, and one that grows in chunks', async (api) => {
    for (const bytes of [BODY_BYTES_MAX + 1, 2 * BODY_BYTES_MAX])
      assertProblems(await priceOf(api, '{"price":5}'.padEnd(bytes)), [TOO_LARGE]);
    const grown = chunked('{"price":5}'.padEnd(BODY_BYTES_MAX + 1));
    assertProblems((await sendPrice(api, { 'transfer-encoding': 'chunked' }, grown)).answer, [TOO_LARGE]);
    const claimed = { 'content-length': '99999999999' };
    assertProblems((await sendPrice(api, claimed, '{"price":5}')).answer, [TOO_LARGE]);
  });

  accepts('BODY-04', 'a body of exactly 8 KiB on a call that needs no token', async (api) => {
    const body = JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' }).padEnd(OPEN_BODY_BYTES_MAX);
    assert.equal((await sendRaw(api.server.url, { method: 'POST', target: '/token', body })).status, 200);
  });

  refuses('BODY-04', 'a body of one byte more there, of 1 MiB, and one that grows in chunks', async (api) => {
    const problem = requestProblem('body_too_large', 'The body must have at most 8192 bytes.');
    for (const target of ['/token', '/portal/api/session', '/portal/api/links', '/portal/api/links/password']) {
      for (const bytes of [OPEN_BODY_BYTES_MAX + 1, BODY_BYTES_MAX]) {
        const answer = await sendRaw(api.server.url, { method: 'POST', target, body: '{}'.padEnd(bytes) });
        assertProblems(answer, [problem]);
        assert.equal(answer.headers.get('connection'), 'close');
      }
      const headers = { 'transfer-encoding': 'chunked' };
      const body = chunked('{}'.padEnd(OPEN_BODY_BYTES_MAX + 1));
      assertProblems(await sendRaw(api.server.url, { method: 'POST', target, headers, body }), [problem]);
    }
  });

  accepts('BODY-26', 'the Transfer-Encoding chunked in any letter case', async (api) => {
    for (const coding of ['chunked', 'Chunked', 'CHUNKED'])
      await assertStored(api, { 'transfer-encoding': coding }, chunked('{"price":5}'));
  });

  refuses('BODY-26', 'any other coding before the chunks, and closes the connection', async (api) => {
    for (const coding of ['gzip, chunked', 'GZIP,chunked', 'deflate, chunked', 'x, chunked']) {
      const { answer } = await sendPrice(api, { 'transfer-encoding': coding }, chunked('{"price":5}'));
      assert.deepEqual([coding, answer.status, answer.headers.get('connection')], [coding, 400, 'close']);
      assertProblems(answer, [CODED]);
    }
  });

  accepts('BODY-05', '32 levels, and brackets inside texts without counting them', async (api) => {
    await assertStored(api, {}, `{"price":5,"unknown":${nested(DEPTH_MAX, '[')}}`);
    await assertStored(api, {}, `{"price":5,"unknown":${nested(DEPTH_MAX, '{"a":')}}`);
    await assertStored(api, {}, JSON.stringify({ price: 5, unknown: '[{'.repeat(200) }));
    await assertStored(api, {}, JSON.stringify({ price: 5, unknown: `\\"${'[{"\\'.repeat(200)}` }));
    await assertStored(api, {}, JSON.stringify({ price: 5, unknown: Array(200).fill([{}]) }));
  });

  refuses('BODY-05', '33 levels, also within unknown fields and without an end', async (api) => {
    for (const body of [
      `{"price":5,"unknown":${nested(DEPTH_MAX + 1, '[')}}`,
      `{"price":5,"unknown":${nested(DEPTH_MAX + 1, '{"a":')}}`,
      `{"price":5,"unknown":["]]]]","\\"]",${nested(DEPTH_MAX, '[')}]}`,
      '['.repeat(DEPTH_MAX + 1),
      '[{"a":'.repeat(150_000),
    ])
      assertProblems(await priceOf(api, body), [TOO_DEEP]);
  });

  accepts('BODY-27', '50,000 commas and brackets, 1,000 fields, and any number of them inside texts', async (api) => {
    // Plus two brackets and the comma of the price, minus the comma that the first entry lacks.
    await assertStored(api, {}, JSON.stringify({ price: 5, unknown: Array(VALUES_MAX - 2).fill(1) }));
    await assertStored(api, {}, JSON.stringify({ price: 5, ...manyFields(FIELDS_MAX - 1) }));
    await assertStored(api, {}, JSON.stringify({ price: 5, unknown: Array(40).fill(manyFields(FIELDS_MAX)) }));
    await assertStored(api, {}, JSON.stringify({ price: 5, unknown: '[,":'.repeat(100_000) }));
  });

  refuses('BODY-27', 'one more of each', async (api) => {
    const values = requestProblem(
      'body_too_complex',
      'The body must have at most 50000 commas and opening brackets outside strings.',
    );
    for (const unknown of [Array(VALUES_MAX - 1).fill(1), Array(VALUES_MAX / 2).fill({})])
      assertProblems(await priceOf(api, JSON.stringify({ price: 5, unknown })), [values]);
    const fields = requestProblem('body_too_complex', 'Objects in the body must have at most 1000 fields.');
    for (const body of [
      { price: 5, ...manyFields(FIELDS_MAX) },
      { price: 5, unknown: [[manyFields(FIELDS_MAX), manyFields(FIELDS_MAX + 1)]] },
    ])
      assertProblems(await priceOf(api, JSON.stringify(body)), [fields]);
  });

  accepts('BODY-06', 'JSON with every kind of white space', async (api) => {
    await assertStored(api, {}, ' \t\r\n{ \n"price"\t:\r5.0e0 } \n');
  });

  refuses('BODY-06', 'text that is not JSON, with the position of the error', async (api) => {
    for (const [body, text] of [
      [' \n', 'it is empty'],
      ['{"price":5', 'unexpected character at line 1, column 11'],
      ['{"price":5,}', 'unexpected character at line 1, column 12'],
      ['{\n  "price": 5,\n  price: 6\n}', 'unexpected character at line 3, column 3'],
      ['{"price":5}{}', 'unexpected character at line 1, column 12'],
      ["{'price':5}", 'unexpected character at line 1, column 2'],
      ['{"price":05}', 'unexpected character at line 1, column 11'],
      ['{"price":"a\nb"}', 'unexpected character at line 1, column 12'],
      ['{"price":NaN}', 'it ends too early or has an unexpected character'],
      ['price=5', 'it ends too early or has an unexpected character'],
      ['{', 'unexpected character at line 1, column 2'],
    ] as const)
      assertProblems(await priceOf(api, body), [notJson(text)]);
  });

  accepts('BODY-07', 'UTF-8, kept as it was sent', async (api) => {
    const brand = 'Pötter 東京 😀 \u00a0\u200b\u{10ffff}';
    const sku = await api.uploadedSku({ brand });
    assert.equal((await api.found(sku)).brand, brand);
  });

  accepts('BODY-07', 'UTF-8 with a leading byte order mark, which is ignored', async (api) => {
    await assertStored(api, {}, '\ufeff{"price":5}');
    await assertStored(api, {}, '\ufeff {"price":5,"note":"ü"}');
  });

  refuses('BODY-07', 'a byte order mark in another position, and one with nothing after it', async (api) => {
    const stray = notJson('it ends too early or has an unexpected character');
    for (const body of [' \ufeff{"price":5}', '\ufeff\ufeff{"price":5}'])
      assertProblems(await priceOf(api, body), [stray]);
    assertProblems(await priceOf(api, '\ufeff'), [notJson('it is empty')]);
  });

  refuses('BODY-07', 'bytes that are not UTF-8', async (api) => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"price":5,"note":"'), Buffer.from(bytes), Buffer.from('"}')]);
      assertProblems(await priceOf(api, body), [NOT_UTF8]);
    }
    assertProblems(await priceOf(api, Buffer.from('{"price":5}', 'utf16le')), [
      notJson('unexpected character at line 1, column 2'),
    ]);
  });

  refuses('BODY-08', 'JSON that is not an object', async (api) => {
    for (const body of ['[]', '[{"price":5}]', 'null', 'true', '5', '"{}"'])
      assertProblems(await priceOf(api, body), [NOT_OBJECT]);
    for (const body of ['[]', 'null'])
      assertProblems(await sendRaw(api.server.url, { method: 'POST', target: '/token', body }), [NOT_OBJECT]);
  });

  accepts('BODY-09', 'repeated keys, and uses the last', async (api) => {
    await assertStored(api, {}, '{"price":"x","price":0,"price":5}');
    await assertStored(api, {}, '{"price":7,"pr\\u0069ce":5}');
    const path = await api.uploadedSku();
    const [open, close] = ['{"fulfillment_nodes":[{"fulfillment_node_id":"demo-node-east",', '}]}'];
    await api.accepted('PATCH', `${path}/inventory`, `${open}"quantity":1,"quantity":2${close}`);
    const { fulfillment_nodes } = await api.found(`${path}/inventory`);
    assert.equal((fulfillment_nodes as { quantity: number }[])[0]?.quantity, 2);
  });

  refuses('BODY-09', 'repeated keys if the last is invalid', async (api) => {
    const problem = problemAt('required', 'price', 'is required');
    assertProblems(await priceOf(api, '{"price":5,"price":null}'), [problem]);
  });

  refuses('BODY-10', 'numbers that are not finite', async (api) => {
    const rule = 'must be a number from 0.01 to 1000000000';
    assertProblems(await priceOf(api, '{"price":1e400}'), [problemAt('too_large', 'price', rule)]);
    assertProblems(await priceOf(api, '{"price":-1e400}'), [problemAt('too_small', 'price', rule)]);
    const path = `/merchant-skus/${api.newSkuId()}`;
    const body = JSON.stringify({ ...minimalSku(), ships_alone: 0 }).replace('"ships_alone":0', '"ships_alone":1e400');
    await api.refused('PUT', path, body, [problemAt('too_large', 'ships_alone', 'must be a finite number')]);
    const quantity = '{"fulfillment_nodes":[{"fulfillment_node_id":"demo-node-east","quantity":1e999}]}';
    const range = 'must be an integer from 0 to 2147483647';
    await api.refused('PATCH', `${await api.uploadedSku()}/inventory`, quantity, [
      problemAt('too_large', 'fulfillment_nodes[0].quantity', range),
    ]);
  });
});
