/** Tests a merchant's account settings: keys, fulfillment nodes, return locations, return policy; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const NODE = { rate_kind: 'flat', shipping_methods: ['Acme Ground'], service_levels: ['Standard'] } as const;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Key {
  readonly user: string;
  readonly created: string;
  readonly ends: string | null;
  readonly last_used: string | null;
}

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = kind === 'postgres' ? postgresSkipped() : false;
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

    it('keys: rolled with and without an overlap; listed without secrets; the secret works', async () => {
      const [first] = (await viewer.found<{ keys: Key[] }>('GET', '/live/keys')).keys;
      assert.ok(first);
      assert.match(first.created, ISO);
      assert.deepEqual({ ends: first.ends, last_used: first.last_used }, { ends: null, last_used: null });
      type Rolled = { user: string; secret: string; previous_end: string | null };
      const second = await admin.found<Rolled>('POST', '/live/keys', { overlap_hours: 720 });
      assert.match(String(second.previous_end), ISO);
      assert.equal(await tokenStatus(second.user, second.secret), 200);
      const both = (await admin.found<{ keys: Key[] }>('GET', '/live/keys')).keys;
      assert.deepEqual(
        both.map(({ user, ends }) => ({ user, ends })),
        [
          { user: first.user, ends: second.previous_end },
          { user: second.user, ends: null },
        ],
      );
      assert.ok(both.every((key) => !('secret' in key)));
      const third = await admin.found<Rolled>('POST', '/live/keys', {});
      assert.equal(third.previous_end, null);
      assert.deepEqual(
        (await admin.found<{ keys: Key[] }>('GET', '/live/keys')).keys.map(({ user }) => user),
        [third.user],
      );
      assert.equal(await tokenStatus(second.user, second.secret), 400);
      assert.equal((await admin.found<{ keys: Key[] }>('GET', '/test/keys')).keys.length, 1);
    });

    it('keys: an overlap beyond 30 days is refused, and so are viewers', async () => {
      const before = await admin.found('GET', '/live/keys');
      await admin.refused('POST', '/live/keys', { overlap_hours: 721 }, [
        ['too_large', '/overlap_hours', 'overlap_hours: must be an integer from 0 to 720'],
      ]);
      assert.equal((await viewer.send('POST', '/live/keys', {})).status, 403);
      assert.deepEqual(await admin.found('GET', '/live/keys'), before);
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

    it('nodes: every problem names its field', async () => {
      await admin.refused('PUT', `/live/nodes/${'n'.repeat(65)}`, { ...NODE, rate_kind: 'free', service_levels: [] }, [
        ['too_long', '/fulfillment_node_id', 'fulfillment_node_id: must have 1 to 64 characters'],
        ['not_allowed', '/rate_kind', 'rate_kind: must be one of: flat, per_pound'],
        ['too_few', '/service_levels', 'service_levels: must have 1 to 11 entries'],
      ]);
      for (const nodeId of ['%FF', 'a%00']) {
        await admin.refused('PUT', `/live/nodes/${nodeId}`, NODE, [
          ['query_invalid', '', 'The address must be percent-encoded UTF-8 without NUL.'],
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
