/** In charge of the check of what a fulfillment node must know of the offer. */
import type { ReviewCheck } from './check.ts';
import type { ReviewKnowledge } from './facts.ts';
import type { Subject } from './subject.ts';

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
    `Upload the SKU with shipping_weight_pounds, by which the fulfillment node ${perPoundNodes(subject)[0]} is paid.`,
  reason: () => 'No stock was sent for a fulfillment node with rates per pound.',
};

/** A merchant may have 1,000 of them. */
const SHOWN_NODES_MAX = 10;

/** Of the nodes that stock was sent for, those that need the weight as the merchant's setup stands now. */
function perPoundNodes({ facts, knowledge }: Subject<ReviewKnowledge>): readonly string[] {
  return facts.stockNodeIds.filter((id) => knowledge.account.nodes.get(id)?.rateKind === 'per_pound');
}
