/**
 * Checks the attributes of an offer against those of its category.
 *
 * Required attributes must be present. Attributes that are present must be valid even when optional, because shoppers
 * filter by them. Attributes that the category does not have are ignored. Text comparison ignores width, letter case
 * and spacing.
 */
import type { Int64 } from '../../int64.ts';
import { memoized } from '../../memoized.ts';
import type { AttributeEntry } from '../../taxonomy/entries.ts';
import type { NodeAttribute } from '../../taxonomy/tree.ts';
import { isBlank } from '../../text/text-rules.ts';

export interface UploadedAttribute {
  readonly attribute_id: Int64;
  readonly attribute_value: string;
  readonly attribute_value_unit?: string;
}

export type AttributeFaultKind =
  | 'absent'
  | 'not_a_number'
  | 'out_of_range'
  | 'value_not_allowed'
  | 'unit_missing'
  | 'unit_not_allowed';

export interface AttributeFault {
  readonly kind: AttributeFaultKind;
  readonly attribute: AttributeEntry;
  /** Null when the attribute is absent. */
  readonly sent: UploadedAttribute | null;
}

/** Returns all faults, in the order of the category's attributes. */
export function attributeFaults(
  uploaded: readonly UploadedAttribute[] | undefined,
  attributes: readonly NodeAttribute[],
): AttributeFault[] {
  const faults: AttributeFault[] = [];
  for (const { attribute, required } of attributes) {
    let isThere = false;
    for (const sent of uploaded ?? []) {
      // A blank value counts as absent.
      if (sent.attribute_id !== attribute.id || isBlank(sent.attribute_value)) continue;
      isThere = true;
      for (const kind of [
        valueFault(sent.attribute_value, attribute),
        unitFault(sent.attribute_value_unit, attribute),
      ]) {
        if (kind !== undefined) faults.push({ kind, attribute, sent });
      }
    }
    if (required && !isThere) faults.push({ kind: 'absent', attribute, sent: null });
  }
  return faults;
}

function valueFault(value: string, attribute: AttributeEntry): AttributeFaultKind | undefined {
  if (attribute.values.length > 0) return isAmong(value, attribute.values) ? undefined : 'value_not_allowed';
  if (attribute.dataType === 'text') return undefined;
  const number = numberOf(value);
  if (number === undefined || (attribute.dataType === 'integer' && !Number.isInteger(number))) return 'not_a_number';
  const { min, max } = attribute;
  return (min !== null && number < min) || (max !== null && number > max) ? 'out_of_range' : undefined;
}

const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/;

/** Reads plain decimals only. `1e3` is unreadable for shoppers, and `1,5` is ambiguous. */
function numberOf(value: string): number | undefined {
  const text = value.trim();
  return DECIMAL.test(text) ? Number(text) : undefined;
}

function unitFault(unit: string | undefined, { units }: AttributeEntry): AttributeFaultKind | undefined {
  if (units.length === 0) return undefined;
  if (unit === undefined || isBlank(unit)) return 'unit_missing';
  return isAmong(unit, units) ? undefined : 'unit_not_allowed';
}

/** Folded values by list, kept as long as the taxonomy keeps the list, which may have 1,000 values. */
const foldedSet = memoized(
  (allowed: readonly string[]) => new Set([...allowed, ...allowed.map(foldText)]),
  new WeakMap(),
);

function isAmong(text: string, allowed: readonly string[]): boolean {
  const folded = foldedSet(allowed);
  return folded.has(text) || folded.has(foldText(text));
}

/** Returns a text that is equal for texts that differ only in width, letter case or spacing. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().replace(/\s+/gu, ' ').trim();
}
