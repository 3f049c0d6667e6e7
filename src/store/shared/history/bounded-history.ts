/**
 * Bounds the history of each account. A process estimates what an account's writes add, and adds it to a count in the database for every
 * sixteenth of the bound. When the count is over the bound, the process measures the history, and drops the oldest records down to three
 * quarters of the bound. The last record of each part of an offer stays, so that the last change can be undone.
 *
 * The estimate is too high rather than too low: it counts new values, even unchanged ones, while the history keeps old values. Counting in
 * each commit would add a page to it on SQLite, and on PostgreSQL all writes of an account would wait for one row. See
 * docs/decisions/0040-history-bounds.md.
 */
import type { PartWrite } from '../../../domain/offers/part.ts';
import { partsOfRows } from '../../../domain/offers/parts.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import type { HistoryStore, RecordPlace, RecordSizes } from '../../port/history.ts';
import type { Store } from '../../port.ts';
import { charactersIn } from '../call-sizes.ts';

/** An account may keep this many times the size of its offers, or `history_bytes_max` if that is more. */
const OFFERS_FACTOR = 4;
/** The fraction of its bound that an account may add before it is counted. */
const STEP = 1 / 16;
/** What is left after a trim. */
const KEPT = 3 / 4;
/** The offers are measured if the history is over this fraction of `history_bytes_max`, because their size may raise the bound. */
const OFFERS_MATTER = 1 / 4;
/** The fraction of its bound that an account may always add before it is measured again. */
const ROOM = 1 / 8;
/** Records are dropped in slices of at most this size: freeing 4 MB takes SQLite about 2 ms. */
const DROPPED_BYTES_MAX = 4_194_304;
const DROPPED_RECORDS_MAX = 500;
/** Sums by time need at most a few megabytes of memory. */
const TIMES_MAX = 50_000;
/** The part of a record that does not depend on its text. */
const RECORD_BYTES = 64;
const START: RecordPlace = Object.freeze({ offer: 0, seq: 0 });

/** Reports an unexpected error, which must not fail the write that happened to cause the count. */
export type OnBoundFailed = (accountId: number, error: unknown) => void;

type Sizes = Pick<HistoryStore, 'noteHistorySize' | 'readHistorySizes' | 'readOffersSize' | 'dropRecords'>;

interface Account {
  /** Estimate of what was added and not counted yet. */
  added_bytes: number;
  /** How much is counted at once. */
  step_bytes: number;
  counting: Promise<void> | undefined;
}

export class HistoryBounds {
  readonly #sizes: Sizes;
  readonly #history_bytes_max: number;
  readonly #onFailed: OnBoundFailed;
  readonly #accounts = new Map<number, Account>();

  constructor(sizes: Sizes, history_bytes_max: number, onFailed: OnBoundFailed) {
    this.#sizes = sizes;
    this.#history_bytes_max = history_bytes_max;
    this.#onFailed = onFailed;
  }

  /**
   * Notes writes that are about to be sent. Returns a promise that they must wait for if the account adds history faster than it can be
   * counted, measured and dropped. The promise is never rejected.
   */
  note(accountId: number, writes: readonly PartWrite[]): Promise<void> | undefined {
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      const step_bytes = this.#history_bytes_max * STEP;
      account = { added_bytes: 0, step_bytes, counting: undefined };
      this.#accounts.set(accountId, account);
    }
    for (const write of writes) account.added_bytes += bytesOf(write) + RECORD_BYTES;
    if (account.added_bytes < account.step_bytes) return undefined;
    if (account.counting !== undefined) return account.counting;
    account.counting = this.#bound(accountId, account).finally(() => {
      account.counting = undefined;
    });
    return undefined;
  }

  async #bound(accountId: number, account: Account): Promise<void> {
    const added_bytes = account.added_bytes;
    account.added_bytes = 0;
    let isCounted = false;
    try {
      const counted = await this.#sizes.noteHistorySize(accountId, { bytes: added_bytes, offers_bytes: 0 });
      isCounted = true;
      const counted_max = this.#boundOf(counted.offers_bytes);
      account.step_bytes = counted_max * STEP;
      if (counted.bytes <= counted_max) return;

      const times = await this.#measure(accountId);
      const history_bytes = times.total();
      // Measuring reads all offers. 0 means that they were not measured this time.
      const offersMatter = history_bytes > this.#history_bytes_max * OFFERS_MATTER;
      const offers_bytes = offersMatter ? Math.max(1, await this.#measureOffers(accountId)) : 0;
      const bytes_max = this.#boundOf(offers_bytes || counted.offers_bytes);
      account.step_bytes = bytes_max * STEP;
      const isOver = history_bytes > bytes_max;
      const counted_bytes = isOver ? history_bytes : Math.min(history_bytes, Math.floor(bytes_max * (1 - ROOM)));
      // Keeps what other processes have counted meanwhile.
      await this.#sizes.noteHistorySize(accountId, { bytes: counted_bytes - counted.bytes, offers_bytes });
      if (!isOver) return;
      const dropped_bytes = await this.#dropBefore(accountId, times.oldestOf(bytes_max * KEPT));
      await this.#sizes.noteHistorySize(accountId, { bytes: -dropped_bytes, offers_bytes: 0 });
    } catch (error) {
      // The next step tries again.
      if (!isCounted) account.added_bytes += added_bytes;
      account.step_bytes = account.added_bytes + this.#history_bytes_max * STEP;
      // The write itself reports that the store is down.
      if (error instanceof StoreUnavailableError || error instanceof StoreOverloadedError) return;
      this.#onFailed(accountId, error);
    }
  }

  #boundOf(offers_bytes: number): number {
    return Math.max(this.#history_bytes_max, offers_bytes * OFFERS_FACTOR);
  }

  async #measure(accountId: number): Promise<BytesByTime> {
    const times = new BytesByTime();
    for await (const { atMs, bytes } of this.#records(accountId)) {
      for (const [index, time] of atMs.entries()) times.add(time, bytes[index] as number);
    }
    return times;
  }

  async #measureOffers(accountId: number): Promise<number> {
    let offers_bytes = 0;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { bytes, next } = await this.#sizes.readOffersSize(accountId, after);
      offers_bytes += bytes;
      after = next;
    }
    return offers_bytes;
  }

  /** Drops records that are older, except the last one of each part of an offer. Returns the size of those that still existed. */
  async #dropBefore(accountId: number, beforeMs: number): Promise<number> {
    let offer = 0;
    let dropped_bytes = 0;
    const lastOf = new Map<number, Droppable>();
    for await (const { offer: offers, seq, part, atMs, bytes } of this.#records(accountId)) {
      const dropped: Droppable[] = [];
      for (const [index, nextOffer] of offers.entries()) {
        if (nextOffer !== offer) lastOf.clear();
        offer = nextOffer;
        const before = lastOf.get(part[index] as number);
        const next = { offer, seq: seq[index] as number, atMs: atMs[index] as number, bytes: bytes[index] as number };
        lastOf.set(part[index] as number, next);
        if (before !== undefined && before.atMs < beforeMs) dropped.push(before);
      }
      for (const slice of slicesOfSize(dropped)) {
        dropped_bytes += await this.#sizes.dropRecords(
          accountId,
          slice.map(({ offer, seq }) => ({ offer, seq })),
        );
      }
    }
    return dropped_bytes;
  }

  /** All records of the account. */
  async *#records(accountId: number): AsyncGenerator<RecordSizes> {
    for (let after: RecordPlace | undefined = START; after !== undefined; ) {
      const slice: RecordSizes = await this.#sizes.readHistorySizes(accountId, after);
      yield slice;
      after = slice.next;
    }
  }
}

interface Droppable extends RecordPlace {
  readonly atMs: number;
  readonly bytes: number;
}

function slicesOfSize(records: readonly Droppable[]): Droppable[][] {
  const slices: Droppable[][] = [];
  let left_bytes = 0;
  for (const record of records) {
    const slice = slices.at(-1);
    if (slice === undefined || slice.length === DROPPED_RECORDS_MAX || left_bytes < record.bytes) {
      slices.push([record]);
      left_bytes = DROPPED_BYTES_MAX;
    } else {
      slice.push(record);
    }
    left_bytes -= record.bytes;
  }
  return slices;
}

/** Only documents are long enough for the difference between characters and bytes to matter. */
function bytesOf(write: PartWrite): number {
  return write.part === 'sku' ? Buffer.byteLength(write.document) : charactersIn(write);
}

/** Sums up records by time: exact to the millisecond, or as exact as memory permits. */
class BytesByTime {
  #step_ms = 1;
  #sums = new Map<number, number>();

  add(atMs: number, bytes: number): void {
    const step = Math.floor(atMs / this.#step_ms);
    this.#sums.set(step, (this.#sums.get(step) ?? 0) + bytes);
    if (this.#sums.size <= TIMES_MAX) return;
    const finer = this.#sums;
    const finer_ms = this.#step_ms;
    this.#sums = new Map();
    this.#step_ms *= 10;
    for (const [step, sum] of finer) this.add(step * finer_ms, sum);
  }

  total(): number {
    return this.#sums.values().reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Returns the time from which on all records fit into `bytes_max`. */
  oldestOf(bytes_max: number): number {
    let left_bytes = bytes_max;
    let oldest = Number.POSITIVE_INFINITY;
    for (const [step, bytes] of [...this.#sums].sort(([one], [other]) => other - one)) {
      left_bytes -= bytes;
      if (left_bytes < 0) break;
      oldest = step * this.#step_ms;
    }
    return oldest;
  }
}

/** Returns the store with bounded history. */
export function withBoundedHistory<S extends Store>(store: S, history_bytes_max: number, onFailed: OnBoundFailed): S {
  const bounds = new HistoryBounds(store.history, history_bytes_max, onFailed);
  const bounded = <Args extends readonly unknown[], T>(
    write: (...args: Args) => Promise<T>,
    noted: (...args: Args) => Promise<void> | undefined,
  ) => {
    return (...args: Args): Promise<T> => noted(...args)?.then(() => write(...args)) ?? write(...args);
  };
  const { offers, files } = store;
  return {
    ...store,
    offers: { ...offers, write: bounded(offers.write, ({ accountId }, parts) => bounds.note(accountId, parts)) },
    files: {
      ...files,
      applyRows: bounded(files.applyRows, ({ accountId }, _, rows) => bounds.note(accountId, partsOfRows(rows))),
    },
  };
}
