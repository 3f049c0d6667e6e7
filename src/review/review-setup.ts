/** Defines the settings that the review needs: rules, placeholders and accounts. */
import type { Account } from '../domain/account.ts';
import type { ReviewRules } from '../operations/review-knowledge.ts';
import type { ActiveRules } from './active-rules.ts';
import type { PlaceholderList } from './images/placeholder-list.ts';

export interface ReviewSetup {
  readonly rules: ReviewRules;
  /** Whether this process's rules are active. If not, it leaves reviews to other processes. */
  readonly activeRules: Pick<ActiveRules, 'areOwn' | 'hold'>;
  readonly placeholders: () => PlaceholderList;
  /** Undefined if the account was removed. */
  account(accountId: number): Promise<Account | undefined>;
  /** Resolves when all of the above is at least as recent as the database was at the time of the call. */
  follow(): Promise<void>;
}
