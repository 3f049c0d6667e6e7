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
  reason: () => 'The offer has no stock at a fulfillment node that charges by the pound.',
};

/** A merchant can have 1,000 nodes. */
const SHOWN_NODES_MAX = 10;

/** Returns the nodes that currently charge by the pound and for which a quantity was sent, even 0. */
function perPoundNodes({ facts, knowledge }: Subject<ReviewKnowledge>): readonly string[] {
  return facts.stockNodeIds.filter((id) => knowledge.account.nodes.get(id)?.rateKind === 'per_pound');
}
