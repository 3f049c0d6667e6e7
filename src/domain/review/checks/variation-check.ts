/** Checks that offers of categories such as clothing are in a variation group and not excluded from it. */
import type { GroupEvidence, LeftOut } from '../../offers/variation-group.ts';
import type { ReviewCheck, Shown } from '../check.ts';
import type { ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';
import { NO_CATEGORY } from './category-checks.ts';

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
      ? `This SKU is excluded from the variation group of ${group.parent}. ${remedyOf(group.leftOut)}`
      : 'Add this SKU to a variation group. Its category requires one.';
  },
  waiting: 'Looking up the category and the variation group. No action needed.',
  reason(subject) {
    if (subject.isShoe()) return 'Shoes are grouped automatically by brand, Collection and Style.';
    return subject.usableCategory === 'unusable' ? NO_CATEGORY : 'This category requires no variation group.';
  },
};

/** Ignores evidence of a group that the offer has left. */
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
    return `This SKU has the same variation values as ${leftOut.of}. Change the values.`;
  }
  return leftOut.why === 'brand_differs'
    ? "This SKU's brand differs from the parent's. Correct the brand, or move this SKU to another group."
    : 'This SKU lacks a variation attribute. Add all attributes in variation_refinements.';
}
