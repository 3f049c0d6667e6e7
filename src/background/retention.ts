/** Says how long data is kept, in one table, and deletes older data. Bulk files, images, links and ended keys have their own sweeps. */

import { ENVIRONMENTS } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/vocabulary/iso-time.ts';
import type { Store } from '../store/port.ts';
import type { Chore } from './housekeeping.ts';

type KeptStore = Pick<
  Store,
  | 'feed'
  | 'history'
  | 'idempotency'
  | 'offerList'
  | 'people'
  | 'plans'
  | 'policies'
  | 'settings'
  | 'storefront'
  | 'traffic'
>;

/** Deletes data from before this time. Resolves with `true` or `more` if some may be left. */
type Drop = (beforeMs: number, accountId: number) => Promise<unknown>;

/** Covers three rounds of housekeeping. Accounts without requests since then have already been trimmed. */
const BUSY_MINUTES = 30;

/** Returns a chore for each kind of data. With a `history_days` of 0, history is turned off, and existing entries are deleted. */
export function retention(store: KeptStore, history_days: number, nowMs: () => number) {
  const all = async () => (await store.settings.listMerchants()).flatMap(({ accounts }) => Object.values(accounts));
  const logging = (beforeMs: number) => store.traffic.listLoggingAccounts(beforeMs, minuteOf(nowMs()) - BUSY_MINUTES);
  /** `accounts`: those to ask for one by one. By default, one call covers all of them. */
  const chore = (kept_ms: number, drop: Drop, accounts?: (beforeMs: number) => Promise<readonly number[]>): Chore => {
    return async (signal) => {
      const beforeMs = nowMs() - kept_ms;
      for (const accountId of (await accounts?.(beforeMs)) ?? NO_ACCOUNT) {
        for (let left: unknown = true; !signal.aborted && (left === true || left === 'more'); ) {
          left = await drop(beforeMs, accountId);
        }
      }
    };
  };
  const { feed, history, idempotency, offerList, people, plans, policies, storefront, traffic } = store;
  return {
    sessions: chore(0, (beforeMs) => people.dropEndedSessions(beforeMs)),
    acts: chore(LIMITS.act_retention_days * DAY_MS, (beforeMs) => people.dropActsBefore(beforeMs)),
    ruleChanges: chore(LIMITS.rule_change_undo_days * DAY_MS, (beforeMs) => policies.dropRuleChangesBefore(beforeMs)),
    announcedChanges: chore(LIMITS.announced_change_retention_days * DAY_MS, (beforeMs) => {
      return policies.dropAnnouncedChangesBefore(beforeMs);
    }),
    history: chore(history_days * DAY_MS, (beforeMs) => history.dropHistory(beforeMs)),
    // Asks for each account, because a search for old keys across accounts would read the keys of a whole day.
    idempotencyKeys: chore(
      LIMITS.idempotency_key_hours * HOUR_MS,
      (beforeMs, accountId) => idempotency.dropKeys(accountId, beforeMs),
      all,
    ),
    // As long as their bulk files.
    plans: chore(
      LIMITS.file_retention_days * DAY_MS,
      (beforeMs, accountId) => plans.dropPlans(accountId, beforeMs),
      all,
    ),
    // Also numbers events that no reader has asked for.
    events: chore(LIMITS.event_days * DAY_MS, (beforeMs, accountId) => feed.tidyFeed(accountId, beforeMs), all),
    storefrontEvents: chore(LIMITS.event_days * DAY_MS, async (beforeMs) => {
      const left = ENVIRONMENTS.map((environment) => storefront.tidyShopFeed(environment, beforeMs));
      return (await Promise.all(left)).includes('more');
    }),
    requestCounts: chore(LIMITS.request_count_days * DAY_MS, (beforeMs) => {
      return traffic.dropRequestCounts(minuteOf(beforeMs));
    }),
    offerDays: chore(LIMITS.offer_days * DAY_MS, (beforeMs) => offerList.dropOfferDays(Math.floor(beforeMs / DAY_MS))),
    traces: chore(HOUR_MS, (beforeMs) => traffic.dropTraces(beforeMs)),
    requestLog: chore(
      LIMITS.request_log_days * DAY_MS,
      (beforeMs, accountId) => traffic.dropRequestLog(accountId, beforeMs),
      logging,
    ),
  };
}

const NO_ACCOUNT: readonly number[] = [0];

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}
