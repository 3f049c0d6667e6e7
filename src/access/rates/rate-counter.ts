/**
 * Defines how processes share the rate limit of an account, as pure functions without a clock or a store.
 *
 * The shared counter holds, for each process, how many of its requests count until when. A process records what it used and the lease that
 * it takes: the requests that it may accept within LEASE_MS without asking again.
 */
import type { UsedStep } from './used-steps.ts';

/** How long a lease is valid. */
export const LEASE_MS = 900;
/**
 * How long requests of other processes count: the 60 seconds of the limit, the time of a lease, and 100 ms for clocks
 * that run at different speeds.
 */
export const COUNTED_MS = 61_000;
/** A process leases at most this share of the limit in advance, because others cannot use it in the meantime. */
const SPARE_PART_MAX = 1 / 20;
/**
 * The minimum that a process leases in advance, even if it used less recently: 3 of 3,000 per minute. Without it, each
 * of 32 processes at the limit, with about one request per second, would ask the counter for each request.
 */
const SPARE_PART_MIN = 1 / 1000;
/** With more other processes than this, each reports less, because each writes the whole counter. */
const NAMES_REPORTED_IN_FULL = 4;
/** At most three steps of 2 seconds are merged. Requests then count 3 seconds too long on average, a twentieth of the window. */
const STEPS_PER_ENTRY_MAX = 3;

/** Requests that count until `untilMs` by the store's clock. */
export type CounterEntry = readonly [untilMs: number, requests: number];

/** The entries of each process, by the name of the process. */
export type CounterEntries = Readonly<Record<string, readonly CounterEntry[]>>;

/**
 * A time of the store's clock, and the local monotonic times just before and after it was read. The local time of the reading
 * itself is unknown, so the functions below return the safe bound.
 */
export interface StoreTime {
  readonly storeMs: number;
  readonly sentMs: number;
  readonly receivedMs: number;
}

export function earliestStoreMs(time: StoreTime, localMs: number): number {
  return time.storeMs + localMs - time.receivedMs;
}

export function latestStoreMs(time: StoreTime, localMs: number): number {
  return time.storeMs + localMs - time.sentMs;
}

/** Returns the latest local time at which the store's clock can show `storeMs`. */
export function localMsOf(time: StoreTime, storeMs: number): number {
  return storeMs - time.storeMs + time.receivedMs;
}

/** Returns the entries of all other processes, without expired ones. */
export function entriesOfOthers(entries: CounterEntries, own: string, storeMs: number): CounterEntries {
  const others: Record<string, readonly CounterEntry[]> = {};
  for (const [name, list] of Object.entries(entries)) {
    if (name === own) continue;
    const counting = list.filter(([untilMs]) => untilMs > storeMs);
    if (counting.length > 0) others[name] = counting;
  }
  return others;
}

export function sumOf(entries: CounterEntries): number {
  let sum = 0;
  for (const list of Object.values(entries)) for (const [, requests] of list) sum += requests;
  return sum;
}

/** Returns when the first entry expires. */
export function firstEndMs(entries: CounterEntries): number {
  let endMs = Number.POSITIVE_INFINITY;
  for (const list of Object.values(entries)) for (const [untilMs] of list) endMs = Math.min(endMs, untilMs);
  return endMs;
}

/** Returns how many time steps a process reports as one. More processes in the counter mean shorter entries. */
export function stepsPerEntry(others: CounterEntries): number {
  return Math.min(STEPS_PER_ENTRY_MAX, Math.max(1, Math.ceil(Object.keys(others).length / NAMES_REPORTED_IN_FULL)));
}

/** Returns the entries of a process for the requests that it used and the requests that it may still use. */
export function ownEntries(used: readonly UsedStep[], lease: number, nowMs: number, time: StoreTime): CounterEntry[] {
  const entries = used.map(({ lastMs, requests }): CounterEntry => [countsUntil(time, lastMs), requests]);
  if (lease > 0) entries.push([countsUntil(time, nowMs), lease]);
  return entries;
}

export interface LeaseNeeds {
  readonly limit: number;
  /** Number of requests that count now, of this process and the others. */
  readonly counted: number;
  /** Number of requests that wait for the lease. */
  readonly waiting: number;
  /** Number of requests in the last second, used as the forecast for the next. */
  readonly usedLately: number;
  /** The minimum to lease in advance while requests are waiting; see `smallLease`. */
  readonly small: number;
}

/**
 * Returns the size of the next lease: enough for the waiting requests, plus as many as were used in the last second, but at most half of
 * what is left after the waiting requests, because other processes may be busy too.
 */
export function sizeOfLease({ limit, counted, waiting, usedLately, small }: LeaseNeeds): number {
  const free = Math.max(0, limit - counted);
  const forWaiting = Math.min(free, waiting);
  const expected = waiting > 0 ? Math.max(usedLately, small) : usedLately;
  const spare = Math.min(expected, spareMax(limit), Math.floor((free - forWaiting) / 2));
  return forWaiting + spare;
}

/**
 * Returns how many unused requests a process may keep at the end of its lease, because returning them is not worth a query. Without a next
 * lease, they count for a minute. All processes together keep at most a twentieth of the limit, and at most half of what is left.
 */
export function smallLease(limit: number, counted: number, otherProcesses: number): number {
  const keptByAll = Math.min(spareMax(limit), (limit - counted) / 2);
  return Math.max(0, Math.min(Math.floor(limit * SPARE_PART_MIN), Math.floor(keptByAll / (otherProcesses + 1))));
}

function spareMax(limit: number): number {
  return Math.floor(limit * SPARE_PART_MAX);
}

function countsUntil(time: StoreTime, localMs: number): number {
  return Math.ceil(latestStoreMs(time, localMs)) + COUNTED_MS;
}
