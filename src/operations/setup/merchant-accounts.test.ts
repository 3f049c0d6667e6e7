/** Tests listing merchants, and finding the accounts of one. */
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
import type { SetupContext } from './merchant-accounts.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';

const EAST: FulfillmentNode = { id: 'east', rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] };
const WEST: FulfillmentNode = {
  id: 'west',
  rateKind: 'per_pound',
  methods: ['<carrier_2> Ground'],
  levels: ['Priority'],
};

async function nodesOf({ store }: SetupContext, target: SetupTarget) {
  const found = await readTarget(store, target);
  if (!found.ok) return found;
  const value = found.value.map(({ environment, nodes }) => ({ environment, nodes: [...nodes.values()] }));
  return { ...found, value };
}

it('the store lists no merchants, then all in order of id with their state', async (t) => {
  const context = await openSetupContext(t);
  assert.deepEqual(await context.store.settings.listMerchants(), []);
  await context.store.settings.addMerchant(merchant('zebra'), NOW_MS);
  await context.store.settings.addMerchant(merchant('acme'), NOW_MS + 1);
  await context.store.settings.setSuspended('zebra', true);
  const listed = await context.store.settings.listMerchants();
  assert.deepEqual(
    listed.map(({ accounts, timeToReturnDays, returnShippingMethods, ...rest }) => rest),
    [
      { merchantId: 'acme', name: 'The acme company', createdMs: NOW_MS + 1, suspended: false, unfinished: null },
      { merchantId: 'zebra', name: 'The zebra company', createdMs: NOW_MS, suspended: true, unfinished: null },
    ],
  );
  assert.equal(new Set(listed.flatMap(({ accounts }) => [accounts.test, accounts.live])).size, 4);
});

it('readTarget finds the nodes of the requested environments, in order of id', async (t) => {
  const context = await openAcmeContext(t);
  const { accountId } = await readAccountOf(context, 'acme', 'live');
  for (const node of [WEST, EAST]) await context.store.settings.putNode(accountId, node);
  assert.deepEqual(await nodesOf(context, { merchantId: 'acme', environments: ['test', 'live'] }), {
    ok: true,
    value: [
      { environment: 'test', nodes: [] },
      { environment: 'live', nodes: [EAST, WEST] },
    ],
    ignored: [],
  });
  assert.deepEqual(await nodesOf(context, { merchantId: 'acme', environments: ['test'] }), {
    ok: true,
    value: [{ environment: 'test', nodes: [] }],
    ignored: [],
  });
});

it('readTarget refuses an unknown merchant', async (t) => {
  const context = await openAcmeContext(t);
  assert.deepEqual(await nodesOf(context, { merchantId: 'nobody', environments: ['test'] }), {
    ok: false,
    problems: [{ code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' }],
    ignored: [],
  });
});
