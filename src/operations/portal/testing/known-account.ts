/** An account and rules whose review knows the taxonomy of good offers, for tests of portal operations. */
import type { Account } from '../../../domain/account.ts';
import { NO_POLICIES } from '../../../domain/review/policies.ts';
import { KNOWLEDGE } from '../../../domain/review/testing/good-offer.ts';
import type { TaggedTaxonomy } from '../../../domain/taxonomy/tree.ts';
import { reviewKnowledge } from '../../review-knowledge.ts';

export const ACCOUNT = { ...KNOWLEDGE.account, accountId: 7 } as Account;

export const RULES = {
  taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: 'first' } as unknown as TaggedTaxonomy },
  policies: { current: NO_POLICIES },
  imageCheck: 'on',
  newProductData: [],
  code: 'as it is',
} as const;

/** Tag of the rules: verdicts with it are current. */
export const { tag: TAG } = reviewKnowledge(RULES, ACCOUNT);
