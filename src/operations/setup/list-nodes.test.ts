/** Tests listing fulfillment nodes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openAcmeContext, readAccountOf } from '../../../test/harness/setup-context.ts';
import type { FulfillmentNode } from '../../domain/account.ts';
import { listNodes } from './list-nodes.ts';

const EAST: FulfillmentNode = { id: 'east', rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] };
const WEST: FulfillmentNode = {
  id: 'west',
  rateKind: 'per_pound',
  methods: ['<carrier_2> Ground'],
  levels: ['Priority'],
};

it('list-nodes lists the nodes of the requested environments, in order of id', async (t) => {
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

it('list-nodes refuses an unknown merchant', async (t) => {
  const context = await openAcmeContext(t);
  assert.deepEqual(await listNodes(context, { merchantId: 'nobody', environments: ['test'] }), {
    ok: false,
    problems: [{ code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' }],
    ignored: [],
  });
});
