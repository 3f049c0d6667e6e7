/** Stores the request counts of this process every 10 seconds and at stop. */
import { RequestCounter } from '../access/request-counter.ts';
import type { AccountMinute, RequestCountStore } from '../store/port/traffic.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from './clock.ts';

/** A killed process loses at most this much. */
const INTERVAL_MS = 10_000;
/** `kind` in log events. */
const KIND = 'request-counts';

export interface RequestCounting {
  readonly counter: RequestCounter;
  /** Starts the timer. */
  start(): void;
  /** Stores the remaining counts. */
  close(): Promise<void>;
}

export function createRequestCounting(
  store: Pick<RequestCountStore, 'addRequestCounts' | 'noteKeyUses'>,
  telemetry: Pick<Telemetry, 'observe'>,
  clock: Pick<Clock, 'nowMs'>,
): RequestCounting {
  const counter = new RequestCounter(clock.nowMs);
  /** Runs one at a time, so that counts that failed to store are put back before the next run takes them. */
  let last: Promise<void> = Promise.resolve();
  const storeNext = (isEnd: boolean) => {
    last = last.then(() => storeCounted(store, telemetry, counter, isEnd));
    return last;
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    counter,
    start() {
      timer = setInterval(() => storeNext(false), INTERVAL_MS);
    },
    async close() {
      clearInterval(timer);
      await storeNext(true);
    },
  };
}

/** Never rejects. */
async function storeCounted(
  store: Pick<RequestCountStore, 'addRequestCounts' | 'noteKeyUses'>,
  telemetry: Pick<Telemetry, 'observe'>,
  counter: RequestCounter,
  isEnd: boolean,
): Promise<void> {
  const { counts, uses } = counter.take({ isEnd });
  try {
    if (counts.length > 0) await store.addRequestCounts(sumsOf(counts));
  } catch (error) {
    telemetry.observe('work_stalled', { kind: KIND, error });
    counter.putBack({ counts, uses });
    return;
  }
  try {
    if (uses.length > 0) await store.noteKeyUses(uses);
  } catch (error) {
    telemetry.observe('work_stalled', { kind: KIND, error });
    counter.putBack({ counts: [], uses });
  }
}

/** Merges duplicates, which occur after counts were put back. */
function sumsOf(counts: readonly AccountMinute[]): AccountMinute[] {
  const sums = new Map<string, AccountMinute>();
  for (const count of counts) {
    const key = `${count.accountId} ${count.minute}`;
    const { requests = 0, errors = 0, refused = 0 } = sums.get(key) ?? {};
    sums.set(key, {
      ...count,
      requests: count.requests + requests,
      errors: count.errors + errors,
      refused: count.refused + refused,
    });
  }
  return [...sums.values()];
}
