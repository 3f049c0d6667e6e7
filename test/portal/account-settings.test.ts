/** Tests a merchant's account settings: keys, fulfillment nodes, return locations, return policy; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import { createSetupChecks } from '../../src/domain/setup/all-setup.ts';
import { removeNode } from '../../src/operations/setup/remove-place.ts';
import { minimalSku } from '../harness/api-client.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

const NODE = { rate_kind: 'flat', shipping_methods: ['Acme Ground'], service_levels: ['Standard'] } as const;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Key {
  readonly user: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly sku_prefix: string | null;
  readonly created: string;
  readonly ends: string | null;
  readonly last_used: string | null;
}

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`portal: account settings (${kind})`, { skip }, () => {
    let server: TestServer;
    let admin: PortalClient;
    let viewer: PortalClient;

    before(async () => {
      server = await startTestServer({ CARRIER_NAMES: '<carrier_1>,Acme,<carrier_3>,<carrier_4>,<carrier_5>' }, kind);
      const operator = await PortalClient.signIn(server, 'operator');
      await operator.found('POST', '/merchants', { merchant_id: 'shop', name: 'The Shop' });
      admin = await PortalClient.signIn(server, 'merchant-admin', 'shop');
      viewer = await PortalClient.signIn(server, 'merchant-viewer', 'shop');
    });
    after(() => server.close());

    const tokenStatus = async (user: string, pass: string) => {
      const answer = await fetch(`${server.url}/token`, { method: 'POST', body: JSON.stringify({ user, pass }) });
      await answer.text();
      return answer.status;
    };

    type Created = { user: string; secret: string; previous_end?: string | null };
    const keysOf = async (environment = 'live') =>
      (await viewer.found<{ keys: Key[] }>('GET', `/${environment}/keys`)).keys;

    it('keys: created by name, each rolled and revoked on its own; listed without secrets', async () => {
      const [first] = await keysOf();
      assert.ok(first);
      assert.match(first.created, ISO);
      const { ends, last_used, name } = first;
      assert.deepEqual({ ends, last_used, name }, { ends: null, last_used: null, name: '' });
      const erp = await admin.found<Created>('POST', '/live/keys', { name: 'ERP' });
      assert.equal(await tokenStatus(erp.user, erp.secret), 200);
      const next = await admin.found<Created>('POST', `/live/keys/${erp.user}/roll`, { overlap_hours: 720 });
      assert.match(String(next.previous_end), ISO);
      assert.equal(await tokenStatus(next.user, next.secret), 200);
      const all = await keysOf();
      assert.ok(all.every((key) => !('secret' in key)));
      assert.deepEqual(
        all.map(({ user, name, ends }) => ({ user, name, ends })),
        [
          { user: first.user, name: '', ends: null },
          { user: erp.user, name: 'ERP', ends: next.previous_end },
          { user: next.user, name: 'ERP', ends: null },
        ],
      );
      // A second roll must not shorten the overlap.
      const replaced = `Key ${erp.user} was already rolled. Roll the key that replaced it, or revoke this one.`;
      await admin.refused('POST', `/live/keys/${erp.user}/roll`, {}, [['key_replaced', '', replaced]]);
      const last = await admin.found<Created>('POST', `/live/keys/${next.user}/roll`, {});
      assert.equal(last.previous_end, null);
      assert.equal(await tokenStatus(next.user, next.secret), 400);
      assert.equal(await tokenStatus(erp.user, erp.secret), 200);

      const token = await fetch(`${server.url}/token`, {
        method: 'POST',
        body: JSON.stringify({ user: erp.user, pass: erp.secret }),
      });
      const { id_token } = (await token.json()) as { id_token: string };
      const list = async () => {
        const answer = await fetch(`${server.url}/merchant-skus`, { headers: { Authorization: `Bearer ${id_token}` } });
        await answer.text();
        return answer.status;
      };
      assert.equal(await list(), 200);
      await admin.accepted('DELETE', `/live/keys/${erp.user}`);
      assert.equal(await list(), 401);
      const unknown = [['key_unknown', '', `No active key "${erp.user}".`]] as const;
      await admin.refused('DELETE', `/live/keys/${erp.user}`, undefined, unknown, 404);
      await admin.refused('POST', `/live/keys/${erp.user}/roll`, {}, unknown, 404);
      assert.deepEqual(
        (await keysOf()).map(({ user }) => user),
        [first.user, last.user],
      );
      assert.equal((await keysOf('test')).length, 1);
    });

    it('keys: limited by scopes, a SKU prefix or limits of plans, which a roll keeps; wrong ones are refused', async () => {
      const rights = ({ user, created, ends, last_used, ...others }: Key) => others;
      const unlimited = { plan_offers_max: null, plan_price_percent_max: null, plan_hours: null };
      const all = ['read', 'listing', 'price', 'stock', 'files', 'webhooks'];
      const before = await keysOf();
      const prefixed = { scopes: ['stock', 'read', 'stock'], sku_prefix: 'p'.repeat(64) };
      const bound = { plan_offers_max: 5, plan_hours: '22-06' };
      const shop = await admin.found<Created>('POST', '/live/keys', { name: 'Shop', ...prefixed });
      const agent = await admin.found<Created>('POST', '/live/keys', {
        name: 'Agent',
        scopes: all.toReversed(),
        ...bound,
      });
      const next = await admin.found<Created>('POST', `/live/keys/${shop.user}/roll`, {});
      const nextAgent = await admin.found<Created>('POST', `/live/keys/${agent.user}/roll`, {});
      const added = (await keysOf()).filter(({ user }) => !before.some((key) => key.user === user));
      assert.deepEqual(added.map(rights), [
        { name: 'Shop', sku_prefix: prefixed.sku_prefix, scopes: ['read', 'stock'], ...unlimited },
        { name: 'Agent', scopes: all, sku_prefix: null, ...unlimited, ...bound },
      ]);
      assert.deepEqual((await keysOf()).slice(0, 1).map(rights), [
        { name: '', scopes: all, sku_prefix: null, ...unlimited },
      ]);
      const token = await fetch(`${server.url}/token`, {
        method: 'POST',
        body: JSON.stringify({ user: next.user, pass: next.secret }),
      });
      const { id_token } = (await token.json()) as { id_token: string };
      const headers = { Authorization: `Bearer ${id_token}` };
      const answer = await fetch(`${server.url}/webhooks`, { headers });
      const message = 'This call needs the scope webhooks, which the API key does not have.';
      assert.deepEqual(
        [answer.status, await answer.json()],
        [403, { errors: [message], details: [{ code: 'scope_missing', field: '', message }] }],
      );
      for (const { user } of [next, nextAgent]) await admin.accepted('DELETE', `/live/keys/${user}`);
      const names = `must be one of: ${all.join(', ')}`;
      for (const [sent, problem] of [
        [{ scopes: [] }, ['too_few', '/scopes', 'scopes: must have 1 to 6 entries']],
        [{ scopes: [...all, 'read'] }, ['too_many', '/scopes', 'scopes: must have 1 to 6 entries']],
        [{ scopes: ['prices'] }, ['not_allowed', '/scopes/0', `scopes[0]: ${names}`]],
        [{ sku_prefix: '' }, ['too_short', '/sku_prefix', 'sku_prefix: must have 1 to 64 characters']],
        [{ sku_prefix: 'p'.repeat(65) }, ['too_long', '/sku_prefix', 'sku_prefix: must have 1 to 64 characters']],
        [
          { sku_prefix: 'p', plan_offers_max: 5 },
          ['not_allowed', '/sku_prefix', 'sku_prefix: cannot be combined with limits of plans'],
        ],
      ] as const) {
        await admin.refused('POST', '/live/keys', { name: 'a', ...sent }, [problem]);
      }
      assert.deepEqual(await keysOf(), before);
    });

    it('keys: bad names, an overlap beyond 30 days, more than 20, other environments and viewers are refused', async () => {
      const [first] = await keysOf();
      const before = await admin.found('GET', '/live/keys');
      await admin.refused('POST', `/live/keys/${first?.user}/roll`, { overlap_hours: 721 }, [
        ['too_large', '/overlap_hours', 'overlap_hours: must be an integer from 0 to 720'],
      ]);
      await admin.refused('POST', '/live/keys', {}, [['required', '/name', 'name: is required']]);
      await admin.refused('POST', '/live/keys', { name: 'n'.repeat(65) }, [
        ['too_long', '/name', 'name: must have 1 to 64 characters'],
      ]);
      const unknown = [['key_unknown', '', `No active key "${first?.user}".`]] as const;
      await admin.refused('DELETE', `/test/keys/${first?.user}`, undefined, unknown, 404);
      for (const [method, path] of [
        ['POST', ''],
        ['POST', `/${first?.user}/roll`],
        ['DELETE', `/${first?.user}`],
      ] as const) {
        assert.equal((await viewer.send(method, `/live/keys${path}`, { name: 'a' })).status, 403);
      }
      assert.deepEqual(await admin.found('GET', '/live/keys'), before);
      for (let i = 1; i < 20; i++) await admin.found('POST', '/test/keys', { name: `key ${i}` });
      const full = 'Limit reached: the merchant has 20 active keys in test. Revoke one first.';
      await admin.refused('POST', '/test/keys', { name: 'one more' }, [['keys_full', '', full]]);
    });

    it('keys: at most 20 replaced ones keep working; then a roll needs no overlap, or an earlier one to end', async () => {
      let newest = (await keysOf('test')).at(-1)?.user;
      const roll = (body: object) => admin.send('POST', `/test/keys/${newest}/roll`, body);
      for (let i = 0; i < 20; i++) {
        const answer = await roll({ overlap_hours: 720 });
        assert.equal(answer.status, 200, answer.text);
        newest = (answer.body as Created).user;
      }
      const full = 'Limit reached: 20 replaced keys still work in test. Revoke one, or roll without an overlap.';
      await admin.refused('POST', `/test/keys/${newest}/roll`, { overlap_hours: 1 }, [['keys_full', '', full]]);
      newest = ((await roll({})).body as Created).user;
      const [replaced] = (await keysOf('test')).filter(({ ends }) => ends !== null);
      await admin.accepted('DELETE', `/test/keys/${replaced?.user}`);
      assert.equal((await roll({ overlap_hours: 1 })).status, 200);
    });

    it('nodes: added and replaced in one environment, visible to the API immediately', async () => {
      await admin.accepted('PUT', '/test/nodes/east%20%2F%201', NODE);
      const node = { fulfillment_node_id: 'east / 1', ...NODE };
      assert.deepEqual(await viewer.found('GET', '/test/fulfillment-nodes'), { fulfillment_nodes: [node] });
      const changed = { rate_kind: 'per_pound', shipping_methods: ['Freight'], service_levels: ['Priority'] };
      // The id in the path counts.
      await admin.accepted('PUT', '/test/nodes/east%20%2F%201', { ...changed, fulfillment_node_id: 'west' });
      assert.deepEqual(await admin.found('GET', '/test/fulfillment-nodes'), {
        fulfillment_nodes: [{ fulfillment_node_id: 'east / 1', ...changed }],
      });
      assert.deepEqual(await admin.found('GET', '/live/fulfillment-nodes'), { fulfillment_nodes: [] });
    });

    it('nodes: saved only over the version that was read, or as a new node', async () => {
      const path = '/live/nodes/shared%20node';
      const save = (rate_kind: string, headers: Record<string, string>) =>
        admin.send('PUT', path, { ...NODE, rate_kind }, headers);
      await admin.refused(
        'GET',
        path,
        undefined,
        [['fulfillment_node_not_found', '', '"shared node" does not exist.']],
        404,
      );
      assert.equal((await save('flat', { 'if-match': '*' })).status, 412);
      assert.equal((await save('flat', { 'if-none-match': '*' })).status, 202);
      assert.equal((await save('per_pound', { 'if-none-match': '*' })).status, 412);
      const read = await viewer.send('GET', path);
      assert.deepEqual(read.body, { fulfillment_node_id: 'shared node', ...NODE });
      const tag = read.headers.get('etag') ?? '';
      assert.equal((await save('per_pound', { 'if-match': tag })).status, 202);
      const late = await save('flat', { 'if-match': tag });
      assert.equal(late.status, 412);
      assert.match(late.text, /precondition_failed/);
      assert.equal((await viewer.found('GET', path)).rate_kind, 'per_pound');
      assert.equal((await save('flat', { 'if-match': late.headers.get('etag') ?? '' })).status, 202);
      assert.equal((await save('flat', { 'if-match': 'no quotes' })).status, 400);
    });

    it('nodes: every problem names its field', async () => {
      await admin.refused('PUT', `/live/nodes/${'n'.repeat(65)}`, { ...NODE, rate_kind: 'free', service_levels: [] }, [
        ['too_long', '/fulfillment_node_id', 'fulfillment_node_id: must have 1 to 64 characters'],
        ['not_allowed', '/rate_kind', 'rate_kind: must be one of: flat, per_pound'],
        ['too_few', '/service_levels', 'service_levels: must have 1 to 11 entries'],
      ]);
      for (const nodeId of ['%FF', 'a%00']) {
        await admin.refused('PUT', `/live/nodes/${nodeId}`, NODE, [
          ['query_invalid', '', 'The path must be percent-encoded UTF-8 without NUL.'],
        ]);
      }
      await admin.refused('PUT', '/live/nodes/east', [], [['body_not_object', '', 'The body must be a JSON object.']]);
      assert.equal((await viewer.send('PUT', '/live/nodes/east', NODE)).status, 403);
    });

    it('return locations: added once', async () => {
      await admin.accepted('PUT', '/live/return-locations/dock%201');
      await admin.refused('PUT', '/live/return-locations/dock%201', undefined, [
        ['return_location_exists', '/return_location_id', 'return_location_id: already exists in live'],
      ]);
      const { return_locations } = await viewer.found<{ return_locations: unknown }>(
        'GET',
        '/live/setup/returnsLocations',
      );
      assert.deepEqual(return_locations, [{ return_location_id: 'dock 1' }]);
      assert.equal((await viewer.send('PUT', '/live/return-locations/dock%202')).status, 403);
    });

    const sku = async (skuId: string) => admin.accepted('PUT', `/test/merchant-skus/${skuId}`, minimalSku());
    const part = (skuId: string, name: string) => `/test/merchant-skus/${skuId}/${name}`;
    const atNode = (id: string, fields: object) => ({ fulfillment_nodes: [{ fulfillment_node_id: id, ...fields }] });

    it('nodes: removed unless offers have stock, a price or an exception there; the first five are named', async () => {
      for (const id of ['used', 'free']) await admin.accepted('PUT', `/test/nodes/${id}`, NODE);
      const stock = (quantity: number) => atNode('used', { quantity });
      for (let i = 1; i <= 6; i++) await sku(`in-${i}`);
      for (let i = 1; i <= 4; i++) await admin.accepted('PATCH', part(`in-${i}`, 'inventory'), stock(i));
      const exception = { shipping_exception_type: 'restricted', shipping_method: 'Acme Ground' };
      await admin.accepted('PUT', '/test/nodes/used', { ...NODE, shipping_methods: ['Acme Ground', 'Freight'] });
      const exceptions = atNode('used', { shipping_exceptions: [exception] });
      await admin.accepted('PUT', part('in-5', 'shippingexception'), exceptions);
      const nodePrice = { price: 3, ...atNode('used', { fulfillment_node_price: 2 }) };
      await admin.accepted('PUT', part('in-6', 'price'), nodePrice);
      const advice =
        'First set the stock of these offers there to 0, and remove their prices and shipping exceptions for this node.';
      const users = '6 offers in test: in-1, in-2, in-3, in-4, in-5 and 1 more';
      const refusal = [
        'fulfillment_node_in_use',
        '',
        `Fulfillment node "used" is used by ${users}. ${advice}`,
      ] as const;
      await admin.refused('DELETE', '/test/nodes/used', undefined, [refusal]);
      assert.equal((await viewer.send('DELETE', '/test/nodes/free')).status, 403);
      const unknown = ['fulfillment_node_not_found', '', 'Fulfillment node "free" does not exist in live.'] as const;
      await admin.refused('DELETE', '/live/nodes/free', undefined, [unknown], 404);

      for (let i = 1; i <= 3; i++) await admin.accepted('PATCH', part(`in-${i}`, 'inventory'), stock(0));
      // Archiving sets the stock to 0 too.
      await admin.accepted('PUT', part('in-4', 'status/archive'), { is_archived: true });
      await admin.accepted('PUT', part('in-5', 'shippingexception'), {});
      await admin.accepted('PUT', part('in-6', 'price'), { price: 3 });
      const remaining = async () =>
        (
          await admin.found<{ fulfillment_nodes: { fulfillment_node_id: string }[] }>('GET', '/test/fulfillment-nodes')
        ).fulfillment_nodes.map((node) => node.fulfillment_node_id);
      await Promise.all(['used', 'free'].map((id) => admin.accepted('DELETE', `/test/nodes/${id}`)));
      assert.deepEqual(await remaining(), ['east / 1']);
      await admin.refused('PATCH', part('in-1', 'inventory'), stock(1), [
        [
          'fulfillment_node_unknown',
          '/fulfillment_nodes/0/fulfillment_node_id',
          'fulfillment_nodes[0].fulfillment_node_id: must be one of your fulfillment nodes: see GET /fulfillment-nodes',
        ],
      ]);
    });

    it('return locations: removed unless a returns exception names them', async () => {
      for (const id of ['a', ',']) await admin.accepted('PUT', `/test/return-locations/${encodeURIComponent(id)}`);
      await admin.accepted('PUT', '/test/return-locations/b');
      await sku('back');
      await admin.accepted('PUT', part('back', 'returnsexception'), { return_location_ids: ['a', 'b'] });
      const refusal =
        'Return location "a" is used by 1 offer in test: back. First remove it from the returns exceptions of these offers.';
      await admin.refused('DELETE', '/test/return-locations/a', undefined, [['return_location_in_use', '', refusal]]);
      await admin.refused(
        ...(['DELETE', '/test/return-locations/c', undefined] as const),
        [['return_location_not_found', '', 'Return location "c" does not exist in test.']],
        404,
      );
      await admin.accepted('DELETE', '/test/return-locations/%2C');
      await admin.accepted('PUT', part('back', 'returnsexception'), {});
      await admin.accepted('DELETE', '/test/return-locations/a');
      const { return_locations } = await admin.found('GET', '/test/setup/returnsLocations');
      assert.deepEqual(return_locations, [{ return_location_id: 'b' }]);
    });

    it('nodes: one that an offer begins to use while it is removed comes back', async () => {
      await admin.accepted('PUT', '/test/nodes/raced', NODE);
      await sku('racer');
      await withSetupStore(server.place, async (store) => {
        let status: number | undefined;
        const settings = {
          ...store.settings,
          // The server follows the removal within half a second: until then it accepts the stock.
          async removePlace(...place: Parameters<typeof store.settings.removePlace>) {
            const removed = await store.settings.removePlace(...place);
            const stock = atNode('raced', { quantity: 1 });
            status = (await admin.send('PATCH', part('racer', 'inventory'), stock)).status;
            return removed;
          },
        };
        const context = {
          store: { ...store, settings },
          checks: createSetupChecks(new Names(NEUTRAL_NAMES)),
          nowMs: Date.now,
        };
        const removed = await removeNode(context, { merchantId: 'shop', environments: ['test'] }, 'raced');
        assert.equal(removed.ok, status !== 202);
        const accountId = (await store.settings.readMerchant('shop'))?.accounts.test ?? 0;
        const account = await store.settings.readAccount(accountId);
        assert.equal(account?.nodes.has('raced'), status === 202);
      });
    });

    it('merchant: the return policy is read with the available choices, and changed', async () => {
      const merchant = await viewer.found<Record<string, unknown>>('GET', '/merchant');
      const { choices, ...rest } = merchant;
      assert.deepEqual(rest, {
        id: 'shop',
        name: 'The Shop',
        time_to_return_days: 30,
        return_shipping_methods: ['Acme Ground'],
      });
      const { methods, levels, rate_kinds, return_shipping_methods } = choices as Record<string, string[]>;
      assert.deepEqual([methods?.length, levels?.length], [24, 11]);
      assert.ok(methods?.includes('Acme 2 Day'));
      assert.deepEqual(
        [rate_kinds, return_shipping_methods],
        [
          ['flat', 'per_pound'],
          ['Freight', 'Acme Ground', '<carrier_4> Ground'],
        ],
      );
      const returns = { time_to_return_days: 7, return_shipping_methods: ['Freight'] };
      await admin.accepted('PUT', '/merchant', returns);
      assert.deepEqual(await viewer.found('GET', '/merchant'), { ...merchant, ...returns });
    });

    it('return policy: saved only over the version that was read', async () => {
      const read = await viewer.send('GET', '/merchant');
      const tag = read.headers.get('etag') ?? '';
      const save = (days: number, header: string) =>
        admin.send(
          'PUT',
          '/merchant',
          { time_to_return_days: days, return_shipping_methods: ['Freight'] },
          {
            'if-match': header,
          },
        );
      assert.equal((await save(8, tag)).status, 202);
      const late = await save(9, tag);
      assert.equal(late.status, 412);
      assert.match(late.text, /precondition_failed/);
      const { time_to_return_days } = await viewer.found('GET', '/merchant');
      assert.equal(time_to_return_days, 8);
      assert.equal((await save(9, late.headers.get('etag') ?? '')).status, 202);
      assert.equal((await save(10, 'no quotes')).status, 400);
    });

    it('merchant: values out of range, and changes by viewers, are refused', async () => {
      const before = await viewer.found('GET', '/merchant');
      await admin.refused('PUT', '/merchant', { time_to_return_days: 31, return_shipping_methods: ['Pigeon'] }, [
        ['too_large', '/time_to_return_days', 'time_to_return_days: must be an integer from 1 to 30'],
        [
          'not_allowed',
          '/return_shipping_methods/0',
          'return_shipping_methods[0]: must be one of: Freight, Acme Ground, <carrier_4> Ground',
        ],
      ]);
      assert.equal((await viewer.send('PUT', '/merchant', before)).status, 403);
      assert.deepEqual(await viewer.found('GET', '/merchant'), before);
    });
  });
}
