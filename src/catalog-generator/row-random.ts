/**
 * Pseudo-random numbers that depend only on seed and row, whichever rows were generated before. So a single row can be
 * generated again, and a price file matches the SKU file of the same seed.
 */

/** Numbers of one row or product, drawn in a fixed order. */
export class RowRandom {
  #state: number;

  constructor(seed: number, row: number) {
    // Mixed once before use, so that neighboring rows are not correlated.
    this.#state = mix(seed ^ mix(row + 0x9e3779b9));
  }

  /** An integer from 0 to below `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    // Uses multiplication, because a remainder would use the weaker lower bits.
    return Math.floor((mix(this.#state) / 4_294_967_296) * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns this many entries of the list, each once, in order from a random start. */
  some<T>(list: readonly T[], count: number): T[] {
    const start = this.below(list.length);
    const chosen: T[] = [];
    // A loop, because Array.from took a fifth of the time to generate a catalog.
    for (let n = start; n < start + Math.min(count, list.length); n++) chosen.push(list[n % list.length] as T);
    return chosen;
  }

  /** Returns a number with this many decimals, both ends included. */
  between(from: number, to: number, decimals = 0): number {
    const scale = 10 ** decimals;
    return (Math.round(from * scale) + this.below(Math.round((to - from) * scale) + 1)) / scale;
  }
}

/** Mixes 32 bits one to one: each input bit changes about half of the output bits. */
function mix(bits: number): number {
  let mixed = bits >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
