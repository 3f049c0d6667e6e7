/** Checks that the parts of one attribute fit together. */
import type { AttributeEntry } from './entries.ts';

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

/** Returns the problems of the attribute, as text. */
export function attributeFaults({ dataType, values, units, min, max }: AttributeEntry): string[] {
  const faults: string[] = [];
  if (dataType === 'text' && (min !== null || max !== null)) {
    faults.push('min_value and max_value need the data_type number or integer');
  }
  if (min !== null && max !== null && min > max) faults.push('min_value must not be above max_value');
  for (const [list, entries] of [['values', values] as const, ['units', units] as const]) {
    const twice = new Set(entries.filter((entry, place) => entries.indexOf(entry) !== place));
    faults.push(...Array.from(twice, (entry) => `${list}: ${JSON.stringify(entry)} occurs twice`));
  }
  if (dataType === 'text') return faults;
  const form = dataType === 'integer' ? WHOLE_NUMBER : NUMBER;
  for (const value of values) {
    if (!form.test(value))
      faults.push(`values: ${JSON.stringify(value)} is not ${dataType === 'integer' ? 'an integer' : 'a number'}`);
    else if (Number(value) < (min ?? -Infinity) || Number(value) > (max ?? Infinity)) {
      faults.push(`values: ${JSON.stringify(value)} is out of range`);
    }
  }
  return faults;
}
