/** Reads a number that a person typed, with either decimal separator (docs/decisions/0043-numbers-in-the-portal.md). */

/** A text without digits is `empty` or `unclear`; `ambiguous` has both readings, that with the thousands first. */
export type ReadNumber = number | 'empty' | 'unclear' | { readonly ambiguous: readonly [number, number] };

interface NumberFormat {
  /** Sign that may stand before or after the number, such as `$` or `%`. */
  readonly sign?: string | undefined;
  /** True if the number has no fraction. */
  readonly isWhole?: boolean | undefined;
}

/** Digits, with any separators between them. A separator at the start or end is a decimal separator: `.5`, `18,`. */
const PLAIN = /^([-+−]?)([.,]?\d[\d.,'’\s]*)$/;
/** Thousands in groups of three, with one kind of separator. */
const GROUPED = /^[1-9]\d{0,2}(?:([.,'’]|\s)\d{3})(?:\1\d{3})*$/;
/** One separator that can be either: `1.234`, but not `0.234`, `1234.567` or `1.23`. */
const EITHER = /^[1-9]\d{0,2}[.,]\d{3}$/;

export function readNumber(text: string, { sign = '', isWhole = false }: NumberFormat = {}): ReadNumber {
  const bare = withoutSign(text.trim(), sign);
  if (bare === '') return 'empty';
  const [, minus = '', digits] = PLAIN.exec(bare) ?? [];
  if (digits === undefined) return 'unclear';
  const factor = minus === '' || minus === '+' ? 1 : -1;
  const whole = wholeOf(digits);
  const decimal = decimalOf(digits);
  if (isWhole) return whole === undefined ? 'unclear' : whole * factor;
  if (whole !== undefined && decimal !== undefined && EITHER.test(digits)) {
    return { ambiguous: [whole * factor, decimal * factor] };
  }
  const read = whole ?? decimal;
  return read === undefined ? 'unclear' : read * factor;
}

function withoutSign(text: string, sign: string): string {
  if (sign === '') return text;
  // The minus may stand before the sign: -$5.
  const [, minus = '', rest = text] = /^([-+−]?)\s*(.*)$/s.exec(text) ?? [];
  if (rest.startsWith(sign)) return minus + rest.slice(sign.length).trim();
  return text.endsWith(sign) ? text.slice(0, -sign.length).trim() : text;
}

function wholeOf(digits: string): number | undefined {
  if (!/^\d+$/.test(digits) && !GROUPED.test(digits)) return undefined;
  return Number(digits.replace(/\D/g, ''));
}

/** The last point or comma is the decimal separator. Separators before it, if any, group thousands and are of another kind. */
function decimalOf(digits: string): number | undefined {
  const at = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (at === -1) return undefined;
  const before = digits.slice(0, at);
  const fraction = digits.slice(at + 1);
  if (!/^\d*$/.test(fraction) || before.includes(digits.charAt(at))) return undefined;
  const whole = before === '' ? 0 : wholeOf(before);
  return whole === undefined ? undefined : Number(`${whole}.${fraction}`);
}
