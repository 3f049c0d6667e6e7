/** Derives what an offer lacks from the live offers of its variation group, if they agree. */
import type { Int64 } from '../../int64.ts';
import { brandKey } from '../../text/brand-key.ts';
import { isBlank } from '../../text/text-rules.ts';
import { foldText, type UploadedAttribute } from '../checks/attributes.ts';
import type { ReviewedDocument } from '../facts.ts';
import type { FixClues } from './fix.ts';

/** One other offer may have the same mistake, or a value of its own. */
const AGREEING_MIN = 2;

function agreed<Value>(
  { group }: FixClues,
  readFrom: (document: ReviewedDocument) => Value | undefined,
  keyOf: (value: Value) => string,
): Value | undefined {
  const values = group?.live.map(readFrom) ?? [];
  const keys = new Set(values.map((value) => (value === undefined ? undefined : keyOf(value))));
  return values.length >= AGREEING_MIN && keys.size === 1 ? values[0] : undefined;
}

/** Undefined for a refinement, because the members differ in it. */
export function groupAttribute(clues: FixClues, id: Int64): UploadedAttribute | undefined {
  if (clues.group?.refinements.includes(id)) return undefined;
  const entryOf = ({ attributes_node_specific: all = [] }: ReviewedDocument) => {
    const [entry, ...others] = all.filter((sent) => sent.attribute_id === id && !isBlank(sent.attribute_value));
    return others.length === 0 ? entry : undefined;
  };
  return agreed(clues, entryOf, ({ attribute_value: value, attribute_value_unit: unit = '' }) =>
    JSON.stringify([foldText(value), foldText(unit)]),
  );
}

export function groupCategory(clues: FixClues): Int64 | undefined {
  return agreed(clues, (document) => document.marketplace_browse_node_id, String);
}

export function groupBrand(clues: FixClues): string | undefined {
  return agreed(clues, ({ brand }) => (isBlank(brand) ? undefined : brand), brandKey);
}
