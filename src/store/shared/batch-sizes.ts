/** Counts batch sizes, which show operators how well group commit works. */

/** Upper bounds; a batch holds at most 1,000 calls. */
const BOUNDS: readonly number[] = Object.freeze([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);

export class BatchSizes {
  readonly bounds = BOUNDS;
  /** One per bound and one above the last. */
  readonly counts = new Array<number>(BOUNDS.length + 1).fill(0);
  sum = 0;

  add(size: number): void {
    // The index of the first bound that is not smaller: bounds are powers of two.
    const place = Math.min(32 - Math.clz32(Math.max(0, size - 1)), BOUNDS.length);
    this.counts[place] = (this.counts[place] ?? 0) + 1;
    this.sum += size;
  }
}
