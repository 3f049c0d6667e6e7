/** Rewrites the server's problems and remedies in the words of the page, with labels instead of field names and ids. */
import { ApiError, type Problem } from '../../api/problem.ts';
import { ruleOf, sentence } from './field-problems.ts';
import { LABELS } from './offer-fields.ts';

/** Texts for problem codes whose message would not tell a merchant what to do. */
const TEXTS: Readonly<Record<string, string>> = {
  required: 'Enter a value.',
  bad_url: 'Enter a full URL that starts with https:// or http://.',
  product_code_required: 'Add a product code, or enter an ASIN.',
  browse_node_unknown: 'This category no longer exists. Choose another one.',
  fulfillment_node_unknown: 'This location does not exist. Add it in Settings.',
  service_required: 'Choose a service level or a shipping method.',
};

/** Fields of the other parts. Only known names are replaced, because a SKU or a value may look like one. */
export const ALL_LABELS: ReadonlyMap<string, string> = new Map([
  ...LABELS,
  ['sku', 'SKU'],
  ['standard_product_code', 'Product code'],
  ['standard_product_code_type', 'Code type'],
  ['image_url', 'Image URL'],
  ['image_slot_id', 'Image slot'],
  ['attribute_value', 'Attribute value'],
  ['attribute_value_unit', 'Attribute unit'],
  ['is_archived', 'Archived'],
  ['fulfillment_nodes', 'Locations'],
  ['fulfillment_node_id', 'Location'],
  ['fulfillment_node_price', 'Price override'],
  ['price', 'Price'],
  ['quantity', 'Quantity'],
  ['children_skus', 'Child SKUs'],
  ['variation_refinements', 'Variation attributes'],
  ['group_title', 'Group title'],
  ['return_location_ids', 'Return locations'],
  ['service_level', 'service level'],
  ['shipping_method', 'shipping method'],
  ['override_type', 'charge'],
  ['shipping_charge_amount', 'amount'],
  ['time_to_return_days', 'Return window (days)'],
  ['return_shipping_methods', 'Return shipping methods'],
]);

/** Fields that have another name in a form than in the API. */
const FORM_LABELS: ReadonlyMap<string, string> = new Map([
  ['codes', 'Product codes'],
  ['images', 'Alternate images'],
  ['url', 'Alternate image'],
  ['attributes', 'Category attributes'],
  ['rows', 'Shipping exceptions'],
  ['rate_kind', 'Rates'],
]);

/** A field without a label of its own has its name as words: `shipping_methods` is "Shipping methods". */
export function fieldLabel(name: string): string {
  const words = name.replaceAll('_', ' ');
  return FORM_LABELS.get(name) ?? ALL_LABELS.get(name) ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the error with each problem of a field in the words of the page. */
export function inPageWords(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(error.status, error.problems.map(problemInPageWords));
}

/** Rejects with the problems in the words of the page, for a form that shows them at its fields. */
export function inWords<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: Error) => {
    throw inPageWords(error);
  });
}

/**
 * Returns the error in the words of the page, with the label of each field: for problems that are not shown at their
 * field.
 */
export function inPageWordsWithLabels(error: Error): Error {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(
    error.status,
    error.problems.map((problem) => withFieldLabel(problemInPageWords(problem))),
  );
}

export function withFieldLabel(problem: Problem): Problem {
  const [, name = ''] = problem.field.split('/');
  return name === '' ? problem : { ...problem, message: `${fieldLabel(name)}: ${problem.message}` };
}

interface ReviewCheck {
  readonly check: string;
  readonly remedy?: string | null | undefined;
  readonly evidence: unknown;
}

export function remedyInPageWords({ check, remedy, evidence }: ReviewCheck): string {
  const { faults = [] } = check === 'attributes' ? (evidence as { faults?: { attribute_id: number }[] }) : {};
  const ids = faults.map(({ attribute_id: id }) => ` (${id})`);
  return ids.reduce((text, id) => text.replaceAll(id, ''), withCodeNames(withLabels(withoutApiWords(remedy ?? ''))));
}

export function problemInPageWords(problem: Problem): Problem {
  const { code, field } = problem;
  if (field === '') return problem;
  return { ...problem, message: TEXTS[code] ?? sentence(withLabels(ruleOf(problem))) };
}

/** Removes field names and calls of the API: `Add a shipping weight (shipping_weight_pounds)` already names the field in words. */
function withoutApiWords(text: string): string {
  return text
    .replace(/ \((\w+_\w+)\)/g, (whole, name) => (ALL_LABELS.has(name) ? '' : whole))
    .replace(/ \((?:GET|PUT|POST|PATCH|DELETE) [^)]*\)/g, '')
    .replace(', or send POST /merchant-skus/{id}/review', '');
}

/** Writes catalog codes as they are printed on products: `gtin:00609900000006` becomes UPC 609900000006. */
export function withCodeNames(text: string): string {
  return text
    .replace(/\bgtin:00(\d{12})\b/g, 'UPC $1')
    .replace(/\bgtin:0(\d{13})\b/g, 'EAN $1')
    .replace(/\bgtin:(\d{14})\b/g, 'GTIN-14 $1')
    .replace(/\basin:(\w{10})\b/g, 'ASIN $1');
}

function withLabels(text: string): string {
  return text.replace(/\b\w+_\w+\b/g, (name) => ALL_LABELS.get(name) ?? name);
}
