/** Tests the shipping exceptions of a SKU: the body of the upload, clearing and reading. */
import assert from 'node:assert/strict';
import { type ApiClient, problemAt, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { archive, assertCheckOrder, refusesArchivedSku, refusesUnknownSku } from './fixtures/check-order.ts';
import { EAST, flatNode, putDemoNodes, WEST } from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';
import {
  atEast,
  bodyOf,
  exception,
  exceptionProblem,
  INCLUDE,
  METHOD,
  nodeWith,
  sendExceptions,
} from './fixtures/shipping-bodies.ts';

const NODE_UNKNOWN = 'must be one of your fulfillment nodes: see GET /fulfillment-nodes';
const CLEARS = 'is required. To clear, send {} or an empty list';

async function hasNoExceptions(api: ApiClient, path: string): Promise<void> {
  const skuId = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const problem = requestProblem('shipping_exception_unset', `SKU ${skuId} has no shipping exceptions.`);
  await api.refused('GET', `${path}/shippingexception`, undefined, [problem], 404);
  assert.equal((await api.found(path)).fulfillment_nodes, undefined);
}

async function uploadedWith(api: ApiClient, body: Record<string, unknown>): Promise<string> {
  const path = await api.uploadedSku();
  await api.accepted('PUT', `${path}/shippingexception`, body);
  return path;
}

describeApi('shipping exceptions', ({ accepts, refuses, bounds }) => {
  for (const [what, body] of [
    ['an empty object', {}],
    ['an empty list', bodyOf()],
    ['an empty list with an unknown field', { ...bodyOf(), note: 'none' }],
  ] as const) {
    accepts('SHIP-01', `${what}, which clears all exceptions`, async (api) => {
      const path = await uploadedWith(api, bodyOf(nodeWith(EAST, INCLUDE), nodeWith(WEST, INCLUDE)));
      await api.accepted('PUT', `${path}/shippingexception`, body);
      await hasNoExceptions(api, path);
      await api.accepted('PUT', `${path}/shippingexception`, body);
    });
  }
  for (const [what, body] of [
    ['a null list', { fulfillment_nodes: null }],
    ['a misspelled list', { fulfilment_nodes: [] }],
    ['only the exceptions of a node', { shipping_exceptions: [] }],
  ] as const) {
    refuses('SHIP-01', `${what}, and clears nothing`, async (api) => {
      const path = await uploadedWith(api, atEast(INCLUDE));
      const problem = problemAt('list_required_to_clear', 'fulfillment_nodes', CLEARS);
      await api.refused('PUT', `${path}/shippingexception`, body, [problem]);
      assert.deepEqual(await api.found(`${path}/shippingexception`), atEast(INCLUDE));
    });
  }
  for (const [what, body, problem] of [
    ['no body', undefined, requestProblem('body_missing', 'The call needs a JSON body.')],
    ['a null body', 'null', requestProblem('body_not_object', 'The body must be a JSON object.')],
    ['a bare list', [], requestProblem('body_not_object', 'The body must be a JSON object.')],
  ] as const) {
    refuses('SHIP-01', `${what}, and clears nothing`, async (api) => {
      const path = await uploadedWith(api, atEast(INCLUDE));
      await api.refused('PUT', `${path}/shippingexception`, body, [problem]);
      assert.deepEqual(await api.found(`${path}/shippingexception`), atEast(INCLUDE));
    });
  }

  bounds('SHIP-02', {
    send: sendExceptions,
    accepted: { '1,000 nodes': bodyOf(...Array(1000).fill(nodeWith(EAST))) },
    refused: {
      '1,001 entries, and checks none of them': {
        body: bodyOf(...Array(1001).fill({})),
        problems: [problemAt('too_many', 'fulfillment_nodes', 'must have at most 1000 entries')],
      },
      'an object in place of the list': {
        body: { fulfillment_nodes: nodeWith(EAST) },
        problems: [problemAt('wrong_type', 'fulfillment_nodes', 'must be a list')],
      },
    },
  });

  bounds('SHIP-03', {
    send: sendExceptions,
    accepted: { 'an element with both members': atEast(INCLUDE) },
    refused: {
      'an element without its members': {
        body: bodyOf({}),
        problems: [
          problemAt('required', 'fulfillment_nodes[0].fulfillment_node_id', 'is required'),
          problemAt('required', 'fulfillment_nodes[0].shipping_exceptions', 'is required'),
        ],
      },
      'a null list of exceptions': {
        body: bodyOf({ fulfillment_node_id: EAST, shipping_exceptions: null }),
        problems: [problemAt('required', 'fulfillment_nodes[0].shipping_exceptions', 'is required')],
      },
      'entries that are not objects': {
        body: bodyOf(EAST, nodeWith(EAST, 'Freight')),
        problems: [
          problemAt('wrong_type', 'fulfillment_nodes[0]', 'must be an object'),
          problemAt('wrong_type', 'fulfillment_nodes[1].shipping_exceptions[0]', 'must be an object'),
        ],
      },
    },
  });

  bounds('SHIP-04', {
    send: sendExceptions,
    accepted: { 'all nodes of the merchant': bodyOf(nodeWith(EAST, INCLUDE), nodeWith(WEST, INCLUDE)) },
    refused: {
      'unknown nodes': {
        body: bodyOf(nodeWith('nowhere', INCLUDE), nodeWith(EAST, INCLUDE), nodeWith('', INCLUDE)),
        problems: [0, 2].map((index) =>
          problemAt('fulfillment_node_unknown', `fulfillment_nodes[${index}].fulfillment_node_id`, NODE_UNKNOWN),
        ),
      },
    },
  });

  bounds('SHIP-05', {
    send: sendExceptions,
    accepted: { '100 exceptions at a node': atEast(...Array(100).fill(INCLUDE)) },
    refused: {
      '101 exceptions in one element, and checks none of them': {
        body: atEast(...Array(101).fill({})),
        problems: [exceptionProblem('too_many', '', 'must have at most 100 entries')],
      },
    },
  });
  accepts('SHIP-05', '100 exceptions in two elements of one node', async (api) => {
    const half = nodeWith(EAST, ...Array(50).fill(INCLUDE));
    assert.equal((await sendExceptions(api, bodyOf(half, half))).status, 202);
  });
  refuses('SHIP-05', '101 exceptions in two elements of one node', async (api) => {
    const [half, more] = [nodeWith(EAST, ...Array(50).fill(INCLUDE)), nodeWith(EAST, ...Array(51).fill(INCLUDE))];
    const answer = await sendExceptions(api, bodyOf(half, more));
    assert.equal(answer.status, 400);
    assert.equal((answer.body as { details: { code: string }[] }).details[0]?.code, 'too_many');
  });

  accepts('SHIP-06', 'an empty list of exceptions for a node, which then has none', async (api) => {
    const path = await uploadedWith(api, bodyOf(nodeWith(EAST, INCLUDE), nodeWith(WEST, INCLUDE)));
    const body = bodyOf(nodeWith(EAST), nodeWith(WEST, INCLUDE));
    await api.accepted('PUT', `${path}/shippingexception`, body);
    assert.deepEqual(await api.found(`${path}/shippingexception`), body);
  });

  accepts('SHIP-15', 'a second upload, which replaces the exceptions of all nodes', async (api) => {
    const path = await uploadedWith(api, bodyOf(nodeWith(EAST, INCLUDE), nodeWith(WEST, INCLUDE)));
    const body = bodyOf(nodeWith(WEST, exception('restricted', { shipping_method: 'Freight' })));
    await api.accepted('PUT', `${path}/shippingexception`, body);
    assert.deepEqual(await api.found(`${path}/shippingexception`), body);
  });
  refuses('SHIP-15', 'an invalid second upload, and keeps the exceptions', async (api) => {
    const path = await uploadedWith(api, atEast(INCLUDE));
    const body = bodyOf(nodeWith(WEST, INCLUDE), nodeWith('nowhere', INCLUDE));
    await api.refused('PUT', `${path}/shippingexception`, body, [
      problemAt('fulfillment_node_unknown', 'fulfillment_nodes[1].fulfillment_node_id', NODE_UNKNOWN),
    ]);
    assert.deepEqual(await api.found(`${path}/shippingexception`), atEast(INCLUDE));
  });

  accepts('SHIP-16', 'several elements of one node, and merges them', async (api) => {
    const [freight, level] = [{ shipping_method: 'Freight' }, { service_level: 'Priority' }].map((service) =>
      exception('include', service),
    );
    const path = await uploadedWith(
      api,
      bodyOf(nodeWith(EAST, INCLUDE), nodeWith(WEST, freight), nodeWith(EAST, level)),
    );
    assert.deepEqual(
      await api.found(`${path}/shippingexception`),
      bodyOf(nodeWith(EAST, INCLUDE, level), nodeWith(WEST, freight)),
    );
  });

  accepts('SHIP-17', 'a read of what was uploaded, here and in the SKU read', async (api) => {
    const charge = { override_type: 'Additional charge', shipping_charge_amount: 2.5 };
    const body = bodyOf(
      nodeWith(WEST, exception('exclusive', { shipping_method: 'Freight', service_level: 'Standard' }, charge)),
      nodeWith(EAST, exception('restricted', METHOD), { ...INCLUDE, override_type: null }),
    );
    const path = await uploadedWith(api, body);
    const read = bodyOf(
      nodeWith(WEST, exception('exclusive', { shipping_method: 'Freight', service_level: 'Standard' }, charge)),
      nodeWith(EAST, exception('restricted', METHOD), INCLUDE),
    );
    assert.deepEqual(await api.found(`${path}/shippingexception`), read);
    assert.deepEqual((await api.found(path)).fulfillment_nodes, read.fulfillment_nodes);
  });

  refuses('SHIP-18', 'to read the exceptions of a SKU that has none', async (api) => {
    await hasNoExceptions(api, await api.uploadedSku());
  });

  refuses('SHIP-19', 'a SKU that was never uploaded', async (api) => {
    await refusesUnknownSku(api, 'PUT', 'shippingexception', atEast(INCLUDE));
    await refusesUnknownSku(api, 'PUT', 'shippingexception', {});
    await refusesUnknownSku(api, 'GET', 'shippingexception');
  });

  refuses('SHIP-20', 'to change an archived SKU', async (api) => {
    await refusesArchivedSku(api, 'PUT', 'shippingexception', atEast(INCLUDE));
    await refusesArchivedSku(api, 'PUT', 'shippingexception', {});
  });
  accepts('SHIP-20', 'to read the exceptions of an archived SKU', async (api) => {
    const path = await uploadedWith(api, atEast(INCLUDE));
    await archive(api, path);
    assert.deepEqual(await api.found(`${path}/shippingexception`), atEast(INCLUDE));
  });

  refuses('SHIP-21', 'in the order of checks', (api) =>
    assertCheckOrder(api, 'PUT', 'shippingexception', {
      faulty: {
        body: bodyOf(nodeWith('nowhere', exception('exclusive', METHOD), INCLUDE)),
        problems: [
          exceptionProblem('exclusive_with_include', '', 'node nowhere must not have exclusive and include exceptions'),
        ],
      },
      misfit: {
        body: bodyOf(nodeWith('nowhere', INCLUDE)),
        problems: [problemAt('fulfillment_node_unknown', 'fulfillment_nodes[0].fulfillment_node_id', NODE_UNKNOWN)],
      },
    }),
  );

  accepts('SHIP-22', 'to keep stored exceptions when the setup of the node changes', async (api) => {
    const node = flatNode('changing-node', { methods: ['Freight', '<carrier_2> Ground'] });
    await putDemoNodes(api, 'test', [node]);
    const body = bodyOf(nodeWith(node.id, exception('restricted', METHOD)));
    const path = await uploadedWith(api, body);
    await putDemoNodes(api, 'test', [{ ...node, methods: ['Freight'] }]);
    assert.deepEqual(await api.found(`${path}/shippingexception`), body);
    await api.refused('PUT', `${path}/shippingexception`, body, [
      exceptionProblem(
        'restricted_not_enabled',
        '[0].shipping_method',
        `<carrier_2> Ground is not enabled at node ${node.id}`,
      ),
    ]);
    assert.deepEqual(await api.found(`${path}/shippingexception`), body);
  });

  accepts('SHIP-23', '50 uploads at once to one SKU, of which one is stored completely', async (api) => {
    const path = await api.uploadedSku();
    const charged = (amount: number) =>
      ['Standard', 'Expedited'].map((service_level) =>
        exception('include', { service_level }, { override_type: 'Override charge', shipping_charge_amount: amount }),
      );
    await together(50, (i) => api.accepted('PUT', `${path}/shippingexception`, atEast(...charged(i))));
    const read = await api.found(`${path}/shippingexception`);
    const amount = /"shipping_charge_amount":(\d+)/.exec(JSON.stringify(read))?.[1];
    assert.deepEqual(read, atEast(...charged(Number(amount))));
  });
});
