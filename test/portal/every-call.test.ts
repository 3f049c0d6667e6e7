/**
 * Sends every call of the route lists without a session, with the wrong role, without CSRF token and as another merchant, and
 * checks that it is refused or leaks nothing. New calls are covered automatically.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storedCredential } from '../../src/access/tokens/secrets.ts';
import { ENVIRONMENTS } from '../../src/domain/account.ts';
import { stringifyExactJson } from '../../src/domain/int64.ts';
import { PORTAL_ROLE_NAMES, type PortalRole } from '../../src/domain/vocabulary/portal-roles.ts';
import { type PortalCallEndpoint, portalCalls, rolesFor } from '../../src/http/portal-access/portal-addresses.ts';
import { PORTAL_ENDPOINTS } from '../../src/http/portal-access/portal-routes.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { type ApiAnswer, minimalSku } from '../harness/api-client.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { addPerson, PortalBrowser, type SessionBody, waitToSee } from '../harness/portal-browser.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** Data of the demo merchant that must not appear in responses to others. */
const SECRET_SKU = 'sku-of-the-demo';
const SECRET_TITLE = 'Title that the demo merchant alone may see';
const VIEWER_OF_DEMO = 'viewer-of-the-demo@demo.example';

const CALLS = portalCalls(PORTAL_ENDPOINTS, ENDPOINTS);

/** Paths below `/portal/api`, one per environment, with parameters that exist at the demo merchant. */
function pathsOf({ path }: PortalCallEndpoint): string[] {
  const values: Readonly<Record<string, string>> = {
    user_defined_sku_id: SECRET_SKU,
    email: encodeURIComponent(VIEWER_OF_DEMO),
    node_id: 'demo-node-east',
    fulfillment_node_id: 'demo-node-east',
    location_id: 'demo-returns-east',
    merchant_id: 'demo',
  };
  const filled = path
    .slice('/portal/api'.length)
    .replace(/\{(\w+)\}/g, (whole, name: string) => (name === 'environment' ? whole : (values[name] ?? 'unknown')));
  if (!filled.includes('{environment}')) return [filled];
  return ENVIRONMENTS.map((environment) => filled.replace('{environment}', environment));
}

const TRIED = CALLS.flatMap((endpoint) => pathsOf(endpoint).map((path) => ({ endpoint, path })));

function codeOf({ body }: ApiAnswer): string | undefined {
  return (body as { details?: { code: string }[] } | undefined)?.details?.[0]?.code;
}

/** `uploadToken` is a GET in the API, but starts a change. */
function changesSomething({ method, id }: PortalCallEndpoint): boolean {
  return method !== 'GET' || id === 'requestUpload';
}

describe('every call of the portal', () => {
  let server: TestServer;
  let visitor: PortalBrowser;
  const people = new Map<PortalRole, PortalBrowser>();
  const others = new Map<PortalRole, PortalBrowser>();

  before(async () => {
    server = await startTestServer();
    visitor = new PortalBrowser(server.url);
    await withSetupStore(server.place, (store) =>
      store.settings.addMerchant(
        {
          merchantId: 'other',
          name: 'Other',
          timeToReturnDays: 30,
          returnShippingMethods: ['Freight'],
          credentials: { test: storedCredential('other-test', 'x'), live: storedCredential('other-live', 'x') },
        },
        Date.now(),
      ),
    );
    await addPerson(server, VIEWER_OF_DEMO, 'merchant-viewer');
    for (const role of PORTAL_ROLE_NAMES) {
      people.set(role, await addPerson(server, `${role}@people.example`, role));
      if (role !== 'operator') others.set(role, await addPerson(server, `${role}@other.example`, role, 'other'));
    }
    const admin = people.get('merchant-admin') ?? assert.fail();
    for (const environment of ENVIRONMENTS) {
      const sku = { ...minimalSku(), product_title: SECRET_TITLE };
      assert.equal((await admin.put(`/${environment}/merchant-skus/${SECRET_SKU}`, sku)).status, 202);
    }
  });
  after(() => server.close());

  const isForPeople = ({ endpoint }: (typeof TRIED)[number]) => rolesFor(endpoint) !== undefined;

  it('exist for all entries of the route lists, with unique ids', () => {
    const ids = CALLS.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'an id names one call');
    assert.equal(ids.length, PORTAL_ENDPOINTS.length + ENDPOINTS.filter(({ access }) => access === 'merchant').length);
    assert.ok(CALLS.filter(({ access }) => access === 'visitor').every(({ path }) => /\/(?:session|links)/.test(path)));
  });

  it('is refused without a session', async () => {
    for (const { endpoint, path } of TRIED.filter(isForPeople)) {
      const answer = await visitor.send(endpoint.method, path);
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'session_missing'], `${endpoint.method} ${path}`);
      assert.equal(answer.headers.get('www-authenticate'), null);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  it('is refused with an API token, and with a made-up cookie', async () => {
    const body = JSON.stringify({ user: 'demo-test-user', pass: 'demo-test-secret' });
    const token = (await (await fetch(`${server.url}/token`, { method: 'POST', body })).json()) as { id_token: string };
    for (const { endpoint, path } of TRIED.filter(isForPeople)) {
      const headers = { authorization: `Bearer ${token.id_token}` };
      assert.equal((await visitor.send(endpoint.method, path, undefined, headers)).status, 401, path);
      const cookie = { cookie: `offerbook_session=${'A'.repeat(43)}` };
      const answer = await visitor.send(endpoint.method, path, undefined, cookie);
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'session_ended'], path);
    }
  });

  it('is refused to users of other roles', async () => {
    for (const { endpoint, path } of TRIED.filter(isForPeople)) {
      for (const role of PORTAL_ROLE_NAMES.filter((name) => !rolesFor(endpoint)?.includes(name))) {
        const answer = await people.get(role)?.send(endpoint.method, path);
        assert.ok(answer);
        assert.deepEqual(
          [answer.status, codeOf(answer)],
          [403, 'forbidden_role'],
          `${role}: ${endpoint.method} ${path}`,
        );
      }
    }
  });

  it('that changes something is refused without the CSRF token of the session', async () => {
    const changes = TRIED.filter((tried) => changesSomething(tried.endpoint) && isForPeople(tried));
    assert.ok(changes.length > 20);
    for (const { endpoint, path } of changes) {
      const [role = 'operator'] = rolesFor(endpoint) ?? [];
      for (const csrfToken of [undefined, 'wrong', others.get('merchant-admin')?.csrfToken]) {
        const tab = people.get(role)?.copy() ?? assert.fail();
        tab.csrfToken = csrfToken;
        const answer = await tab.send(endpoint.method, path);
        assert.deepEqual([answer.status, codeOf(answer)], [403, 'csrf_invalid'], `${endpoint.method} ${path}`);
      }
    }
  });

  it('lets a viewer read everything of the merchant except its users, and change only their own password and sessions', () => {
    for (const endpoint of CALLS) {
      const roles = rolesFor(endpoint);
      if (roles === undefined || (endpoint.access === 'person' && endpoint.ofOneself)) continue;
      if (endpoint.method !== 'GET') assert.ok(!roles.includes('merchant-viewer'), endpoint.id);
      else if (roles.includes('merchant-admin') && !['requestUpload', 'listUsers'].includes(endpoint.id)) {
        assert.ok(roles.includes('merchant-viewer'), endpoint.id);
      }
    }
  });

  it('neither shows nor changes data of this merchant for users of another one', async () => {
    const before = await stateOf();
    for (const { endpoint, path } of TRIED.filter(isForPeople)) {
      if (endpoint.access === 'person' && endpoint.ofOneself) continue;
      for (const role of rolesFor(endpoint) ?? []) {
        const answer = await others.get(role)?.send(endpoint.method, path, bodyOf(endpoint));
        if (answer === undefined) continue;
        const what = `${role}: ${endpoint.method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`;
        assert.ok(answer.status < 500, what);
        assert.ok(!answer.text.includes(SECRET_TITLE) && !answer.text.includes('demo-node-west'), what);
        assert.ok(!answer.text.includes('demo-test-') && !answer.text.includes('demo-live-'), what);
        if (endpoint.method === 'GET') assert.ok(!answer.text.includes(VIEWER_OF_DEMO), what);
      }
    }
    assert.deepEqual(await stateOf(), before);
  });

  it('that changes something is refused while the merchant is suspended, except for the password and sessions of the user', async () => {
    const admin = await addPerson(server, 'suspended@other.example', 'merchant-admin', 'other');
    await withSetupStore(server.place, (store) => store.settings.setSuspended('other', true));
    await waitToSee('the suspension', async () => {
      const { person } = await admin.found<SessionBody>('/session');
      return person?.merchant?.suspended || undefined;
    });
    for (const { endpoint, path } of TRIED.filter(isForPeople)) {
      if (!rolesFor(endpoint)?.includes('merchant-admin') || (endpoint.access === 'person' && endpoint.ofOneself))
        continue;
      const answer = await admin.send(endpoint.method, path);
      const isSuspended = codeOf(answer) === 'merchant_suspended';
      assert.equal(isSuspended, changesSomething(endpoint), `${endpoint.method} ${path}: ${answer.text}`);
      if (isSuspended) assert.equal(answer.status, 403);
    }
    assert.equal((await admin.delete('/sessions')).status, 202);
    assert.equal((await admin.delete('/session')).status, 202);
    await withSetupStore(server.place, (store) => store.settings.setSuspended('other', false));
  });

  /** The demo merchant's data as its own users see it. */
  async function stateOf(): Promise<unknown> {
    const admin = people.get('merchant-admin') ?? assert.fail();
    const paths = ENVIRONMENTS.flatMap((environment) =>
      [
        '/keys',
        '/fulfillment-nodes',
        '/setup/returnsLocations',
        '/files',
        `/merchant-skus/${SECRET_SKU}/inventory`,
      ].map((path) => `/${environment}${path}`),
    );
    const state = await Promise.all(['/merchant', '/users', ...paths].map((path) => admin.found(path)));
    const skus = await Promise.all(ENVIRONMENTS.map((environment) => admin.get(`/${environment}/merchant-skus`)));
    // The last use of a key is stored with a delay.
    const texts = state.map((part) => stringifyExactJson(part).replace(/"last_used":"[^"]*"/g, '"last_used":null'));
    return [...texts, ...skus.map(({ text }) => text)];
  }
});

/** A body that many calls accept, so that they are not refused for a missing body. */
function bodyOf({ requestBody, method }: PortalCallEndpoint): unknown {
  if (requestBody === undefined || method === 'GET') return undefined;
  return {
    ...minimalSku(),
    // A different product, because the catalog shares product data between merchants.
    standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '036000291452' }],
    email: VIEWER_OF_DEMO,
    role: 'merchant-viewer',
    merchant: 'demo',
    price: 1,
    is_archived: true,
    archived: true,
    skus: [SECRET_SKU],
    fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 5 }],
    rate_kind: 'per_pound',
    shipping_methods: ['Freight'],
    service_levels: ['Standard'],
    time_to_return_days: 14,
    return_shipping_methods: ['Freight'],
  };
}
