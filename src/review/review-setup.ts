/** What the review is told of the setup: the rules that are the same for all, and the accounts. */
import type { Account } from '../domain/account.ts';
import type { ReviewRules } from '../operations/review-knowledge.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';
import type { RulesInForce } from './rules-in-force.ts';

export interface ReviewSetup {
  readonly rules: ReviewRules;
  /** Whether this process reviews by them, or leaves it to others. */
  readonly rulesInForce: Pick<RulesInForce, 'areOwn' | 'hold'>;
  readonly placeholders: () => PlaceholderList;
  /** Undefined once it was removed. */
  account(accountId: number): Promise<Account | undefined>;
  /** Resolves when all of the above is at least as new as the store was at the call. */
  follow(): Promise<void>;
}
