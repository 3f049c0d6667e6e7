/** Tests that the portal's document has every call once, and every schema that it refers to. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPortalDocument } from '../../scripts/portal-document.ts';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import { portalCalls } from '../../src/http/portal-access/portal-addresses.ts';
import { PORTAL_ENDPOINTS } from '../../src/http/portal-access/portal-routes.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
}

const CALLS = portalCalls(PORTAL_ENDPOINTS, ENDPOINTS);
const DOCUMENT = createPortalDocument(CALLS, new Names(NEUTRAL_NAMES), 'https://desk.example/market') as {
  readonly servers: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

it('every call is described once, below the address of the portal', () => {
  assert.deepEqual(DOCUMENT.servers, [{ url: 'https://desk.example/market/portal/api' }]);
  const described = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} /portal/api${path}`),
  );
  assert.deepEqual(described.sort(), CALLS.map(({ method, path }) => `${method} ${path}`).sort());
});

it('declares what a call needs: a session, the CSRF token for changes, and the environment', () => {
  const { get, put } = DOCUMENT.paths['/{environment}/merchant-skus/{user_defined_sku_id}/price'] ?? {};
  assert.deepEqual(get?.security, [{ session: [] }]);
  assert.deepEqual(put?.security, [{ session: [], csrf: [] }]);
  assert.deepEqual(DOCUMENT.paths['/session']?.post?.security, []);
  const [environment, sku] = put?.parameters ?? [];
  assert.deepEqual(
    [environment?.name, environment?.schema],
    ['environment', { type: 'string', enum: ['test', 'live'] }],
  );
  assert.equal(sku?.name, 'user_defined_sku_id');
});

it('has every schema that it refers to', () => {
  const text = JSON.stringify(DOCUMENT);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(name in DOCUMENT.components.schemas, name);
  }
});
