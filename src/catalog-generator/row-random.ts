/**
 * In charge of chance that is no chance: the same seed and the same row always draw the same numbers, whichever rows were
 * made before. So a row of a million can be made again alone, and a price file fits the SKU file of the same seed.
 */

/** Numbers of one row, or of one product; drawn in a fixed order by whoever makes it. */
export class RowRandom {
  #state: number;

  constructor(seed: number, row: number) {
    // Neighbouring rows must have nothing in common: their numbers go through the mixer once before they count.
    this.#state = mix(seed ^ mix(row + 0x9e3779b9));
  }

  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    // By multiplication, because the lower bits of a remainder would be the weaker ones.
    return Math.floor((mix(this.#state) / 4_294_967_296) * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** So many of the list, each once, in its order from a place that is drawn. */
  some<T>(list: readonly T[], count: number): T[] {
    const start = this.below(list.length);
    const chosen: T[] = [];
    // Not by Array.from, which took a fifth of the time of a whole catalog.
    for (let n = start; n < start + Math.min(count, list.length); n++) chosen.push(list[n % list.length] as T);
    return chosen;
  }

  /** With so many decimals, both ends included. */
  between(from: number, to: number, decimals = 0): number {
    const scale = 10 ** decimals;
    return (Math.round(from * scale) + this.below(Math.round((to - from) * scale) + 1)) / scale;
  }
}

/** Spreads 32 bits over 32 bits, one to one: every bit that goes in moves about half of those that come out. */
function mix(bits: number): number {
  let mixed = bits >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
