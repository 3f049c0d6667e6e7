/** In charge of the check that clothing is in a variation group, and not only named in one. */
import type { GroupEvidence, LeftOut } from '../variation-group.ts';
import { NO_CATEGORY } from './category-checks.ts';
import type { ReviewCheck, Shown } from './check.ts';
import type { ReviewKnowledge } from './facts.ts';
import type { Subject } from './subject.ts';

export const variationCheck: ReviewCheck = {
  id: 'variation_group',
  scope: 'review',
  code: 'missing_variation_information',
  effect: 'Missing variation information',
  state(subject) {
    const category = subject.usableCategory;
    if (category === 'pending') return 'pending';
    if (category === 'unusable' || category.node?.needsGroup !== true || subject.isShoe()) return 'skipped';
    if (!subject.facts.inGroup) return 'failed';
    const group = groupOf(subject);
    if (group === undefined) return 'pending';
    return group.leftOut === null ? 'passed' : 'failed';
  },
  evidence(subject) {
    const group = groupOf(subject);
    if (group === undefined) return { in_group: subject.facts.inGroup };
    const { parent, leftOut } = group;
    return { in_group: leftOut === null, parent_sku: parent, ...(leftOut === null ? {} : shownLeftOut(leftOut)) };
  },
  remedy(subject) {
    const group = groupOf(subject);
    return group?.leftOut
      ? `The SKU is left out of the variation group of ${group.parent}: ${remedyOf(group.leftOut)}.`
      : 'Clothing is listed in variation groups: send the variation of which this SKU is the parent or a child.';
  },
  waiting: 'The category and the variation group of the SKU are being looked up; nothing needs to be done.',
  reason(subject) {
    if (subject.isShoe()) return 'Shoes are grouped by brand, Collection and Style, without a variation call.';
    return subject.usableCategory === 'unusable' ? NO_CATEGORY : 'Only clothing must be in a variation group.';
  },
};

/** What was found of a group that it has left is nothing to us. */
function groupOf({ facts, evidence }: Subject<ReviewKnowledge>): GroupEvidence | undefined {
  return facts.inGroup ? evidence.group : undefined;
}

function shownLeftOut(leftOut: LeftOut): Shown {
  return {
    excluded: true,
    why: leftOut.why,
    ...(leftOut.why === 'values_repeated' ? { same_values_as: leftOut.of } : {}),
  };
}

function remedyOf(leftOut: LeftOut): string {
  if (leftOut.why === 'values_repeated') {
    return `upload it with values of the variation_refinements that are not those of ${leftOut.of}`;
  }
  return leftOut.why === 'brand_differs'
    ? 'upload it with the brand of that SKU, or send it in another variation'
    : 'upload it with all attributes that the variation_refinements name';
}
