/**
 * In charge of the judgement of an offer: its status and sub-statuses, derived from what is stored and never set by
 * hand. Pure, so that every reader of the same facts comes to the same judgement.
 */
import { hasCorrectCheckDigit } from './check-digits.ts';
import { type CategoryState, categoryState, type Taxonomy } from './taxonomy.ts';
import { isBlank } from './text.ts';
import type { ProductCodeType } from './vocabulary/product-codes.ts';
import { type Status, SUB_STATUSES, type SubStatus } from './vocabulary/statuses.ts';

/** The fields of a stored SKU document that the judgement looks at. */
export interface JudgedDocument {
  readonly product_title: string;
  readonly brand: string;
  readonly product_type_id?: number;
  readonly marketplace_browse_node_id?: number;
  readonly standard_product_codes?: readonly {
    readonly standard_product_code_type: ProductCodeType;
    readonly standard_product_code: string;
  }[];
}

/** What checks outside the offer itself have found so far. */
export interface Evidence {
  readonly excluded: boolean;
  readonly unauthorized: boolean;
  /** A check has not come to its verdict yet. */
  readonly pending: boolean;
  readonly subStatuses: readonly SubStatus[];
}

/** No check has anything against the offer, none is under way. */
export const NO_EVIDENCE: Evidence = Object.freeze({
  excluded: false,
  unauthorized: false,
  pending: false,
  subStatuses: Object.freeze([]),
});

const NONE: readonly SubStatus[] = Object.freeze([]);

export interface Judgement {
  readonly status: Status;
  readonly subStatuses: readonly SubStatus[];
}

export function judge(
  offer: { readonly document: JudgedDocument; readonly archived: boolean; readonly priced: boolean },
  taxonomy: Taxonomy,
  evidence: Evidence,
): Judgement {
  const found = [...ownSubStatuses(offer.document, offer.priced, taxonomy), ...evidence.subStatuses];
  // In the order of the vocabulary, each once.
  const subStatuses = found.length === 0 ? NONE : SUB_STATUSES.filter((subStatus) => found.includes(subStatus));
  return { status: deriveStatus(offer.archived, evidence, subStatuses.length > 0), subStatuses };
}

/** First match wins. */
function deriveStatus(archived: boolean, evidence: Evidence, hasSubStatus: boolean): Status {
  if (archived) return 'archived';
  if (evidence.excluded) return 'excluded';
  if (evidence.unauthorized) return 'unauthorized';
  if (evidence.pending) return 'review';
  if (hasSubStatus) return 'missing';
  return 'available';
}

const CATEGORY_SUB_STATUS: Readonly<Record<CategoryState, SubStatus | undefined>> = {
  missing: 'Missing category',
  invalid: 'Invalid category',
  valid: undefined,
};

function ownSubStatuses(document: JudgedDocument, priced: boolean, taxonomy: Taxonomy): SubStatus[] {
  const found: SubStatus[] = [];
  if (isBlank(document.product_title)) found.push('Missing title');
  if (isBlank(document.brand)) found.push('Missing brand');
  if (!priced) found.push('Missing price');
  const category = CATEGORY_SUB_STATUS[categoryState(document, taxonomy)];
  if (category !== undefined) found.push(category);
  const codes = document.standard_product_codes ?? [];
  const areCorrect = codes.every((code) =>
    hasCorrectCheckDigit(code.standard_product_code_type, code.standard_product_code),
  );
  if (!areCorrect) found.push('Invalid SKU identifier');
  return found;
}
