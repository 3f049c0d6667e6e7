/** In charge of what the judgement of an offer may rely on: the one place where the review is switched on. */
import type { Account } from '../domain/account.ts';
import type { ReviewKnowledge } from '../domain/review/facts.ts';
import type { Policies } from '../domain/review/policies.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';

/** The same for all merchants, as it is in force now: `current` is another one after a change. */
export interface ReviewRules {
  readonly taxonomy: { readonly current: TaggedTaxonomy };
  readonly policies: { readonly current: Policies };
  readonly imageCheck: 'on' | 'off';
}

export function reviewKnowledge({ taxonomy, policies, imageCheck }: ReviewRules, account: Account): ReviewKnowledge {
  return { review: 'on', taxonomy: taxonomy.current.tree, policies: policies.current, account, imageCheck };
}
