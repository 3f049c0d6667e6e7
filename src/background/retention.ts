/** Says how long data is kept, in one table, and deletes older data. Bulk files, images, links and ended keys have their own sweeps. */

import { LIMITS } from '../domain/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/vocabulary/iso-time.ts';
import type { Store } from '../store/port.ts';
import type { Chore } from './housekeeping.ts';

type KeptStore = Pick<Store, 'feed' | 'history' | 'idempotency' | 'people' | 'policies' | 'settings' | 'traffic'>;

interface Kept {
  readonly kept_ms: number;
  /** Deletes data from before this time. Resolves with `true` or `more` if some may be left. */
  readonly drop: (beforeMs: number, accountId: number) => Promise<unknown>;
  /** The accounts to ask for one by one; undefined if one call covers all of them. */
  readonly accounts?: (beforeMs: number) => Promise<readonly number[]>;
}

/** Covers three rounds of housekeeping. Accounts without requests since then have already been trimmed. */
const BUSY_MINUTES = 30;

/** Returns a chore for each kind of data. With a `history_days` of 0, history is turned off, and existing entries are deleted. */
export function retention(store: KeptStore, history_days: number, nowMs: () => number) {
  const all = async () => (await store.settings.listMerchants()).flatMap(({ accounts }) => Object.values(accounts));
  const logging = (beforeMs: number) => store.traffic.listLoggingAccounts(beforeMs, minuteOf(nowMs()) - BUSY_MINUTES);
  const chore = (kept: Kept) => choreOf(kept, nowMs);
  return {
    sessions: chore({ kept_ms: 0, drop: (beforeMs) => store.people.dropEndedSessions(beforeMs) }),
    acts: chore({
      kept_ms: LIMITS.act_retention_days * DAY_MS,
      drop: (beforeMs) => store.people.dropActsBefore(beforeMs),
    }),
    ruleChanges: chore({
      kept_ms: LIMITS.rule_change_undo_days * DAY_MS,
      drop: (beforeMs) => store.policies.dropRuleChangesBefore(beforeMs),
    }),
    history: chore({ kept_ms: history_days * DAY_MS, drop: (beforeMs) => store.history.dropHistory(beforeMs) }),
    // Asks for each account, because a search for old keys across accounts would read the keys of a whole day.
    idempotencyKeys: chore({
      kept_ms: LIMITS.idempotency_key_hours * HOUR_MS,
      drop: (beforeMs, accountId) => store.idempotency.dropKeys(accountId, beforeMs),
      accounts: all,
    }),
    // Also numbers events that no reader has asked for.
    events: chore({
      kept_ms: LIMITS.event_days * DAY_MS,
      drop: (beforeMs, accountId) => store.feed.tidyFeed(accountId, beforeMs),
      accounts: all,
    }),
    requestCounts: chore({
      kept_ms: LIMITS.request_count_days * DAY_MS,
      drop: (beforeMs) => store.traffic.dropRequestCounts(minuteOf(beforeMs)),
    }),
    requestLog: chore({
      kept_ms: LIMITS.request_log_days * DAY_MS,
      drop: (beforeMs, accountId) => store.traffic.dropRequestLog(accountId, beforeMs),
      accounts: logging,
    }),
  };
}

const NO_ACCOUNT: readonly number[] = [0];

function choreOf({ kept_ms, drop, accounts }: Kept, nowMs: () => number): Chore {
  return async (signal) => {
    const beforeMs = nowMs() - kept_ms;
    for (const accountId of accounts === undefined ? NO_ACCOUNT : await accounts(beforeMs)) {
      for (let left: unknown = true; !signal.aborted && (left === true || left === 'more'); ) {
        left = await drop(beforeMs, accountId);
      }
    }
  };
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}
