/** Tests that routes, OpenAPI document and docs page agree. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { ApiClient } from '../harness/api-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

type Content = Record<string, { schema: { $ref: string; format?: string } }>;
interface Operation {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

describe('OpenAPI', () => {
  let server: TestServer;
  let document: OpenApi;
  before(async () => {
    server = await startTestServer();
    const response = await fetch(`${server.url}/openapi.json`);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    document = (await response.json()) as OpenApi;
  });
  after(() => server.close());

  it('is version 3.1 and describes exactly the routes that are served', () => {
    assert.equal(document.openapi, '3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(described.sort(), ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('every described call answers with a described status, and never 404 for the route', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const response = await fetch(`${server.url}${path.replace(/\{\w+\}/, 'x')}`, { method: method.toUpperCase() });
        await response.arrayBuffer();
        const isSigned = operation.parameters.some(({ name }) => name === 'signature');
        const expected = operation.security.length > 0 ? 401 : isSigned ? 403 : path === '/token' ? 400 : 200;
        assert.equal(response.status, expected, `${method} ${path}`);
        assert.ok(String(expected) in operation.responses, `${method} ${path}`);
      }
    }
  });

  it('names every operation, path parameter and schema it uses', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, operation })),
    );
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual(
        inPath,
        Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
      );
      const contents = [operation.requestBody, ...Object.values(operation.responses)].map((part) => part?.content);
      for (const content of contents) {
        if (content === undefined) continue;
        // Files are sent unchanged.
        if (Object.values(content).every(({ schema }) => schema.format === 'binary')) continue;
        const name = content['application/json']?.schema.$ref.replace('#/components/schemas/', '') ?? '';
        assert.ok(name in document.components.schemas, name);
      }
    }
  });

  it('describes both answers of the SKU list, with and without ?sku=', async (t) => {
    const api = await ApiClient.open();
    t.after(() => api.server.close());
    await api.uploadedSku({}, 'a1');
    const schema = document.components.schemas.ListSkusAnswer as object;
    for (const query of ['', '?sku=a1']) assert.ok(Check(schema, await api.found(`/merchant-skus${query}`)), query);
    assert.ok(!Check(schema, { sku_urls: [1] }));
    assert.ok(!Check(schema, {}));
  });

  it('says which parameters of the query are required', () => {
    const required = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ parameters }) =>
        parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${path} ${name}`),
      ),
    );
    const signed = ['/files/uploads/{file_id}', '/files/{file_id}/errors.json', '/files/{file_id}/retry.json'];
    const signatures = [...signed, '/reports/{report_id}/report.csv'].flatMap((path) =>
      ['account', 'expires', 'key', 'signature'].map((name) => `${path} ${name}`),
    );
    assert.deepEqual(required.sort(), ['/taxonomy/search q', ...signatures].sort());
  });

  it('lists a 500 for every call, and a 429 where requests are counted', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        assert.ok('500' in responses, `${method} ${path}`);
        assert.equal('429' in responses, !['/healthz', '/readyz', '/openapi.json'].includes(path), `${method} ${path}`);
      }
    }
  });

  it('uses only keywords of OpenAPI 3.1, and extensions', () => {
    const allowed = new Set([
      ...['type', 'description', 'properties', 'required', 'items', 'minItems', 'maxItems', 'minLength', 'maxLength'],
      ...['pattern', 'format', 'enum', 'minimum', 'maximum', 'deprecated', 'anyOf'],
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

  it('the docs page and all its files come from this server, under a policy without foreign hosts', async () => {
    const page = await fetch(`${server.url}/docs`);
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
    const shown = (await (await fetch(`${server.url}/docs/json`)).json()) as OpenApi;
    assert.deepEqual(shown.paths, document.paths);
  });

  it('browsers keep the files of the docs page and ask whether they changed', async () => {
    for (const place of ['', '/', '/json', '/static/swagger-ui.css']) {
      const url = `${server.url}/docs${place}`;
      const head = await fetch(url, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('cache-control')], [200, 'no-cache'], place);
      assert.equal(head.headers.get('x-content-type-options'), 'nosniff');
      const headers = { 'if-none-match': head.headers.get('etag') ?? '' };
      assert.equal((await fetch(url, { headers })).status, 304, place);
    }
    const post = await fetch(`${server.url}/docs/json`, { method: 'POST', body: '{}' });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
  });

  for (const address of ['/DOCS', '//docs/', '/docs/']) {
    it(`the docs page answers at ${address}`, async () => {
      assert.equal((await fetch(`${server.url}${address}`)).status, 200);
    });
  }
});
