/** Measures the size of waiting calls. */

/** Bounds of batch sizes, which show how well group commit works. A batch has up to 1,000 calls on PostgreSQL, fewer on SQLite. */
export const BATCH_BOUNDS: readonly number[] = Object.freeze([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);

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
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    sum += typeof part === 'string' ? part.length : typeof part === 'object' ? charactersIn(part) : 0;
  }
  return sum;
}
