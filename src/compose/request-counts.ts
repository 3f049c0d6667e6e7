/** Stores the request counts and the request log of this process every 10 seconds and at stop. */
import { RequestCounter } from '../access/request-counter.ts';
import { RequestLog } from '../access/request-log.ts';
import type { AccountMinute, RequestCountStore, RequestLogStore } from '../store/port/traffic.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from './process-parts.ts';

/** A killed process loses at most the requests of this time. */
const INTERVAL_MS = 10_000;
/** The shortest time between two flushes that pages request. */
const FLUSH_PAUSE_MS = 1_000;
/** Values of `kind` in log events. */
const KIND = 'request-counts';
const LOG_KIND = 'request-log';
/** How many accounts' requests are stored at the same time, to share a commit on SQLite. */
const ACCOUNTS_AT_ONCE = 8;

type TrafficStore = Pick<RequestCountStore, 'addRequestCounts' | 'noteKeyUses'> &
  Pick<RequestLogStore, 'addRequestLog'>;

export interface RequestCounting {
  readonly counter: RequestCounter;
  readonly log: RequestLog;
  start(): void;
  /** Stores pending counts and requests before a page shows them, at most once a second. Never rejects. */
  flush(): Promise<void>;
  /** Stops the timer and stores the rest. */
  close(): Promise<void>;
}

export function createRequestCounting(
  store: TrafficStore,
  telemetry: Pick<Telemetry, 'observe'>,
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
): RequestCounting {
  const counter = new RequestCounter(clock.nowMs);
  const log = new RequestLog();
  /** The last run. Runs follow one another, so that counts that failed to store are put back before the next run takes them. */
  let last: Promise<void> = Promise.resolve();
  const storeNext = (isEnd: boolean) => {
    last = last
      .then(() => storeCounted(store, telemetry, counter, isEnd))
      .then(() => storeLogged(store, telemetry, log));
    return last;
  };
  let flushedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  return {
    counter,
    log,
    start() {
      timer = setInterval(() => storeNext(false), INTERVAL_MS);
    },
    flush() {
      if (clock.monotonicMs() - flushedMs < FLUSH_PAUSE_MS) return last;
      flushedMs = clock.monotonicMs();
      return storeNext(false);
    },
    async close() {
      clearInterval(timer);
      await storeNext(true);
    },
  };
}

/** Never rejects. */
async function storeCounted(
  store: TrafficStore,
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

/** Never rejects. */
async function storeLogged(store: TrafficStore, telemetry: Pick<Telemetry, 'observe'>, log: RequestLog): Promise<void> {
  const accounts = [...log.take()];
  const failures: unknown[] = [];
  for (let start = 0; start < accounts.length; start += ACCOUNTS_AT_ONCE) {
    const stored = accounts.slice(start, start + ACCOUNTS_AT_ONCE).map(async ([accountId, requests]) => {
      try {
        await store.addRequestLog(accountId, requests);
      } catch (error) {
        failures.push(error);
        log.putBack(accountId, requests);
      }
    });
    await Promise.all(stored);
  }
  if (failures.length > 0) telemetry.observe('work_stalled', { kind: LOG_KIND, error: failures[0] });
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
