/** Tests that routes, OpenAPI documents and docs page agree. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Check } from 'typebox/schema';
import manifest from '../../package.json' with { type: 'json' };
import { API_PROBLEM_CODES } from '../../src/domain/problem.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { ApiClient, requestToken } from '../harness/api-client.ts';
import {
  type DescribedCall,
  describedCalls,
  type OpenApi,
  readOpenApi,
  responseOf,
  type ShownSchema,
  withoutReferences,
} from '../harness/openapi-document.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** Calls of both documents, and the marketplace's document itself. */
const SHARED_PATHS: readonly string[] = ['/token', '/authcheck', '/marketplace/openapi.json'];

/** Asserts that every property and parameter is described, and that no two schemas are the same. */
function assertDescribed(document: OpenApi, calls: readonly DescribedCall[]): void {
  const walk = (schema: ShownSchema, at: string): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const shared = withoutReferences(document, property);
      assert.ok(shared.description, `${at}.${name}`);
      walk(property, `${at}.${name}`);
    }
    if (schema.items !== undefined) walk(schema.items, `${at}[]`);
    for (const member of schema.anyOf ?? []) walk(member, at);
  };
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) walk(schema, name);
  for (const { path, operation } of calls) {
    for (const { name, description } of operation.parameters) assert.ok(description, `${path} ${name}`);
  }
  const texts = Object.values(schemas).map((schema) => JSON.stringify(schema));
  assert.equal(new Set(texts).size, texts.length, 'two schemas are the same');
}

describe('OpenAPI', () => {
  let server: TestServer;
  let document: OpenApi;
  let calls: readonly DescribedCall[];
  before(async () => {
    server = await startTestServer();
    const response = await fetch(`${server.url}/openapi.json`);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    document = (await response.json()) as OpenApi;
    calls = describedCalls(document);
  });
  after(() => server.close());

  it('is version 3.1 and describes exactly the routes that are served', () => {
    assert.equal(document.openapi, '3.1.0');
    const described = calls.map(({ method, path }) => `${method} ${path}`);
    const served = ENDPOINTS.filter(
      ({ path }) => !path.startsWith('/marketplace/') && !path.startsWith('/storefront/'),
    );
    assert.deepEqual(described.sort(), served.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('passes the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    for (const source of [JSON.stringify(document), JSON.stringify(await readOpenApi(server.url, 'marketplace/'))]) {
      const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
      const messages = problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${message} ${at?.pointer}`);
      assert.deepEqual(messages, []);
    }
  });

  it('of the marketplace describes exactly its calls, with all their properties and statuses', async () => {
    const ofMarketplace = await readOpenApi(server.url, 'marketplace/');
    const described = describedCalls(ofMarketplace);
    const served = ENDPOINTS.filter(({ access, path }) => access === 'marketplace' || SHARED_PATHS.includes(path));
    assert.deepEqual(
      described.map(({ method, path }) => `${method} ${path}`).sort(),
      served.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    assertDescribed(ofMarketplace, described);
    for (const { path, method, operation } of described) {
      const isCounted = path !== '/marketplace/openapi.json';
      assert.deepEqual(
        ['500' in operation.responses, '429' in operation.responses],
        [true, isCounted],
        `${method} ${path}`,
      );
    }
  });

  it('names its version and license', () => {
    const { version, license } = document.info;
    assert.deepEqual(
      { version, license },
      { version: manifest.version, license: { name: manifest.license, identifier: manifest.license } },
    );
  });

  it('every described call returns a described status, and never 404 for the route', async () => {
    for (const { method, path, operation } of calls) {
      const response = await fetch(`${server.url}${path.replace(/\{\w+\}/, 'x')}`, { method });
      await response.arrayBuffer();
      const isSigned = operation.parameters.some(({ name }) => name === 'signature');
      const expected = operation.security.length > 0 ? 401 : isSigned ? 403 : path === '/token' ? 400 : 200;
      assert.equal(response.status, expected, `${method} ${path}`);
      assert.ok(responseOf(document, operation, expected), `${method} ${path}`);
    }
  });

  it('names every operation, path parameter and schema it uses', () => {
    const ids = calls.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, operation } of calls) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(
        inPath,
        Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
      );
    }
    for (const [, kind = '', name = ''] of JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      assert.ok(name in ((document.components as Record<string, object>)[kind] ?? {}), `${kind} ${name}`);
    }
  });

  it('describes every property and parameter, and has every shared schema once', () => {
    assertDescribed(document, calls);
    const { schemas } = document.components;
    for (const name of ['FileRecord', 'FulfillmentNode', 'Problem', 'ShippingException', 'Sku', 'TaxonomyNode']) {
      assert.ok(name in schemas, name);
    }
  });

  it('describes every call in its own words', () => {
    for (const { id, summary, description = '' } of ENDPOINTS) {
      assert.ok(description.length > 10 && description !== summary, id);
    }
  });

  it('marks only the deprecated calls and values', () => {
    const marked = calls.filter(({ operation }) => operation.deprecated).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(marked, ['GET /setup/fulfillmentNodes']);
    const { map_implementation: policy } = document.components.schemas.PutSkuBody?.properties ?? {};
    const [current, old] = policy?.anyOf ?? [];
    assert.deepEqual([current?.deprecated, old?.deprecated], [undefined, true]);
    assert.ok(Check(policy ?? {}, '101') && Check(policy ?? {}, 'Type0') && !Check(policy ?? {}, 'Type5'));
    assert.ok(Check(current ?? {}, '101') && !Check(current ?? {}, 'Type0') && Check(old ?? {}, 'Type0'));
  });

  it('lists the codes of all problems', () => {
    const code = document.components.schemas.Problem?.properties?.code;
    assert.deepEqual((code as { enum?: string[] }).enum, Object.keys(API_PROBLEM_CODES));
  });

  it('says how often a SKU id is percent-encoded', async (t) => {
    const call = calls.find(({ operation }) => operation.operationId === 'getSku');
    const text = call?.operation.parameters[0]?.description ?? '';
    const [, plain = '', encoded = ''] = /`(.+?)` becomes `(.+?)`/.exec(text) ?? [];
    const api = await ApiClient.open();
    t.after(() => api.server.close());
    await api.uploadedSku({}, plain);
    assert.equal((await api.get(`/merchant-skus/${encoded}`)).status, 200);
    assert.equal((await api.get(`/merchant-skus/${encodeURIComponent(encoded)}`)).status, 404);
  });

  it('describes both responses of the SKU list, with and without ?sku=', async (t) => {
    const api = await ApiClient.open();
    t.after(() => api.server.close());
    await api.uploadedSku({}, 'a1');
    const schema = withoutReferences(document, document.components.schemas.ListSkusAnswer ?? {});
    for (const query of ['', '?sku=a1']) {
      assert.ok(Check(schema, (await api.get(`/merchant-skus${query}`)).body), query);
    }
    assert.ok(!Check(schema, { sku_urls: [1] }));
    assert.ok(!Check(schema, {}));
  });

  it('says which parameters of the query are required', () => {
    const required = calls.flatMap(({ path, operation: { parameters } }) =>
      parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${path} ${name}`),
    );
    const signed = ['/uploads/{file_id}', '/files/{file_id}/errors.json', '/files/{file_id}/retry.json'];
    const signatures = [...signed, '/reports/files/{report_id}/report.csv'].flatMap((path) =>
      ['account', 'expires', 'key', 'signature'].map((name) => `${path} ${name}`),
    );
    assert.deepEqual(required.sort(), ['/taxonomy/search q', ...signatures].sort());
  });

  it('lists a 500 for every call, and a 429 where requests are counted', () => {
    for (const { method, path, operation } of calls) {
      assert.ok('500' in operation.responses, `${method} ${path}`);
      const isCounted = !['/healthz', '/readyz', '/openapi.json'].includes(path);
      assert.equal('429' in operation.responses, isCounted, `${method} ${path}`);
    }
  });

  it('lists the headers of a rate-limited request', async (t) => {
    const limited = await startTestServer({ REQUESTS_PER_MINUTE: '1' });
    t.after(() => limited.close());
    const authorization = `Bearer ${await requestToken(limited.url, 'test')}`;
    const response = await fetch(`${limited.url}/authcheck`, { headers: { authorization } });
    await response.arrayBuffer();
    assert.equal(response.status, 429);
    const rate = ['ratelimit', 'ratelimit-policy', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
    const sent = [...rate, 'retry-after', 'x-request-id'];
    for (const name of sent) assert.ok(response.headers.has(name), name);
    const listed = Object.keys(document.components.responses.TooManyRequests?.headers ?? {});
    assert.deepEqual(listed.map((name) => name.toLowerCase()).sort(), sent.sort());
  });

  it('uses only keywords of OpenAPI 3.1, and extensions', () => {
    const allowed = new Set([
      ...['type', 'description', 'properties', 'required', 'items', 'minItems', 'maxItems', 'minLength', 'maxLength'],
      ...['pattern', 'format', 'enum', 'minimum', 'maximum', 'deprecated', 'anyOf', '$ref', 'additionalProperties'],
    ]);
    const walk = (schema: Record<string, unknown>): void => {
      for (const [key, value] of Object.entries(schema)) {
        assert.ok(allowed.has(key) || key.startsWith('x-'), key);
        if (key === 'properties') Object.values(value as object).forEach(walk);
        if (key === 'anyOf') (value as Record<string, unknown>[]).forEach(walk);
        if (key === 'items') walk(value as Record<string, unknown>);
      }
    };
    for (const schema of Object.values(document.components.schemas)) walk(schema as Record<string, unknown>);
  });

  it('the API reference and all its files come from this server, under a policy without foreign hosts', async () => {
    const page = await fetch(`${server.url}/docs/api`);
    assert.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /https?:/);
    const html = await page.text();
    const files = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file ?? '');
    assert.ok(files.length > 3);
    for (const file of files) {
      const url = new URL(file, `${server.url}/docs/`);
      assert.equal(url.origin, server.url);
      assert.equal((await fetch(url)).status, 200, file);
    }
    assert.ok(html.includes('href="../openapi.json"'));
    assert.equal((await fetch(`${server.url}/docs/json`)).status, 404, 'there is one document, /openapi.json');
  });

  it('browsers cache the files of the docs and revalidate them', async () => {
    for (const place of ['/', '/api', '/static/swagger-ui.css']) {
      const url = `${server.url}/docs${place}`;
      const head = await fetch(url, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('cache-control')], [200, 'no-cache'], place);
      assert.equal(head.headers.get('x-content-type-options'), 'nosniff');
      const headers = { 'if-none-match': head.headers.get('etag') ?? '' };
      assert.equal((await fetch(url, { headers })).status, 304, place);
    }
    const post = await fetch(`${server.url}/docs/api`, { method: 'POST', body: '{}' });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
  });

  for (const address of ['/DOCS', '//docs/', '/api/docs/api']) {
    it(`the docs respond at ${address}`, async () => {
      assert.equal((await fetch(`${server.url}${address}`)).status, 200);
    });
  }
});
