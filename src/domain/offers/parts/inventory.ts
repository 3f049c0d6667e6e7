/** The stock of an offer. A write changes only the nodes that it names. */
import { checkNodesKnown, lastOfEachNode, NODES_KNOWN } from '../../place-rules.ts';
import type { NodeQuantity, Part, PartChange, StoredParts } from '../part.ts';
import { UPLOADED } from '../write-state.ts';

export const INVENTORY: Part<'inventory'> = Object.freeze<Part<'inventory'>>({
  name: 'inventory',
  code: 3,
  fileType: 'Inventory',
  path: '/inventory',
  source: 'inventory',
  isSmall: true,
  scope: 'stock',
  isInOffer: true,
  serverRules: [UPLOADED, NODES_KNOWN],
  checkSettings: ({ fulfillment_nodes: nodes }, account, _names, report) => checkNodesKnown(nodes, account, report),
  toWrite: (skuId, { fulfillment_nodes: nodes }) => {
    return { skuId, part: 'inventory', quantities: lastOfEachNode(nodes) };
  },
  valueIn: (stored) => stored,
  // The history converts its records node by node: see `nodesIn`.
  decode: (_amount, text) => text,
  changesOf: ({ quantities }, { inventory }) => [stockChange(inventory, quantities)],
  applied: (offer, { quantities }) => {
    const sent = quantities.map(({ fulfillment_node_id }) => fulfillment_node_id);
    return { ...offer, stockNodeIds: [...new Set([...offer.stockNodeIds, ...sent])].sort() };
  },
  numbersOf: ({ quantities }, { inventory, nodes }) => {
    return quantities.map(({ fulfillment_node_id: id }) => nodes.get(id) ?? inventory);
  },
  taggedText: ({ nodes }) => quantitiesText(nodes.map(({ fulfillment_node_id: id, quantity }) => [id, quantity])),
  json: ({ nodes }) => {
    return JSON.stringify(Object.fromEntries(nodes.map((node) => [node.fulfillment_node_id, node.quantity])));
  },
  bodyOf: ({ nodes }) => ({
    fulfillment_nodes: nodes.map(({ fulfillment_node_id, quantity }) => ({ fulfillment_node_id, quantity })),
  }),
});

/** Returns the tagged text: quantities without their times; null if no quantity was sent. */
export function quantitiesText(
  nodes: readonly (readonly [id: string, quantity: number, ...unknown[]])[],
): string | null {
  if (nodes.length === 0) return null;
  let text = '';
  for (const [id, quantity] of nodes) text += `${JSON.stringify(id)}:${quantity},`;
  return text;
}

export function stockChange(stored: StoredParts['inventory'], quantities: readonly NodeQuantity[]): PartChange {
  const stock = new Map(stored?.nodes.map(({ fulfillment_node_id: id, quantity }) => [id, quantity]));
  const nodes = quantities.map(({ fulfillment_node_id: nodeId, quantity: after }) => {
    return { nodeId, before: stock.get(nodeId) ?? null, after };
  });
  return { part: 'inventory', nodes };
}
