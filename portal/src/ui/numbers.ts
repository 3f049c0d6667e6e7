/** Formats counts, prices, sizes and durations, for every viewer alike (docs/decisions/0043-numbers-in-the-portal.md). */
import { sizeText } from '#domain/vocabulary/sizes.ts';

/** Every viewer sees numbers and dates in this format. */
export const LOCALE = 'en-US';
const WHOLE = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const DECIMAL = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 });
const PRICE = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'USD', maximumFractionDigits: 20 });

export function countText(count: number): string {
  return WHOLE.format(count);
}

const AMOUNT = /(^|_)(price|msrp|amount)$/;

/** Returns whether the values of the field are in dollars. */
export function isAmount(field: string): boolean {
  return AMOUNT.test(field);
}

/** With all decimals. */
export function decimalText(number: number): string {
  return DECIMAL.format(number);
}

/** With two decimals, or more if the price has more. */
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

const CHANGE = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** "+5%", "-12.5%"; '' for a change that rounds to nothing. */
export function percentText(share: number): string {
  const text = CHANGE.format(share);
  return text === '0%' ? '' : text;
}

/** "1 offer", "2,000 offers". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

const ORDINALS = new Intl.PluralRules(LOCALE, { type: 'ordinal' });
const ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };

/** "1st", "22nd", "1,013th". */
export function ordinalText(number: number): string {
  return `${countText(number)}${ENDINGS[ORDINALS.select(number)] ?? 'th'}`;
}

const MILLISECONDS = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });

export function millisecondsText(ms: number): string {
  return `${MILLISECONDS.format(ms)} ms`;
}

export function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (Math.ceil(seconds) < 60) return `${Math.ceil(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
