/** In charge of what benches are told on the command line about size and store; whatever else they are told is an error. */

export type MeasuredStore = 'sqlite' | 'postgres';

const COUNT_MIN = 1000;

/** `option` is how it is called on the command line. */
export function countOf(option: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < COUNT_MIN) {
    throw new Error(`--${option} must be a whole number from ${COUNT_MIN} on.`);
  }
  return count;
}

export function storeOf(text: string): MeasuredStore {
  if (text !== 'sqlite' && text !== 'postgres') throw new Error('--store must be sqlite or postgres.');
  return text;
}
