/** Tests the format of every refusal, the headers of every response, and failures of the server itself. */
import assert from 'node:assert/strict';
import { API_PROBLEM_CODES } from '../../src/domain/problem.ts';
import type { MerchantEndpoint, OpenEndpoint } from '../../src/http/endpoint.ts';
import type { Services } from '../../src/http/services.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../src/store/port/errors.ts';
import {
  type ApiAnswer,
  type ApiClient,
  assertProblems,
  minimalSku,
  requestProblem,
  skuPath,
} from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withEdgeServer } from '../harness/edge-server.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { RawConnection, requestBytes, sendBytes, sendRaw } from '../harness/raw-http.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ALLOWED_STATUSES = [200, 201, 202, 304, 400, 401, 403, 404, 405, 409, 412, 422, 429, 500, 503];
const NOT_HTTP = requestProblem('request_malformed', 'The request is not valid HTTP.');
const HEADERS_TOO_LARGE = requestProblem(
  'request_malformed',
  'The request line and headers are too large, or there are too many headers.',
);

/** Bytes that are not a request, or a request that Node.js would handle by itself. */
const UNREADABLE: Readonly<Record<string, string>> = {
  garbage: 'garbage\r\n\r\n',
  'an unknown method': 'FETCH /authcheck HTTP/1.1\r\nhost: x\r\n\r\n',
  'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01',
  'a broken header': 'GET /authcheck HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n',
  'two lengths': 'PUT /token HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}',
  'a length together with chunks':
    'PUT /token HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'a length that is not a number': 'PUT /token HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n{}',
  'a chunk without a valid length': 'POST /token HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n',
};

const authorized = (api: ApiClient) => ({ authorization: `Bearer ${api.token}` });

/** One response of every kind that a client can cause. */
async function answersOfAllKinds(api: ApiClient): Promise<ApiAnswer[]> {
  const path = await api.uploadedSku();
  return [
    await api.get(path),
    await api.put(`${path}/price`, { price: 5 }),
    await api.put(`${path}/price`, { price: 0 }),
    await api.put(`${path}/price`, '{'),
    await api.send('PUT', `${path}/price`, { price: 5 }, { 'if-match': '"other"' }),
    await api.send('GET', '/taxonomy/nodes/1011010', undefined, { 'if-none-match': '*' }),
    await api.put(`${path}/price`, 'x'.repeat(1_100_000)),
    await api.get('/merchant-skus/%00'),
    await api.get(`${path}/variation`),
    await api.get('/nowhere'),
    await api.send('DELETE', path),
    await api.send('GET', path, undefined, { authorization: '' }),
    await api.send('POST', '/token', { user: 'x', pass: 'y' }),
    await api.get('/openapi.json'),
    await api.get('/docs/nothing'),
    await sendBytes(api.server.url, 'garbage\r\n\r\n'),
    await sendRaw(api.server.url, { target: '/authcheck', headers: { x: 'y'.repeat(20_000) } }),
  ];
}

function assertShape({ status, body, headers, text }: ApiAnswer): void {
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.deepEqual(Object.keys(body as object), ['errors', 'details'], text);
  const { errors, details } = body as { errors: string[]; details: Record<string, string>[] };
  assert.ok(status >= 400 && errors.length > 0 && errors.length <= 100);
  for (const detail of details) {
    assert.deepEqual(Object.keys(detail), ['code', 'field', 'message']);
    assert.ok(Object.hasOwn(API_PROBLEM_CODES, detail.code ?? ''), `${detail.code} is not a listed code`);
  }
  const messages = details.map((detail) => detail.message);
  assert.deepEqual(errors, messages);
}

/** Returns the response of a server whose only endpoint fails in the given way. */
async function answerOfFailure(error: unknown): Promise<ApiAnswer> {
  const endpoint: OpenEndpoint = {
    id: 'fail',
    method: 'GET',
    path: '/fail',
    access: 'open',
    summary: '',
    tag: '',
    handle: () => Promise.reject(error),
  };
  return withEdgeServer({ endpoints: [endpoint] }, (url) => sendRaw(url, { target: '/fail' }));
}

describeApi('errors', ({ accepts, refuses }) => {
  refuses('ERR-01', 'everything in one shape, with listed codes', async (api) => {
    const answers = await answersOfAllKinds(api);
    for (const answer of answers.filter(({ status }) => status >= 400)) assertShape(answer);
  });

  accepts('ERR-02', 'only the statuses of the contract', async (api) => {
    for (const { status } of await answersOfAllKinds(api)) assert.ok(ALLOWED_STATUSES.includes(status), `${status}`);
  });

  accepts('ERR-03', 'every update with 202 and an empty body, once it can be read back', async (api) => {
    const path = skuPath(api.newSkuId());
    const shoe = { ...minimalSku(), product_type_id: 37_005_005_000 };
    for (const [method, rest, body] of [
      ['PUT', '', minimalSku()],
      ['PUT', '/v2', shoe],
      ['PUT', '/price', { price: 5 }],
      ['PATCH', '/inventory', { fulfillment_nodes: [] }],
      ['PUT', '/shippingexception', {}],
      ['PUT', '/returnsexception', {}],
      ['PUT', '/status/archive', { is_archived: false }],
      ['PUT', '/offer', { price: { price: 5 } }],
    ] as const) {
      const answer = await api.accepted(method, `${path}${rest}`, body);
      assert.deepEqual([answer.headers.get('content-length'), answer.headers.get('content-type')], ['0', null]);
    }
    assert.equal((await api.found(`${path}/price`)).price, 5);
  });

  refuses('ERR-04', 'different causes with different codes, even with the same status', async (api) => {
    const skuId = api.newSkuId();
    const path = await api.uploadedSku({}, skuId);
    const causes = [
      ['/nowhere', 'route_not_found', 'No such path: GET /nowhere. Check it against /docs/api.'],
      ['/merchant-skus/none', 'sku_unknown', 'SKU none not found.'],
      [`${path}/price`, 'price_unset', `SKU ${skuId} has no price yet.`],
      [`${path}/variation`, 'variation_unset', `SKU ${skuId} is not the parent of a variation group.`],
      [`${path}/shippingexception`, 'shipping_exception_unset', `SKU ${skuId} has no shipping exceptions.`],
      [`${path}/returnsexception`, 'returns_exception_unset', `SKU ${skuId} has no returns exception.`],
      ['/fulfillment-nodes/none', 'fulfillment_node_not_found', 'You have no fulfillment node with this id.'],
    ] as const;
    for (const [target, code, message] of causes)
      await api.refused('GET', target, undefined, [requestProblem(code, message)], 404);
  });

  accepts('ERR-05', 'every request, with its own X-Request-Id, whatever the client sends', async (api) => {
    const answers = [
      ...(await answersOfAllKinds(api)),
      await api.send('GET', '/authcheck', undefined, { 'x-request-id': 'mine', 'request-id': 'mine' }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of ids) assert.match(id, /^[0-9a-z]+-[0-9a-z]+$/);
    assert.equal(new Set(ids).size, answers.length);
  });

  for (const [what, bytes] of Object.entries(UNREADABLE)) {
    refuses('ERR-06', `${what} in the same shape, and closes the connection`, async (api) => {
      const connection = await RawConnection.open(api.server.url);
      connection.write(Buffer.from(bytes, 'latin1'));
      const answer = await connection.answer();
      await connection.closed();
      assert.ok(answer);
      assertProblems(answer, [NOT_HTTP]);
      assert.equal(answer.headers.get('connection'), 'close');
      assert.ok(answer.headers.get('x-request-id'));
    });
  }

  refuses('ERR-06', 'too many and too long headers', async (api) => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x-${n}`, 'y']));
    for (const headers of [{ x: 'y'.repeat(20_000) }, many])
      assertProblems(await sendRaw(api.server.url, { target: '/authcheck', headers }), [HEADERS_TOO_LARGE]);
    assertProblems(await sendRaw(api.server.url, { target: `/authcheck?${'x'.repeat(20_000)}` }), [HEADERS_TOO_LARGE]);
  });

  accepts('ERR-07', 'requests without Host, with Expect or with Upgrade as any other', async (api) => {
    const token = `authorization: Bearer ${api.token}\r\n`;
    for (const head of [
      `GET /authcheck HTTP/1.1\r\n${token}\r\n`,
      `GET /authcheck HTTP/1.0\r\n${token}\r\n`,
      `GET /authcheck HTTP/1.1\r\nhost: a\r\nhost: b\r\n${token}\r\n`,
      `GET /authcheck HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n${token}\r\n`,
      `GET /authcheck HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${token}\r\n`,
      `GET /authcheck HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\n${token}\r\n`,
    ]) {
      const { status, text, headers } = await sendBytes(api.server.url, head);
      assert.deepEqual([status, text, headers.has('x-request-id')], [200, '"This message is authorized."', true], head);
    }
    const path = await api.uploadedSku();
    const headers = { ...authorized(api), expect: '100-continue' };
    const answer = await sendRaw(api.server.url, {
      method: 'PUT',
      target: `${path}/price`,
      headers,
      body: '{"price":5}',
    });
    assert.equal(answer.status, 202);
  });

  refuses('ERR-08', 'with 500 when the server fails, without internal details', async () => {
    const problem = requestProblem(
      'internal_error',
      'The server failed. Send the request id to the operator, who can find the cause in the log.',
    );
    for (const error of [new Error('SELECT secret FROM /var/lib'), new TypeError('x is not a function'), 'text']) {
      const answer = await answerOfFailure(error);
      assertProblems(answer, [problem], 500);
      assert.ok(answer.headers.get('x-request-id'));
    }
  });

  refuses('ERR-08', 'with 500 when it fails before the endpoint is reached, and continues', async () => {
    const nowMs = () => {
      throw new Error('a broken clock');
    };
    const endpoint: MerchantEndpoint = {
      id: 'any',
      method: 'GET',
      path: '/any',
      access: 'merchant',
      needs: 0,
      summary: '',
      tag: '',
      handle: () => ({ status: 200 }),
    };
    const services = { context: { nowMs } } as unknown as Partial<Services>;
    await withEdgeServer({ endpoints: [endpoint], services }, async (url) => {
      for (let n = 0; n < 2; n++) assert.equal((await sendRaw(url, { target: '/any' })).status, 500);
    });
  });

  refuses('ERR-09', 'with 503 and Retry-After when the store is down or overloaded', async () => {
    const down = 'The database is unavailable, and a write may not have been stored. Retry shortly.';
    const full = 'Too many writes are waiting. Nothing was changed; retry shortly.';
    for (const [error, problem] of [
      [new StoreUnavailableError('disk I/O error'), requestProblem('store_unavailable', down)],
      [new StoreOverloadedError('10000 waiting'), requestProblem('overloaded', full)],
    ] as const) {
      const answer = await answerOfFailure(error);
      assertProblems(answer, [problem], 503);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
  });

  refuses('ERR-10', 'in the same shape while it stops, after the requests in flight', async (api) => {
    await withOwnServer(api.variant, {}, async (own) => {
      const path = await own.uploadedSku();
      const request = (price: number) =>
        requestBytes({ method: 'PUT', target: `${path}/price`, headers: authorized(own), body: `{"price":${price}}` });
      const connection = await RawConnection.open(own.server.url);
      connection.write(request(5).subarray(0, -3));
      await own.get('/authcheck');
      const closed = own.server.close();
      await waitUntil('the server to refuse connections', 60_000, () =>
        RawConnection.open(own.server.url).then(
          (opened) => void opened.destroy(),
          () => true,
        ),
      );
      connection.write(Buffer.concat([request(5).subarray(-3), request(6)]));
      const [underWay, late] = [await connection.answer(), await connection.answer()];
      connection.destroy();
      await closed;
      assert.equal(underWay?.status, 202);
      // Accepting the connection, or closing it without a response, is also correct.
      if (late === undefined || late.status === 202) return;
      assert.equal(late.status, 503);
      assertShape(late);
      assert.ok(late.headers.has('x-request-id') && late.headers.has('retry-after'));
    });
  });
});
