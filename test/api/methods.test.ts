/** Tests which methods an address accepts, which were removed, and which calls need no token. */
import assert from 'node:assert/strict';
import { ENDPOINTS } from '../../src/http/routes.ts';
import {
  type ApiAnswer,
  type ApiClient,
  assertProblems,
  noSuchAddress,
  requestProblem,
} from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { LINK_INVALID } from './fixtures/bulk-files.ts';

const TOKEN_MISSING = requestProblem(
  'token_missing',
  'The token is missing. Send the header "Authorization: Bearer <id_token>" with a token from POST /token.',
);

/** Every address of the API with the methods that it accepts. */
const TAKEN: Readonly<Record<string, string>> = {
  '/token': 'POST',
  '/authcheck': 'GET, HEAD',
  '/merchant-skus': 'GET, HEAD',
  '/merchant-skus/x': 'PUT, GET, HEAD',
  '/merchant-skus/x/v2': 'PUT',
  '/merchant-skus/x/offer': 'PUT, GET, HEAD',
  '/merchant-skus/x/position': 'GET, HEAD',
  '/merchant-skus/x/price': 'PUT, GET, HEAD',
  '/merchant-skus/x/inventory': 'PATCH, GET, HEAD',
  '/merchant-skus/x/variation': 'PUT, GET, HEAD',
  '/merchant-skus/x/history': 'GET, HEAD',
  '/merchant-skus/x/history/x/restore': 'POST',
  '/merchant-skus/x/review': 'GET, POST, HEAD',
  '/merchant-skus/x/review/fixes': 'POST',
  '/merchant-skus/x/shippingexception': 'PUT, GET, HEAD',
  '/merchant-skus/x/returnsexception': 'PUT, GET, HEAD',
  '/merchant-skus/x/status/archive': 'PUT',
  '/files/uploadToken': 'GET, HEAD',
  '/files/uploaded': 'POST',
  '/files': 'GET, HEAD',
  '/files/x': 'GET, HEAD',
  '/files/x/cancel': 'POST',
  '/files/x/undo': 'POST',
  '/uploads/x': 'PUT',
  '/files/x/errors.json': 'GET, HEAD',
  '/files/x/retry.json': 'GET, HEAD',
  '/plans': 'POST, GET, HEAD',
  '/plans/x': 'GET, HEAD',
  '/plans/x/apply': 'POST',
  '/plans/x/undo': 'POST',
  '/reports/ProductStatus': 'POST',
  '/reports/state/x': 'GET, HEAD',
  '/reports/files/x/report.csv': 'GET, HEAD',
  '/events': 'GET, HEAD',
  '/reports/Fingerprints': 'POST',
  '/reports/Offers': 'POST',
  '/webhooks': 'POST, GET, HEAD',
  '/webhooks/x': 'GET, PATCH, DELETE, HEAD',
  '/webhooks/x/secret': 'POST',
  '/webhooks/x/test': 'POST',
  '/webhooks/x/replay': 'POST',
  '/webhooks/x/deliveries': 'GET, HEAD',
  '/requirements/upcoming': 'GET, HEAD',
  '/requirements/upcoming/x/offers': 'GET, HEAD',
  '/requirements/changes': 'GET, HEAD',
  '/fulfillment-nodes': 'GET, HEAD',
  '/fulfillment-nodes/x': 'GET, HEAD',
  '/setup/fulfillmentNodes': 'GET, HEAD',
  '/setup/returnsLocations': 'GET, HEAD',
  '/taxonomy/links/x': 'GET, HEAD',
  '/taxonomy/nodes/x': 'GET, HEAD',
  '/taxonomy/nodes/x/attributes': 'GET, HEAD',
  '/taxonomy/nodes/x/schema': 'GET, HEAD',
  '/taxonomy/search': 'GET, HEAD',
  '/healthz': 'GET, HEAD',
  '/readyz': 'GET, HEAD',
  '/openapi.json': 'GET, HEAD',
  '/marketplace/openapi.json': 'GET, HEAD',
  '/storefront/products': 'GET, HEAD',
  '/storefront/products/x': 'GET, HEAD',
  '/storefront/events': 'GET, HEAD',
  '/storefront/exports': 'POST',
  '/storefront/exports/x': 'GET, HEAD',
  '/storefront/taxonomy/tree': 'GET, HEAD',
  '/storefront/webhooks': 'POST, GET, HEAD',
  '/storefront/webhooks/x': 'GET, PATCH, DELETE, HEAD',
  '/storefront/webhooks/x/secret': 'POST',
  '/storefront/webhooks/x/test': 'POST',
  '/storefront/webhooks/x/replay': 'POST',
  '/storefront/webhooks/x/deliveries': 'GET, HEAD',
  '/marketplace/merchants': 'GET, HEAD',
  '/marketplace/merchants/x': 'GET, HEAD',
  '/marketplace/merchants/x/suspend': 'POST',
  '/marketplace/merchants/x/resume': 'POST',
  '/marketplace/offers': 'GET, HEAD',
  '/marketplace/offers/recheck': 'POST',
  '/marketplace/review-backlog': 'GET, HEAD',
  '/marketplace/policies': 'GET, POST, HEAD',
  '/marketplace/policies/remove': 'POST',
  '/marketplace/placeholders': 'GET, POST, HEAD',
  '/marketplace/placeholders/x': 'DELETE',
  '/marketplace/catalog': 'GET, PUT, HEAD',
  '/marketplace/taxonomy/tree': 'GET, HEAD',
  '/marketplace/taxonomy/search': 'GET, HEAD',
  '/marketplace/taxonomy/preview': 'POST',
  '/marketplace/taxonomy/import': 'POST',
  '/marketplace/taxonomy/reset': 'POST',
  '/marketplace/rule-changes': 'GET, HEAD',
  '/marketplace/rule-changes/x/undo': 'POST',
  '/marketplace/announced-changes': 'GET, HEAD',
  '/marketplace/announced-changes/x/date': 'PUT',
  '/marketplace/announced-changes/x/cancel': 'POST',
  '/marketplace/announced-changes/x/restore': 'POST',
};
const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const WITHOUT_TOKEN = ['/token', '/healthz', '/readyz', '/openapi.json', '/marketplace/openapi.json'];
/** These need a signature instead of a token. */
const SIGNED = ['/uploads/x', '/files/x/errors.json', '/files/x/retry.json', '/reports/files/x/report.csv'];

function assertNotAllowed(answer: ApiAnswer, allow: string, method: string): void {
  const problem = requestProblem('method_not_allowed', `This path accepts only ${allow}.`);
  if (method === 'HEAD') assert.deepEqual([answer.status, answer.text], [405, '']);
  else assertProblems(answer, [problem], 405);
  assert.equal(answer.headers.get('allow'), allow);
}

const without = (api: ApiClient, method: string, target: string, body?: string) =>
  sendRaw(api.server.url, { method, target, ...(body === undefined ? {} : { body }) });

/** Removes headers that differ between equal requests; fetch closes the connection after HEAD. */
function comparable(answer: ApiAnswer): Record<string, string> {
  const differing = /^(?:date|x-request-id|ratelimit|ratelimit-remaining|ratelimit-reset|connection|keep-alive)$/;
  return Object.fromEntries([...answer.headers].filter(([name]) => !differing.test(name)));
}

describeSharedApi('methods', ({ accepts, refuses }) => {
  accepts('ADDR-16', 'the methods that Allow names, at every address', async (api) => {
    const known = ENDPOINTS.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`);
    const listed = Object.entries(TAKEN).flatMap(([path, methods]) =>
      methods.split(', ').map((method) => `${method} ${path}`),
    );
    assert.deepEqual(known.toSorted(), listed.filter((line) => !line.startsWith('HEAD')).toSorted());
    for (const line of listed) {
      const [method = '', path = ''] = line.split(' ');
      const { status } = await api.send(method, path, method.startsWith('P') ? '{}' : undefined);
      assert.notEqual(status, 405, line);
    }
  });

  refuses('ADDR-16', 'every other method with 405 and Allow, with or without a token', async (api) => {
    for (const [target, allow] of Object.entries(TAKEN)) {
      for (const method of METHODS.filter((candidate) => !allow.split(', ').includes(candidate))) {
        const headers = { authorization: `Bearer ${api.token}` };
        assertNotAllowed(await sendRaw(api.server.url, { method, target, headers }), allow, method);
        assertNotAllowed(await without(api, method, target), allow, method);
      }
    }
  });

  accepts('ADDR-17', 'HEAD as GET, without the body', async (api) => {
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    // Reads after the review, so that both responses show the same status.
    await api.found(path);
    for (const target of [path, `${path}/price`, `${path}/inventory`, '/merchant-skus?limit=1', '/openapi.json']) {
      const [head, get] = [await api.send('HEAD', target), await api.get(target)];
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.deepEqual(comparable(head), comparable(get));
      assert.notEqual(get.text, '');
    }
  });

  refuses('ADDR-17', 'HEAD as GET is refused, without the body', async (api) => {
    const path = await api.uploadedSku();
    for (const [target, status] of [
      [`${path}/price`, 404],
      ['/merchant-skus?limit=0', 400],
      ['/none', 404],
    ] as const) {
      const [head, get] = [await api.send('HEAD', target), await api.get(target)];
      assert.deepEqual([head.status, head.text, get.status], [status, '', status]);
      assert.deepEqual(comparable(head), comparable(get));
    }
    const head = await api.send('HEAD', path, undefined, { authorization: '' });
    assert.deepEqual([head.status, head.headers.get('www-authenticate')], [401, 'Bearer']);
  });

  refuses('ADDR-18', 'the calls that were removed', async (api) => {
    const path = await api.uploadedSku();
    for (const [method, target] of [
      ['PUT', `${path}/relationship`],
      ['GET', `${path}/relationship`],
      ['GET', '/merchant-skus/bystatus/Archived'],
      ['GET', '/merchant-skus/status/archived'],
      ['PUT', `${path}/image`],
      ['POST', `${path}/image`],
      ['PATCH', `${path}/image`],
    ] as const) {
      assertProblems(
        await api.send(method, target, method === 'GET' ? undefined : '{}'),
        [noSuchAddress(method, target)],
        404,
      );
    }
    const body = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 4 }] };
    assertNotAllowed(await api.put(`${path}/inventory`, body), 'PATCH, GET, HEAD', 'PUT');
    assert.deepEqual((await api.found(`${path}/inventory`)).fulfillment_nodes, []);
  });

  accepts('ADDR-19', 'without a token the token call, the OpenAPI document and the documentation page', async (api) => {
    const body = JSON.stringify({ user: 'demo-live-user', pass: 'demo-live-secret' });
    assert.equal((await without(api, 'POST', '/token', body)).status, 200);
    const documents = ['/', '/openapi.json', '/api/openapi.json'];
    for (const target of [
      ...documents,
      '/docs/',
      '/DOCS/',
      '//docs/',
      '/docs/api',
      '/docs/marketplace-api',
      '/docs/guides/portal',
    ]) {
      const { status, headers } = await without(api, 'GET', target);
      assert.deepEqual([target, status, headers.has('x-request-id')], [target, 200, true]);
    }
  });

  refuses('ADDR-19', 'every other address without a token', async (api) => {
    for (const [target, allow] of Object.entries(TAKEN).filter(([path]) => !WITHOUT_TOKEN.includes(path))) {
      for (const method of allow.split(', ').filter((candidate) => candidate !== 'HEAD')) {
        const answer = await without(api, method, target, method === 'GET' ? undefined : '{}');
        if (SIGNED.includes(target)) {
          assertProblems(answer, [LINK_INVALID], 403);
          continue;
        }
        assertProblems(answer, [TOKEN_MISSING], 401);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    }
  });

  accepts('ADDR-20', 'a documentation page whose files all come from this server', async (api) => {
    const page = await without(api, 'GET', '/docs/api');
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
    const files = Array.from(page.text.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file ?? '');
    assert.ok(files.length >= 4, page.text);
    for (const file of files) {
      const url = new URL(file, `${api.server.url}/docs/api`);
      assert.equal(url.origin, api.server.url);
      const response = await fetch(url);
      assert.deepEqual([file, response.status], [file, 200]);
      await response.arrayBuffer();
    }
  });

  accepts('ADDR-21', 'a page for browsers and JSON for programs, with and without the body', async (api) => {
    const { url } = api.server;
    const links = {
      api: url,
      openapi: `${url}/openapi.json`,
      docs: `${url}/docs/`,
      api_reference: `${url}/docs/api`,
      portal: `${url}/portal/`,
      shop: `${url}/shop/`,
    };
    for (const target of ['/', '//', '/?from=here']) assert.deepEqual((await without(api, 'GET', target)).body, links);
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await fetch(url, { headers: { accept } });
    assert.deepEqual(
      [page.headers.get('content-type'), page.headers.get('vary')],
      ['text/html; charset=utf-8', 'accept'],
    );
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
    const html = await page.text();
    for (const link of ['docs/', 'docs/api', 'openapi.json', 'portal/'])
      assert.ok(html.includes(`href="${link}"`), link);
    const head = await fetch(url, { method: 'HEAD', headers: { accept } });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(html)));
  });

  refuses('ADDR-21', 'other methods at the root', async (api) => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      assertNotAllowed(await without(api, method, '/'), 'GET, HEAD', method);
  });

  refuses('ADDR-20', 'a documentation file that does not exist, in the shape of every error', async (api) => {
    assertProblems(await without(api, 'GET', '/docs/nothing'), [noSuchAddress('GET', '/docs/nothing')], 404);
    assertProblems(
      await without(api, 'GET', '/docs/static/nothing.js'),
      [noSuchAddress('GET', '/docs/static/nothing.js')],
      404,
    );
    for (const target of ['/docs/%zz', '/docs/static/%', '/docs/static/../../package.json']) {
      const answer = await without(api, 'GET', target);
      const { errors, details } = answer.body as { errors?: string[]; details?: { code: string }[] };
      const shape = {
        target,
        status: answer.status,
        hasId: answer.headers.has('x-request-id'),
        errors: errors?.length,
      };
      assert.deepEqual(
        { ...shape, details: details?.length },
        { target, status: 400, hasId: true, errors: 1, details: 1 },
      );
    }
  });
});
