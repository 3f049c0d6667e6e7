/** Writes a regular expression for plain decimals within a range, because attribute values are text. */

/** Matches what `numberOf` of checks/attributes.ts reads, with white space around it. */
export function decimalPattern(type: 'number' | 'integer', min: number | null, max: number | null): string {
  const ranges = [
    ...(min === null ? [] : [`(?=${atLeast(min, '\\+?', '-')}\\s*$)`]),
    // x is at most max exactly if -x is at least -max.
    ...(max === null ? [] : [`(?=${atLeast(-max, '-', '\\+?')}\\s*$)`]),
  ];
  return `^\\s*${ranges.join('')}[+-]?\\d+(?:\\.${type === 'integer' ? '0' : '\\d'}+)?\\s*$`;
}

const ANY_FRACTION = '(?:\\.\\d*)?';

function atLeast(bound: number, plus: string, minus: string): string {
  if (bound > 0) return `${plus}${magnitude(bound, 'more')}`;
  return `(?:${plus}\\d+${ANY_FRACTION}|${minus}${magnitude(-bound, 'less')})`;
}

/** Matches digits whose value is at least, or at most, the bound. Compares digit by digit. */
function magnitude(bound: number, side: 'more' | 'less'): string {
  const text = Math.abs(bound).toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
  const [whole = '', fraction = ''] = text.split('.');
  const digits = whole === '0' ? '' : whole;
  const isMore = side === 'more';
  const forms = [isMore ? `[1-9]\\d{${digits.length},}${ANY_FRACTION}` : shorter(digits.length)];
  for (const [at, digit] of [...digits].entries()) {
    const other = otherDigits(digit, side);
    if (other === undefined) continue;
    forms.push(`${digits.slice(0, at)}${other}\\d{${digits.length - at - 1}}${ANY_FRACTION}`);
  }
  const rest = [...fraction].flatMap((digit, at) => {
    const other = otherDigits(digit, side);
    const longer = other === undefined ? [] : [`${fraction.slice(0, at)}${other}\\d*`];
    return isMore ? longer : [...longer, fraction.slice(0, at)];
  });
  const equal = isMore ? `${fraction}\\d*` : `${fraction}0*`;
  const optional = isMore && fraction !== '' ? '' : '?';
  forms.push(`${digits}(?:\\.(?:${[...rest, equal].join('|')}))${optional}`);
  return `0*(?:${forms.join('|')})`;
}

function shorter(length: number): string {
  return length === 0 ? '(?!)' : `\\d{0,${length - 1}}${ANY_FRACTION}`;
}

function otherDigits(digit: string, side: 'more' | 'less'): string | undefined {
  const value = Number(digit);
  if (side === 'more') return value === 9 ? undefined : `[${value + 1}-9]`;
  return value === 0 ? undefined : `[0-${value - 1}]`;
}
