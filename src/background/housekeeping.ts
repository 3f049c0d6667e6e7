/**
 * In charge of what nobody needs any more: links, credential sets and signing keys past their end, and request counters
 * of accounts that went silent; and of other chores of that kind, such as old files. None of it is used by anybody, so that
 * it does not matter when exactly it goes.
 */

import { StoreUnavailableError } from '../store/port/errors.ts';
import type { SettingsStore } from '../store/port/settings.ts';
import type { Store } from '../store/port.ts';
import { LeasedLoop, type LeasedLoopOptions, type WorkHandler } from './leased-loop.ts';

export const HOUSEKEEPING_KIND = 'housekeeping';
/** It is for no account in particular. */
const NO_ACCOUNT = 0;

const INTERVAL_MS = 600_000;
const RATE_COUNTER_IDLE_MS = 3_600_000;
const LEASE_MS = 60_000;
const POLL_MS = 60_000;
const RETRY_MS = 60_000;

export interface HousekeepingOptions extends Pick<LeasedLoopOptions, 'telemetry' | 'holder'> {
  readonly store: Store;
  /** Time of day. */
  readonly nowMs: () => number;
  /** What else is to be done at each round. */
  readonly chores?: readonly Chore[];
}

/** May end early when the signal fires: what is left is done at the next round. */
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
      // A start on a full disk goes on without it; the loop tries until it succeeds.
      takeWork: async (kind, holder, lease_ms) => {
        if (!isAnnounced) await announce();
        isAnnounced = true;
        return store.work.takeWork(kind, holder, lease_ms);
      },
      renewWork: (lease, lease_ms) => store.work.renewWork(lease, lease_ms),
      finishWork: (lease, delay_ms) => store.work.finishWork(lease, delay_ms),
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
      // One that fails, round after round, must not keep the others from being done.
      await chore(signal).catch((error) => failures.push(error));
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length === 1) throw failures[0];
    return INTERVAL_MS;
  };
}
