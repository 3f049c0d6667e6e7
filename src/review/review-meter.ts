/** Counts reviews and image downloads of this process for the metrics. */
import { Histogram } from '../domain/histogram.ts';
import { STATUSES, type Status } from '../domain/vocabulary/statuses.ts';
import type { Visit } from './images/fetching/image-client.ts';

/** A download takes at most 10 seconds. */
const FETCH_BOUNDS_SECONDS: readonly number[] = Object.freeze([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);

const VISIT_KINDS: readonly Visit['kind'][] = ['fetched', 'unchanged', 'failed'];

export class ReviewMeter {
  readonly verdicts = new Map<Status, number>((Object.keys(STATUSES) as Status[]).map((status) => [status, 0]));
  /** Seconds of the downloads. */
  readonly fetches = new Map(VISIT_KINDS.map((kind) => [kind, new Histogram(FETCH_BOUNDS_SECONDS)]));

  reviewed(status: Status): void {
    this.verdicts.set(status, (this.verdicts.get(status) ?? 0) + 1);
  }

  fetched(fetch_ms: number, kind: Visit['kind']): void {
    this.fetches.get(kind)?.add(fetch_ms / 1000);
  }
}
