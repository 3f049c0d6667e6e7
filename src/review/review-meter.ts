/** Counts reviews and image downloads of this process for the metrics. */
import { STATUSES, type Status } from '../domain/vocabulary/statuses.ts';
import type { Visit } from './images/fetching/image-client.ts';

/** A download takes at most 10 seconds. */
export const FETCH_BOUNDS_SECONDS: readonly number[] = Object.freeze([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);

const FETCH_COUNTS: readonly number[] = [...FETCH_BOUNDS_SECONDS, 0].map(() => 0);
const VISIT_KINDS: readonly Visit['kind'][] = ['fetched', 'unchanged', 'failed'];

export interface FetchFigures {
  /** One count per bound, and one for values above the last bound. */
  readonly counts: readonly number[];
  /** The sum in seconds. */
  readonly sum: number;
}

export class ReviewMeter {
  readonly #verdicts = new Map<Status, number>((Object.keys(STATUSES) as Status[]).map((status) => [status, 0]));
  readonly #fetches = new Map(VISIT_KINDS.map((kind) => [kind, { counts: FETCH_COUNTS.slice(), sum: 0 }]));

  reviewed(status: Status): void {
    this.#verdicts.set(status, (this.#verdicts.get(status) ?? 0) + 1);
  }

  fetched(fetch_ms: number, kind: Visit['kind']): void {
    const figures = this.#fetches.get(kind);
    if (figures === undefined) return;
    const seconds = fetch_ms / 1000;
    const bound = FETCH_BOUNDS_SECONDS.findIndex((upper) => seconds <= upper);
    const place = bound === -1 ? FETCH_BOUNDS_SECONDS.length : bound;
    figures.counts[place] = (figures.counts[place] ?? 0) + 1;
    figures.sum += seconds;
  }

  get verdicts(): ReadonlyMap<Status, number> {
    return this.#verdicts;
  }

  get fetches(): ReadonlyMap<string, FetchFigures> {
    return this.#fetches;
  }
}
