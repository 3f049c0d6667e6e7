/** Checks the values of the command line options of benchmarks. */

export type MeasuredStore = 'sqlite' | 'postgres';

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
