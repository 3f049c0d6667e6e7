/** GET /fulfillment-nodes, /fulfillment-nodes/{fulfillment_node_id}, /setup/fulfillmentNodes, /setup/returnsLocations */
import { RATE_KINDS } from '../../domain/account.ts';
import { ServiceLevelSchema, ShippingMethodSchema } from '../../domain/bodies/shipping-exception.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { requestProblem } from '../../domain/problem.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { nodeJson } from '../../domain/setup/node.ts';
import { type Answer, endpointsOf, type MerchantCall } from '../endpoint.ts';
import { returnsFields } from './get-sku.ts';

export const NodeAnswer = Type.Object(
  {
    fulfillment_node_id: Type.String({ description: 'Id of the node.' }),
    rate_kind: OneOf(RATE_KINDS, { description: 'How shipping rates for the node are calculated.' }),
    shipping_methods: Type.Array(ShippingMethodSchema, { description: 'Shipping methods that the node uses.' }),
    service_levels: Type.Array(ServiceLevelSchema, { description: 'Service levels that the node offers.' }),
  },
  { title: 'FulfillmentNode', description: 'A place that you ship from.' },
);

const NodesAnswer = Type.Object(
  { fulfillment_nodes: Type.Array(NodeAnswer, { description: 'All your nodes.' }) },
  { title: 'FulfillmentNodeList' },
);

const shared = { access: 'merchant', needs: SCOPE.read, concerns: 'no_offers', tag: 'Account settings' } as const;

export const accountSettingsEndpoints = endpointsOf(shared, {
  'GET /fulfillment-nodes': {
    id: 'listFulfillmentNodes',
    summary: 'List your fulfillment nodes',
    description:
      'Price, stock and exceptions refer to these ids. The operator, or your admin in the portal, sets nodes up.',
    answer: NodesAnswer,
    handle: listNodes,
  },
  'GET /fulfillment-nodes/{fulfillment_node_id}': {
    id: 'getFulfillmentNode',
    summary: 'Read one of your fulfillment nodes',
    description: 'Returns its shipping methods, service levels and kind of rates.',
    answer: NodeAnswer,
    failures: [404],
    handle({ services, account, targetId: nodeId }) {
      const node = account.nodes.get(nodeId);
      if (node !== undefined) return { status: 200, json: JSON.stringify(nodeJson(node, services.context.names)) };
      return { problems: [requestProblem('fulfillment_node_not_found', 'You have no fulfillment node with this id.')] };
    },
  },
  'GET /setup/fulfillmentNodes': {
    id: 'listSetupFulfillmentNodes',
    summary: 'List your fulfillment nodes (older path)',
    description: 'Returns the same list as `GET /fulfillment-nodes`. Use that path instead.',
    deprecated: true,
    answer: NodesAnswer,
    handle: listNodes,
  },
  'GET /setup/returnsLocations': {
    id: 'listReturnLocations',
    summary: 'List your return locations',
    description: 'Returns the locations, the return window and the return methods of your account.',
    answer: Type.Object({
      return_locations: Type.Array(
        Type.Object({ return_location_id: Type.String({ description: 'Id of the return location.' }) }),
        { description: 'All your return locations.' },
      ),
      time_to_return: returnsFields.time_to_return,
      return_shipping_methods: returnsFields.return_shipping_methods,
    }),
    handle({ services: { context }, account }) {
      const json = JSON.stringify({
        return_locations: Array.from(account.returnLocationIds, (id) => ({ return_location_id: id })),
        time_to_return: account.timeToReturnDays,
        return_shipping_methods: account.returnShippingMethods.map((method) => context.names.method(method)),
      });
      return { status: 200, json };
    },
  },
});

function listNodes({ services, account }: MerchantCall): Answer {
  const nodes = Array.from(account.nodes.values(), (node) => nodeJson(node, services.context.names));
  return { status: 200, json: JSON.stringify({ fulfillment_nodes: nodes }) };
}
