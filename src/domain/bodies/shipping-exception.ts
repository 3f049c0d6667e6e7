/** Describes the body of shipping exceptions, and checks the rules that need no account settings. */
import Type, { type Static } from 'typebox';
import { isObject, isPresent } from '../check/compile.ts';
import { Amount, List, OneOf, Text } from '../check/schema.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import type { ProblemCode, Report } from '../problem.ts';
import { SERVICE_LEVELS } from '../vocabulary/service-levels.ts';
import { OVERRIDE_TYPES, SHIPPING_EXCEPTION_TYPES } from '../vocabulary/shipping-exceptions.ts';
import { SHIPPING_METHODS } from '../vocabulary/shipping-methods.ts';
import { type BodyCheck, createBodyCheck, type Loose } from './body-check.ts';
import { requireListToClear } from './clearable-list.ts';

export const ServiceLevelSchema = OneOf(SERVICE_LEVELS, {
  title: 'ServiceLevel',
  description: 'How quickly the item is delivered.',
});
export const ShippingMethodSchema = OneOf(SHIPPING_METHODS, {
  title: 'ShippingMethod',
  description: 'Service of a carrier.',
  'x-carrier-names': true,
});

const shippingExceptionFields = {
  service_level: Type.Optional(ServiceLevelSchema),
  shipping_method: Type.Optional(ShippingMethodSchema),
  override_type: Type.Optional(
    OneOf(OVERRIDE_TYPES, {
      description: 'Whether the amount replaces the default charge or is added to it. Not allowed with restricted.',
    }),
  ),
  shipping_charge_amount: Type.Optional(
    Amount(0, { description: 'Shipping charge. Required with override_type, not allowed with restricted.' }),
  ),
  shipping_exception_type: OneOf(SHIPPING_EXCEPTION_TYPES, {
    description:
      'restricted: the item never ships this way. exclusive: the item ships only this way; allowed once for each node and ' +
      'with no other type. include: the item ships this way at the normal charge, or at the override.',
  }),
};

const ShippingException = Type.Object(shippingExceptionFields, {
  title: 'ShippingException',
  description: 'Rule for one way to ship. Send service_level, shipping_method, or both.',
});

const NodeExceptions = Type.Object(
  {
    fulfillment_node_id: Text(LIMITS.text_characters_max, { description: 'Id of one of your fulfillment nodes.' }),
    shipping_exceptions: List(ShippingException, LIMITS.shipping_exceptions_per_node_max, {
      description: 'All exceptions at this node.',
    }),
  },
  { title: 'NodeShippingExceptions', description: 'Shipping exceptions at one fulfillment node.' },
);

export const ShippingExceptionBody = Type.Object({
  fulfillment_nodes: Type.Optional(
    List(NodeExceptions, LIMITS.fulfillment_nodes_max, {
      description: 'Replaces all exceptions of the SKU. An empty list, or {} as the body, clears them.',
    }),
  ),
});

export type ShippingException = Static<typeof ShippingException>;
export type NodeExceptions = Static<typeof NodeExceptions>;
export type ShippingExceptionUpload = Static<typeof ShippingExceptionBody>;

export function createShippingExceptionCheck(names: Names): BodyCheck<ShippingExceptionUpload> {
  return createBodyCheck(ShippingExceptionBody, names, (clean, sent, report) => {
    requireListToClear('fulfillment_nodes', sent, report);
    const sentNodes = sent.fulfillment_nodes;
    report.enter('fulfillment_nodes');
    for (const [index, node] of clean.fulfillment_nodes?.entries() ?? []) {
      report.enter(index);
      const sentNode: unknown = Array.isArray(sentNodes) ? sentNodes[index] : undefined;
      checkEachException(node, isObject(sentNode) ? sentNode.shipping_exceptions : undefined, report);
      report.leave();
    }
    report.leave();
    checkWholeNodes(clean, report);
  });
}

function checkEachException(node: Loose<NodeExceptions> | undefined, sentList: unknown, report: Report): void {
  for (const [index, exception] of node?.shipping_exceptions?.entries() ?? []) {
    const sent: unknown = Array.isArray(sentList) ? sentList[index] : undefined;
    if (exception === undefined || !isObject(sent)) continue;
    report.enter('shipping_exceptions');
    report.enter(index);
    if (!isPresent(sent.service_level) && !isPresent(sent.shipping_method)) {
      report.add('service_required', 'must have a service_level or a shipping_method');
    }
    if (exception.shipping_exception_type === 'restricted') {
      for (const field of ['override_type', 'shipping_charge_amount']) {
        if (!isPresent(sent[field])) continue;
        report.add('charge_on_restricted', 'must not be sent when shipping_exception_type is restricted', field);
      }
    } else if (isPresent(sent.override_type) && !isPresent(sent.shipping_charge_amount)) {
      report.add('charge_required', 'is required with override_type', 'shipping_charge_amount');
    }
    report.leave();
    report.leave();
  }
}

/** Checks all exceptions of each node together: their number, and rules 3 and 4. */
function checkWholeNodes(upload: Loose<ShippingExceptionUpload>, report: Report): void {
  const nodes = Map.groupBy(upload.fulfillment_nodes?.entries() ?? [], ([, node]) => node?.fulfillment_node_id);
  for (const [nodeId, elements] of nodes) {
    if (nodeId === undefined) continue;
    const types = elements
      .flatMap(([, node]) => node?.shipping_exceptions ?? [])
      .map((exception) => exception?.shipping_exception_type);
    const at = ['fulfillment_nodes', elements[0]?.[0] ?? 0, 'shipping_exceptions'] as const;
    if (types.length > LIMITS.shipping_exceptions_per_node_max) {
      const rule = `node ${nodeId} must have at most ${LIMITS.shipping_exceptions_per_node_max} exceptions in all`;
      report.add('too_many', rule, ...at);
    }
    for (const [code, text] of exclusiveFaults(types)) report.add(code, `node ${nodeId} must not have ${text}`, ...at);
  }
}

function* exclusiveFaults(types: readonly (string | undefined)[]): Iterable<readonly [ProblemCode, string]> {
  if (!types.includes('exclusive')) return;
  if (types.filter((type) => type === 'exclusive').length > 1) {
    yield ['exclusive_repeated', 'more than one exclusive exception'];
  }
  if (types.includes('include')) yield ['exclusive_with_include', 'exclusive and include exceptions'];
  if (types.includes('restricted')) yield ['exclusive_with_restricted', 'exclusive and restricted exceptions'];
}
