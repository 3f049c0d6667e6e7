/** Checks that the offer has the data that its fulfillment nodes need. */
import type { ReviewCheck } from '../check.ts';
import type { ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';

export const shippingWeightCheck: ReviewCheck = {
  id: 'shipping_weight',
  scope: 'review',
  code: 'missing_shipping_weight',
  effect: 'Missing shipping weight',
  state(subject) {
    if (subject.document.shipping_weight_pounds !== undefined) return 'passed';
    return perPoundNodes(subject).length === 0 ? 'skipped' : 'failed';
  },
  evidence: (subject) => ({
    shipping_weight_pounds: subject.document.shipping_weight_pounds ?? null,
    per_pound_nodes: perPoundNodes(subject).slice(0, SHOWN_NODES_MAX),
  }),
  remedy: (subject) =>
    `Add a shipping weight (shipping_weight_pounds): ${perPoundNodes(subject)[0]} charges by the pound.`,
  reason: () => 'The shipping rates for this offer do not depend on its weight.',
};

/** A merchant can have 1,000 nodes. */
const SHOWN_NODES_MAX = 10;

const NONE: readonly string[] = Object.freeze([]);

/** Cached, because nodes are immutable: a change replaces all. Otherwise, each review would look at up to 1,000 nodes. */
const ALL_PER_POUND = new WeakMap<Nodes, readonly string[]>();

type Nodes = ReviewKnowledge['account']['nodes'];

/**
 * Returns the nodes that charge by the pound and from which the offer must be able to ship (decision 64): all nodes if none has other rates,
 * otherwise those for which a quantity was sent, even 0.
 */
function perPoundNodes({ facts, knowledge }: Subject<ReviewKnowledge>): readonly string[] {
  const { nodes } = knowledge.account;
  const all = ALL_PER_POUND.get(nodes) ?? allPerPound(nodes);
  ALL_PER_POUND.set(nodes, all);
  return all.length > 0 ? all : facts.stockNodeIds.filter((id) => nodes.get(id)?.rateKind === 'per_pound');
}

/** Returns all nodes if all of them charge by the pound, otherwise none. */
function allPerPound(nodes: Nodes): readonly string[] {
  return nodes.values().every(({ rateKind }) => rateKind === 'per_pound') ? [...nodes.keys()] : NONE;
}
