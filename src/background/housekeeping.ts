/**
 * Deletes expired data every 10 minutes: links, credential sets, signing keys and request counters of idle accounts.
 * `chores` delete the rest, such as old files. Expired data is no longer used, so the exact time does not matter.
 */
import { HOUR_MS } from '../domain/vocabulary/iso-time.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { SettingsStore } from '../store/port/settings.ts';
import type { Store } from '../store/port.ts';
import { LeasedLoop, type LeasedLoopOptions, type WorkHandler } from './leased-loop.ts';

export const HOUSEKEEPING_KIND = 'housekeeping';
/** The account id of the lease, because housekeeping belongs to no account. */
const NO_ACCOUNT = 0;

const INTERVAL_MS = 600_000;
const RATE_COUNTER_IDLE_MS = HOUR_MS;
const LEASE_MS = 60_000;
const POLL_MS = 60_000;
const RETRY_MS = 60_000;

export interface HousekeepingOptions extends Pick<LeasedLoopOptions, 'telemetry' | 'holder'> {
  readonly store: Store;
  /** Wall clock. */
  readonly nowMs: () => number;
  /** Further tasks of each round. */
  readonly chores?: readonly Chore[];
}

/** May end early when aborted; the next round does the rest. */
export type Chore = (signal: AbortSignal) => Promise<void>;

export async function startHousekeeping({
  store,
  nowMs,
  chores = [],
  ...options
}: HousekeepingOptions): Promise<LeasedLoop> {
  const announce = () => store.work.announceWork(HOUSEKEEPING_KIND, NO_ACCOUNT, 0);
  let isAnnounced = await announce().then(() => true, unlessUnavailable);
  return new LeasedLoop({
    ...options,
    store: {
      ...store.work,
      // On a full disk the server starts without the announcement; the loop retries it.
      takeWork: async (kind, holder, lease_ms) => {
        if (!isAnnounced) await announce();
        isAnnounced = true;
        return store.work.takeWork(kind, holder, lease_ms);
      },
    },
    kind: HOUSEKEEPING_KIND,
    handler: keepHouse(store, nowMs, chores),
    lease_ms: LEASE_MS,
    poll_ms: POLL_MS,
    retry_ms: RETRY_MS,
  });
}

function unlessUnavailable(error: unknown): false {
  if (error instanceof StoreUnavailableError) return false;
  throw error;
}

export function keepHouse(
  store: Pick<Store, 'rateCounters'> & { readonly settings: Pick<SettingsStore, 'dropEnded'> },
  nowMs: () => number,
  chores: readonly Chore[] = [],
): WorkHandler {
  const all: readonly Chore[] = [
    async () => void (await store.settings.dropEnded(nowMs())),
    async () => void (await store.rateCounters?.dropIdleRateCounters(RATE_COUNTER_IDLE_MS)),
    ...chores,
  ];
  return async ({ signal }) => {
    const failures: unknown[] = [];
    for (const chore of all) {
      if (signal.aborted) break;
      // A chore that fails in every round must not block the others.
      await chore(signal).catch((error) => failures.push(error));
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length === 1) throw failures[0];
    return INTERVAL_MS;
  };
}
