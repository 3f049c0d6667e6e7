/** Measures the size of waiting calls, and counts batch sizes, which show operators how well group commit works. */

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

/** Returns the number of characters in the arguments of a call that waits. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const parts: readonly unknown[] = Array.isArray(value)
    ? value
    : value instanceof Map
      ? [...value.keys()]
      : Object.values(value);
  let sum = 0;
  // Uses no iterator, because every single write runs this loop.
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place];
    sum += typeof part === 'string' ? part.length : typeof part === 'object' ? charactersIn(part) : 0;
  }
  return sum;
}
