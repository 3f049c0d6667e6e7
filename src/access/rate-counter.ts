/**
 * In charge of what processes tell each other of the requests of one account, and of how many of them a process may take
 * for itself: pure rules, so that they can be looked at without a clock and without a store.
 *
 * The shared counter holds, for each process, how many of its requests count until when. A process writes down what it
 * used, and the lease that it takes: requests that it may let through within LEASE_MS without asking again.
 */
import type { UsedStep } from './used-steps.ts';

/** How long a lease may be used. */
export const LEASE_MS = 900;
/**
 * How long requests of others count. The 60 seconds of the limit, the time in which a lease may be used, and 100 ms for
 * clocks that run at different paces.
 */
export const COUNTED_MS = 61_000;
/** A process leases no more than this part of the limit beyond what waits, since others cannot use it meanwhile. */
const SPARE_PART_MAX = 1 / 20;
/**
 * What a process leases beyond what waits, also where it used less lately: of 3,000 in a minute, 3. Without it one that is
 * asked once a second, as each of 32 at the limit is, would ask the counter for each request.
 */
const SPARE_PART_MIN = 1 / 1000;
/** From so many other processes on they tell each other less: the counter is written as a whole by each of them. */
const NAMES_TOLD_IN_FULL = 4;
/** In steps of 6 seconds requests count for 3 seconds too long on average: a twentieth of the limit. */
const STEPS_TOLD_AS_ONE_MAX = 3;

/** So many requests, which count until that time of the store. */
export type CounterEntry = readonly [untilMs: number, requests: number];

/** By the name of the process. */
export type CounterEntries = Readonly<Record<string, readonly CounterEntry[]>>;

/**
 * Which time it was at the store when it was `sentMs` to `receivedMs` here, by the monotonic clock of this process. What
 * lies between the two is not known, so that each question has an answer on its safe side.
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

/** By when at the latest it is that time at the store. */
export function localMsOf(time: StoreTime, storeMs: number): number {
  return storeMs - time.storeMs + time.receivedMs;
}

/** The entries of all but one process, without those that count no longer. */
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

/** When the first of them stops counting. */
export function firstEndMs(entries: CounterEntries): number {
  let endMs = Number.POSITIVE_INFINITY;
  for (const list of Object.values(entries)) for (const [untilMs] of list) endMs = Math.min(endMs, untilMs);
  return endMs;
}

/** How many steps of time a process tells as one: as the counter has ever more names, each of them gets shorter. */
export function stepsToldAsOne(others: CounterEntries): number {
  return Math.min(STEPS_TOLD_AS_ONE_MAX, Math.max(1, Math.ceil(Object.keys(others).length / NAMES_TOLD_IN_FULL)));
}

/** What a process tells the others: what it used, and what it may use from now on. */
export function ownEntries(used: readonly UsedStep[], lease: number, nowMs: number, time: StoreTime): CounterEntry[] {
  const entries = used.map(({ lastMs, requests }): CounterEntry => [countsUntil(time, lastMs), requests]);
  if (lease > 0) entries.push([countsUntil(time, nowMs), lease]);
  return entries;
}

export interface LeaseNeeds {
  readonly limit: number;
  /** All that counts now, of this process and of the others. */
  readonly counted: number;
  /** Requests that wait for the lease. */
  readonly waiting: number;
  /** Requests of the last second: as many may come in the next. */
  readonly usedLately: number;
  /** What is leased for others to come, where somebody waits; see smallLease. */
  readonly small: number;
}

/** What waits first, then as much as was used lately; never the whole rest to one process, in case others are busy too. */
export function sizeOfLease({ limit, counted, waiting, usedLately, small }: LeaseNeeds): number {
  const free = Math.max(0, limit - counted);
  const forWaiting = Math.min(free, waiting);
  const expected = waiting > 0 ? Math.max(usedLately, small) : usedLately;
  const spare = Math.min(expected, spareMax(limit), Math.floor((free - forWaiting) / 2));
  return forWaiting + spare;
}

/**
 * So few requests that it is not worth a query to return them before the next lease does; where there is none, they count
 * for a minute. All processes together may keep a twentieth of the limit in that way, and half of what is free.
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
