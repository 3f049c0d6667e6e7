/** Formats counts, prices, sizes and durations in the viewer's locale. */
import { sizeText } from '../../../src/domain/vocabulary/sizes.ts';

const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const PRICE = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });

export function countText(count: number): string {
  return WHOLE.format(count);
}

export function priceText(price: number): string {
  return PRICE.format(price);
}

export function bytesText(bytes: number): string {
  return sizeText(bytes, []);
}

/** Formats a count, which is null if the account's database node does not respond. */
export function countIfKnown(count: number | null): string {
  return count === null ? 'Unavailable' : countText(count);
}

/** "1 offer", "2,000 offers". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

const MILLISECONDS = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

export function millisecondsText(ms: number): string {
  return `${MILLISECONDS.format(ms)} ms`;
}

export function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (Math.ceil(seconds) < 60) return `${Math.ceil(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
