/** Tests listing merchants and fulfillment nodes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  merchant,
  NOW_MS,
  openAcmeContext,
  openSetupContext,
  readAccountOf,
} from '../../../test/harness/setup-context.ts';
import type { FulfillmentNode } from '../../domain/account.ts';
import { listMerchants, listNodes } from './list-settings.ts';

const EAST: FulfillmentNode = { id: 'east', rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] };
const WEST: FulfillmentNode = {
  id: 'west',
  rateKind: 'per_pound',
  methods: ['<carrier_2> Ground'],
  levels: ['Priority'],
};

it('listMerchants lists none, then all in order of id with their state', async (t) => {
  const context = await openSetupContext(t);
  assert.deepEqual(await listMerchants(context), { ok: true, value: [], ignored: [] });
  await context.store.settings.addMerchant(merchant('zebra'), NOW_MS);
  await context.store.settings.addMerchant(merchant('acme'), NOW_MS + 1);
  await context.store.settings.setSuspended('zebra', true);
  const listed = await listMerchants(context);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ accounts, timeToReturnDays, returnShippingMethods, ...rest }) => rest),
    [
      { merchantId: 'acme', name: 'The acme company', createdMs: NOW_MS + 1, suspended: false, unfinished: null },
      { merchantId: 'zebra', name: 'The zebra company', createdMs: NOW_MS, suspended: true, unfinished: null },
    ],
  );
  assert.equal(new Set(listed.value.flatMap(({ accounts }) => [accounts.test, accounts.live])).size, 4);
});

it('listNodes lists the nodes of the requested environments, in order of id', async (t) => {
  const context = await openAcmeContext(t);
  const { accountId } = await readAccountOf(context, 'acme', 'live');
  for (const node of [WEST, EAST]) await context.store.settings.putNode(accountId, node);
  assert.deepEqual(await listNodes(context, { merchantId: 'acme', environments: ['test', 'live'] }), {
    ok: true,
    value: [
      { environment: 'test', nodes: [] },
      { environment: 'live', nodes: [EAST, WEST] },
    ],
    ignored: [],
  });
  assert.deepEqual(await listNodes(context, { merchantId: 'acme', environments: ['test'] }), {
    ok: true,
    value: [{ environment: 'test', nodes: [] }],
    ignored: [],
  });
});

it('listNodes refuses an unknown merchant', async (t) => {
  const context = await openAcmeContext(t);
  assert.deepEqual(await listNodes(context, { merchantId: 'nobody', environments: ['test'] }), {
    ok: false,
    problems: [{ code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' }],
    ignored: [],
  });
});
