/** Counts values by their size, for the metrics. */
export class Histogram {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** One count per bound, not cumulative, and one for values above the last bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Only adds to numbers, because every request runs it. */
  add(value: number): void {
    let bucket = 0;
    while (value > (this.bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}
