/** Checks that nodes and return locations exist in the account settings, and keeps one entry for each node. */
import type { Account } from './account.ts';
import type { Report } from './problem.ts';

/** Names the rule of `checkNodesKnown`. */
export const NODES_KNOWN = 'whether the merchant has the fulfillment nodes';

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

/** The last of several entries for one node wins. */
export function lastOfEachNode<T extends { fulfillment_node_id: string }>(entries: readonly T[]): T[] {
  if (entries.length < 2) return [...entries];
  return [...new Map(entries.map((entry) => [entry.fulfillment_node_id, entry])).values()];
}
