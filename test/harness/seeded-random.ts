/** Creates pseudo-random numbers that are the same in every run. */

export interface Chance {
  /** Returns a number of at least 0 and below 1. */
  fraction(): number;
  /** Returns an integer of at least 0 and below `end`. */
  below(end: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Uses Mulberry32, whose 32 bits of state are good enough to vary test data. */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(fraction() * end);
  return {
    fraction,
    below,
    pick: (choices) => {
      if (choices.length === 0) throw new Error('there is nothing to pick from');
      return choices[below(choices.length)] as (typeof choices)[number];
    },
  };
}
