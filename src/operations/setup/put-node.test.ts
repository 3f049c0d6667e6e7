/** Tests adding and changing fulfillment nodes: what is stored, every limit, and both environments or neither. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openAcmeContext, readAccountOf } from '../../../test/harness/setup-context.ts';
import type { FulfillmentNode } from '../../domain/account.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { SERVICE_LEVELS } from '../../domain/vocabulary/service-levels.ts';
import { SHIPPING_METHODS } from '../../domain/vocabulary/shipping-methods.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { addNode, addOrSetNode, setNode } from './put-node.ts';

const BOTH = { merchantId: 'acme', environments: ['test', 'live'] } as const;
const TEST = { merchantId: 'acme', environments: ['test'] } as const;
const NODES_MAX = 1000;

const EAST: FulfillmentNode = { id: 'east', rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] };

function body(fields: Readonly<Record<string, unknown>> = {}) {
  return readBodyValue({
    fulfillment_node_id: 'east',
    rate_kind: 'flat',
    shipping_methods: ['Freight'],
    service_levels: ['Standard'],
    ...fields,
  });
}

async function storedNodes(context: SetupContext) {
  const [test, live] = await Promise.all([
    readAccountOf(context, 'acme', 'test'),
    readAccountOf(context, 'acme', 'live'),
  ]);
  return { test: [...test.nodes.values()], live: [...live.nodes.values()] };
}

async function fill(context: SetupContext, count: number): Promise<void> {
  const { accountId } = await readAccountOf(context, 'acme', 'test');
  for (let i = 0; i < count; i++) await context.store.settings.putNode(accountId, { ...EAST, id: `node-${i}` });
}

describe('put-node', () => {
  it('adds a node to both environments', async (t) => {
    const context = await openAcmeContext(t);
    assert.deepEqual(await addNode(context, BOTH, body()), { ok: true, value: EAST, ignored: [] });
    assert.deepEqual(await storedNodes(context), { test: [EAST], live: [EAST] });
  });

  it('adds a node to one environment', async (t) => {
    const context = await openAcmeContext(t);
    assert.ok((await addNode(context, TEST, body())).ok);
    assert.deepEqual(await storedNodes(context), { test: [EAST], live: [] });
  });

  it('accepts methods in either spelling and stores each once, in the order given', async (t) => {
    const context = await openAcmeContext(t);
    const sent = body({
      rate_kind: 'per_pound',
      shipping_methods: ['<carrier_4> Ground', 'Acme Ground', '<carrier_2> Ground', 'Acme 2 Day'],
      service_levels: ['Standard', 'Expedited', 'Standard'],
    });
    const node: FulfillmentNode = {
      id: 'east',
      rateKind: 'per_pound',
      methods: ['<carrier_4> Ground', '<carrier_2> Ground', '<carrier_2> 2 Day'],
      levels: ['Standard', 'Expedited'],
    };
    assert.deepEqual(await addNode(context, TEST, sent), { ok: true, value: node, ignored: [] });
    assert.deepEqual((await storedNodes(context)).test, [node]);
  });

  it('accepts all methods and all levels', async (t) => {
    const context = await openAcmeContext(t);
    const added = await addNode(
      context,
      TEST,
      body({ shipping_methods: SHIPPING_METHODS, service_levels: SERVICE_LEVELS }),
    );
    assert.ok(added.ok);
    assert.deepEqual([added.value.methods, added.value.levels], [SHIPPING_METHODS, SERVICE_LEVELS]);
  });

  for (const id of ['e', '🏭'.repeat(64), ' ', '...', 'a/b']) {
    it(`accepts the id ${JSON.stringify(id)}`, async (t) => {
      const context = await openAcmeContext(t);
      assert.ok((await addNode(context, TEST, body({ fulfillment_node_id: id }))).ok);
      assert.deepEqual((await storedNodes(context)).test, [{ ...EAST, id }]);
    });
  }

  const ID_RULE = 'must have 1 to 64 characters';
  const METHODS_RULE = `must have 1 to ${SHIPPING_METHODS.length} entries`;
  const LEVELS_RULE = `must have 1 to ${SERVICE_LEVELS.length} entries`;
  for (const [what, sent, code, field, text] of [
    ['an empty id', { fulfillment_node_id: '' }, 'too_short', 'fulfillment_node_id', ID_RULE],
    ['an id of 65 code points', { fulfillment_node_id: '🏭'.repeat(65) }, 'too_long', 'fulfillment_node_id', ID_RULE],
    ['the id "."', { fulfillment_node_id: '.' }, 'bad_format', 'fulfillment_node_id', 'must not be "." or ".."'],
    ['the id ".."', { fulfillment_node_id: '..' }, 'bad_format', 'fulfillment_node_id', 'must not be "." or ".."'],
    [
      'an id with NUL',
      { fulfillment_node_id: 'ea\0st' },
      'forbidden_character',
      'fulfillment_node_id',
      'must not contain NUL characters or unpaired surrogates',
    ],
    [
      'another kind of rates',
      { rate_kind: 'per-pound' },
      'not_allowed',
      'rate_kind',
      'must be one of: flat, per_pound',
    ],
    ['no method', { shipping_methods: [] }, 'too_few', 'shipping_methods', METHODS_RULE],
    ['25 methods', { shipping_methods: Array(25).fill('Freight') }, 'too_many', 'shipping_methods', METHODS_RULE],
    ['no level', { service_levels: [] }, 'too_few', 'service_levels', LEVELS_RULE],
    ['12 levels', { service_levels: Array(12).fill('Standard') }, 'too_many', 'service_levels', LEVELS_RULE],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const context = await openAcmeContext(t);
      assert.deepEqual(await addNode(context, BOTH, body(sent)), {
        ok: false,
        problems: [{ code, field: `/${field}`, message: `${field}: ${text}` }],
        ignored: [],
      });
      assert.deepEqual(await storedNodes(context), { test: [], live: [] });
    });
  }

  it('reports every problem at once, including the unknown merchant', async (t) => {
    const context = await openAcmeContext(t);
    const sent = readBodyValue({ rate_kind: 'flat', shipping_methods: ['Acme Grund'], service_levels: ['Soon'] });
    const spelled = SHIPPING_METHODS.map((method) => method.replace('<carrier_2>', 'Acme'));
    assert.deepEqual(await setNode(context, { ...BOTH, merchantId: 'nobody' }, sent), {
      ok: false,
      problems: [
        { code: 'required', field: '/fulfillment_node_id', message: 'fulfillment_node_id: is required' },
        {
          code: 'not_allowed',
          field: '/shipping_methods/0',
          message: `shipping_methods[0]: must be one of: ${spelled.join(', ')}`,
        },
        {
          code: 'not_allowed',
          field: '/service_levels/0',
          message: `service_levels[0]: must be one of: ${SERVICE_LEVELS.join(', ')}`,
        },
        { code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' },
      ],
      ignored: [],
    });
  });

  it('add refuses a node that exists, and then changes neither environment', async (t) => {
    const context = await openAcmeContext(t);
    await addNode(context, TEST, body());
    assert.deepEqual(await addNode(context, BOTH, body({ rate_kind: 'per_pound' })), {
      ok: false,
      problems: [
        {
          code: 'fulfillment_node_exists',
          field: '/fulfillment_node_id',
          message: 'fulfillment_node_id: already exists in test',
        },
      ],
      ignored: [],
    });
    assert.deepEqual(await storedNodes(context), { test: [EAST], live: [] });
  });

  it('set replaces all settings of a node', async (t) => {
    const context = await openAcmeContext(t);
    await addNode(context, BOTH, body());
    const changed = { rate_kind: 'per_pound', shipping_methods: ['Acme 2 Day'], service_levels: ['Second Day'] };
    assert.ok((await setNode(context, TEST, body(changed))).ok);
    assert.deepEqual(await storedNodes(context), {
      test: [{ id: 'east', rateKind: 'per_pound', methods: ['<carrier_2> 2 Day'], levels: ['Second Day'] }],
      live: [EAST],
    });
  });

  it('set refuses a node that does not exist, and then changes neither environment', async (t) => {
    const context = await openAcmeContext(t);
    await addNode(context, TEST, body());
    assert.deepEqual(await setNode(context, BOTH, body({ rate_kind: 'per_pound' })), {
      ok: false,
      problems: [
        {
          code: 'fulfillment_node_not_found',
          field: '/fulfillment_node_id',
          message: 'fulfillment_node_id: does not exist in live',
        },
      ],
      ignored: [],
    });
    assert.deepEqual(await storedNodes(context), { test: [EAST], live: [] });
  });

  it('add-or-set adds new nodes and replaces existing ones', async (t) => {
    const context = await openAcmeContext(t);
    assert.deepEqual(await addOrSetNode(context, TEST, body()), { ok: true, value: EAST, ignored: [] });
    const changed = { ...EAST, rateKind: 'per_pound' };
    assert.deepEqual(await addOrSetNode(context, BOTH, body({ rate_kind: 'per_pound' })), {
      ok: true,
      value: changed,
      ignored: [],
    });
    assert.deepEqual(await storedNodes(context), { test: [changed], live: [changed] });
  });

  it('accepts 1,000 nodes per account and no more, but still changes existing ones', async (t) => {
    const context = await openAcmeContext(t);
    await fill(context, NODES_MAX - 1);
    assert.ok((await addNode(context, TEST, body())).ok);
    assert.deepEqual(await addNode(context, BOTH, body({ fulfillment_node_id: 'west' })), {
      ok: false,
      problems: [
        {
          code: 'fulfillment_nodes_full',
          field: '',
          message: 'Limit reached: the merchant has 1000 fulfillment nodes in test. Remove one first.',
        },
      ],
      ignored: [],
    });
    assert.ok((await setNode(context, TEST, body({ rate_kind: 'per_pound' }))).ok);
    assert.ok((await addOrSetNode(context, TEST, body())).ok);
    assert.ok(!(await addOrSetNode(context, TEST, body({ fulfillment_node_id: 'west' }))).ok);
    const { test, live } = await storedNodes(context);
    assert.deepEqual([test.length, live.length], [NODES_MAX, 0]);
  });
});
