/** The shipping exceptions of an offer, and the rules about account settings for them. A write replaces all exceptions. */
import type { Account, FulfillmentNode } from '../../account.ts';
import type { NodeExceptions, ShippingException } from '../../bodies/shipping-exception.ts';
import type { Names } from '../../names.ts';
import { checkNodesKnown, NODES_KNOWN } from '../../place-rules.ts';
import type { Report } from '../../problem.ts';
import type { Part } from '../part.ts';
import { exceptionsJson } from '../stored-json.ts';
import { UPLOADED } from '../write-state.ts';
import { clearable } from './clearable.ts';

const STORED = clearable('shipping_exception', '/shippingexception', 'fulfillment_nodes', 'shipping_exceptions');

export const SHIPPING_EXCEPTION: Part<'shipping_exception'> = Object.freeze<Part<'shipping_exception'>>({
  ...STORED,
  code: 6,
  unset: ['shipping_exception_unset', 'has no shipping exceptions'],
  serverRules: [UPLOADED, NODES_KNOWN, 'whether the nodes offer the methods and service levels'],
  checkSettings: ({ fulfillment_nodes: nodes = [] }, account, names, report) =>
    checkExceptionsFitNodes(nodes, account, names, report),
  toWrite: (skuId, { fulfillment_nodes: nodes = [] }) =>
    STORED.toWrite(skuId, { fulfillment_nodes: mergeNodeExceptions(nodes) }),
  json: (exceptions, names) => `{"fulfillment_nodes":${exceptionsJson(exceptions, names)}}`,
});

/**
 * Checks rules 1 and 2, and the additional charge. Rule 1 and the charge apply to methods and to levels, depending on what was sent;
 * rule 2 applies to methods only (decision 64).
 */
function checkExceptionsFitNodes(
  uploaded: readonly NodeExceptions[],
  account: Account,
  names: Names,
  report: Report,
): void {
  checkNodesKnown(uploaded, account, report);
  const restricted = new Map<FulfillmentNode, { index: number; methods: Set<string> }>();
  for (const [index, { fulfillment_node_id, shipping_exceptions }] of uploaded.entries()) {
    const node = account.nodes.get(fulfillment_node_id);
    if (node === undefined) continue;
    for (const [position, exception] of shipping_exceptions.entries()) {
      for (const service of servicesOf(exception, node)) {
        const at = ['fulfillment_nodes', index, 'shipping_exceptions', position, service.field] as const;
        const spelled = names.method(service.value);
        if (exception.shipping_exception_type === 'restricted') {
          const seen = restricted.get(node) ?? { index, methods: new Set() };
          restricted.set(node, seen);
          if (service.field === 'shipping_method') seen.methods.add(service.value);
          if (!service.enabled) {
            report.add('restricted_not_enabled', `${spelled} is not enabled at node ${node.id}`, ...at);
          }
        }
        if (exception.override_type === 'Additional charge' && !service.enabled) {
          report.add(
            'additional_charge_not_enabled',
            `node ${node.id} does not have ${spelled} enabled, so no charge can be added to it`,
            ...at,
          );
        }
      }
    }
  }
  for (const [node, { index, methods }] of restricted) {
    if (node.methods.length === 0 || !node.methods.every((method) => methods.has(method))) continue;
    const rule = `node ${node.id} must not have all its methods restricted`;
    report.add('all_restricted', rule, 'fulfillment_nodes', index, 'shipping_exceptions');
  }
}

interface NamedService {
  readonly field: 'shipping_method' | 'service_level';
  readonly value: string;
  readonly enabled: boolean;
}

function servicesOf(exception: ShippingException, node: FulfillmentNode): NamedService[] {
  const { shipping_method: method, service_level: level } = exception;
  const services: NamedService[] = [];
  if (method !== undefined) {
    services.push({ field: 'shipping_method', value: method, enabled: node.methods.includes(method) });
  }
  if (level !== undefined) {
    services.push({ field: 'service_level', value: level, enabled: node.levels.includes(level) });
  }
  return services;
}

/** Merges the elements of each node into one, at the position of the first. */
function mergeNodeExceptions(uploaded: readonly NodeExceptions[]): NodeExceptions[] {
  const nodes = Map.groupBy(uploaded, (node) => node.fulfillment_node_id);
  return Array.from(nodes, ([fulfillment_node_id, elements]) => ({
    fulfillment_node_id,
    shipping_exceptions: elements.flatMap((element) => element.shipping_exceptions),
  }));
}
