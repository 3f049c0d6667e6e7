/** Checks the rules that need account settings: existing nodes and return locations, and what a node can ship. */
import type { Account, FulfillmentNode } from './account.ts';
import type { NodeExceptions, ShippingException } from './bodies/shipping-exception.ts';
import type { Names } from './names.ts';
import type { Report } from './problem.ts';

export function checkNodesKnown(
  nodes: readonly { fulfillment_node_id: string }[],
  account: Account,
  report: Report,
): void {
  for (const [index, node] of nodes.entries()) {
    if (account.nodes.has(node.fulfillment_node_id)) continue;
    const rule = 'must be one of your fulfillment nodes: see GET /fulfillment-nodes';
    report.add('fulfillment_node_unknown', rule, 'fulfillment_nodes', index, 'fulfillment_node_id');
  }
}

export function checkReturnLocationsKnown(locationIds: readonly string[], account: Account, report: Report): void {
  for (const [index, locationId] of locationIds.entries()) {
    if (account.returnLocationIds.has(locationId)) continue;
    report.add('return_location_unknown', 'must be one of your return locations', 'return_location_ids', index);
  }
}

/** Rules 1 and 2 and the additional charge. Each applies to methods and to levels, depending on what was sent. */
export function checkExceptionsFitNodes(
  uploaded: readonly NodeExceptions[],
  account: Account,
  names: Names,
  report: Report,
): void {
  checkNodesKnown(uploaded, account, report);
  const restricted = new Map<FulfillmentNode, { index: number; services: Set<string> }>();
  for (const [index, { fulfillment_node_id, shipping_exceptions }] of uploaded.entries()) {
    const node = account.nodes.get(fulfillment_node_id);
    if (node === undefined) continue;
    for (const [position, exception] of shipping_exceptions.entries()) {
      for (const service of servicesOf(exception, node)) {
        const at = ['fulfillment_nodes', index, 'shipping_exceptions', position, service.field] as const;
        const spelled = names.method(service.value);
        if (exception.shipping_exception_type === 'restricted') {
          const seen = restricted.get(node) ?? { index, services: new Set() };
          restricted.set(node, seen);
          seen.services.add(service.value);
          if (!service.enabled) {
            report.add('restricted_not_enabled', `${spelled} is not enabled at node ${node.id}`, ...at);
          }
        }
        if (exception.override_type === 'Additional charge' && !service.enabled) {
          report.add('additional_charge_not_enabled', `node ${node.id} has no ${spelled} to add a charge to`, ...at);
        }
      }
    }
  }
  for (const [node, { index, services }] of restricted) {
    for (const [kind, all] of [
      ['methods', node.methods],
      ['service levels', node.levels],
    ] as const) {
      if (all.length === 0 || !all.every((service) => services.has(service))) continue;
      const rule = `node ${node.id} must not have all its ${kind} restricted`;
      report.add('all_restricted', rule, 'fulfillment_nodes', index, 'shipping_exceptions');
    }
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
export function mergeNodeExceptions(uploaded: readonly NodeExceptions[]): NodeExceptions[] {
  const nodes = Map.groupBy(uploaded, (node) => node.fulfillment_node_id);
  return Array.from(nodes, ([fulfillment_node_id, elements]) => ({
    fulfillment_node_id,
    shipping_exceptions: elements.flatMap((element) => element.shipping_exceptions),
  }));
}

/** The last of several entries for one node wins. */
export function lastOfEachNode<T extends { fulfillment_node_id: string }>(entries: readonly T[]): T[] {
  if (entries.length < 2) return [...entries];
  return [...new Map(entries.map((entry) => [entry.fulfillment_node_id, entry])).values()];
}
