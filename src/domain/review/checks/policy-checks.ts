/** Checks an offer against the operator's policies: exclusions and restricted brands. */
import { lineageOf } from '../category.ts';
import type { ReviewCheck } from '../check.ts';
import type { ReviewKnowledge } from '../facts.ts';
import { brandPermission, type Exclusion, exclusionsOf } from '../policies.ts';
import type { Subject } from '../subject.ts';

export const exclusionCheck: ReviewCheck = {
  id: 'exclusion',
  scope: 'review',
  code: 'excluded',
  effect: 'excluded',
  state(subject) {
    if (exclusions(subject).length > 0) return 'failed';
    const dependsOnCategory = subject.knowledge.policies.excludedCategories.size > 0;
    return dependsOnCategory && subject.category === 'pending' ? 'pending' : 'passed';
  },
  evidence: (subject) => ({ excluded: exclusions(subject) }),
  next: () => 'marketplace',
  remedy(subject) {
    const excluded = exclusions(subject).map(exclusionText).join(', ');
    return `This marketplace does not sell ${excluded}. Only the marketplace can change this.`;
  },
  waiting: 'Looking up the category in the catalog. No action needed.',
};

function exclusions(subject: Subject<ReviewKnowledge>): readonly Exclusion[] {
  const { policies, taxonomy } = subject.knowledge;
  const { category } = subject;
  // Retired and inner nodes count too: everything below an excluded node is excluded.
  const node = typeof category === 'object' ? category.node : undefined;
  const lineage = policies.excludedCategories.size === 0 ? [] : lineageOf(node, taxonomy);
  return exclusionsOf(policies, subject.document.brand, subject.codes, lineage);
}

function exclusionText(exclusion: Exclusion): string {
  if ('brand' in exclusion) return `the brand ${exclusion.brand}`;
  if ('code' in exclusion) return `the product with the code ${exclusion.code}`;
  return `the category ${exclusion.category.name} (${exclusion.category.id})`;
}

export const authorizationCheck: ReviewCheck = {
  id: 'authorization',
  scope: 'review',
  code: 'unauthorized',
  effect: 'unauthorized',
  state: (subject) => (permissionOf(subject) === 'refused' ? 'failed' : 'passed'),
  evidence: (subject) => ({ brand: subject.document.brand, permission: permissionOf(subject) }),
  remedy: ({ document }) => `${document.brand} is a restricted brand. Ask the marketplace for approval.`,
};

function permissionOf({ document, knowledge }: Subject<ReviewKnowledge>) {
  return brandPermission(knowledge.policies, document.brand, knowledge.account.merchantId);
}
