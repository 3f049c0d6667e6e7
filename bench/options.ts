/** Command line options that benchmarks have in common, and checks of their values. */

export type MeasuredStore = 'sqlite' | 'postgres';

/** `--noisy` shows figures of a busy machine, marked with `~`. */
export const NOISY = { noisy: { type: 'boolean', default: false } } as const;

const COUNT_MIN = 1000;

/** `option` is the name of the option on the command line. */
export function countOf(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < COUNT_MIN) {
    throw new Error(`--${option} must be a whole number of at least ${COUNT_MIN}.`);
  }
  return count;
}

export function storeOf(text: string): MeasuredStore {
  if (text !== 'sqlite' && text !== 'postgres') throw new Error('--store must be sqlite or postgres.');
  return text;
}
