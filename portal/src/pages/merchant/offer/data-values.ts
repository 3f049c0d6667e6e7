/** Converts an offer's data to form values and back, without changing fields that were not edited. */
import type { Offer } from '../../../api/offer.ts';
import type { Problem } from '../../../api/problem.ts';
import type { NumberValue } from '../../../ui/forms/number-field.tsx';
import { isRequired, PLAIN_FIELDS, type PlainField, type SkuBody } from '../../../ui/forms/offer-fields.ts';

/** '' for an empty field, null for an empty select. */
export type PlainValue = string | number | boolean | null | string[];

export interface AttributeRow {
  readonly attribute_id: string;
  readonly attribute_value: string;
  readonly attribute_value_unit: string;
}

export interface DataValues {
  readonly plain: Readonly<Record<string, PlainValue>>;
  /** Digits; null if not set. */
  readonly category: string | null;
  readonly codes: readonly { readonly code: string; readonly type: string | null }[];
  readonly images: readonly { readonly slot: NumberValue; readonly url: string }[];
  readonly attributes: readonly AttributeRow[];
}

/** An offer as stored; empty for a new one. */
export type StoredOffer = Partial<Offer>;

export function valuesOf(offer: StoredOffer): DataValues {
  return {
    plain: Object.fromEntries(PLAIN_FIELDS.map((field) => [field.name, plainValue(field, offer)])),
    category: offer.marketplace_browse_node_id === undefined ? null : String(offer.marketplace_browse_node_id),
    codes: (offer.standard_product_codes ?? []).map((code) => ({
      code: code.standard_product_code,
      type: code.standard_product_code_type,
    })),
    images: (offer.alternate_images ?? []).map((image) => ({ slot: image.image_slot_id, url: image.image_url })),
    attributes: (offer.attributes_node_specific ?? []).map((attribute) => ({
      attribute_id: String(attribute.attribute_id),
      attribute_value: attribute.attribute_value,
      attribute_value_unit: attribute.attribute_value_unit ?? '',
    })),
  };
}

/** Digits; null if the offer is not a shoe. */
export function shoeTypeOf({ product_type_id: id }: StoredOffer): string | null {
  return id === undefined ? null : String(id);
}

/** Omits empty fields. The server reports required ones that are missing. */
export function bodyOf({ plain, category, codes, images, attributes }: DataValues, offer: StoredOffer): SkuBody {
  const body: Record<string, unknown> = {};
  for (const field of PLAIN_FIELDS) {
    const value = sentValue(field, plain[field.name] ?? '', offer);
    if (value !== undefined) body[field.name] = value;
  }
  if (category !== null) body.marketplace_browse_node_id = BigInt(category);
  if (codes.length > 0) {
    body.standard_product_codes = codes.map(({ code, type }) => ({
      standard_product_code: code,
      standard_product_code_type: type ?? '',
    }));
  }
  if (images.length > 0) {
    body.alternate_images = images.map(({ slot, url }) => ({ image_slot_id: slot, image_url: url }));
  }
  if (attributes.length > 0) {
    body.attributes_node_specific = attributes.map(({ attribute_id, attribute_value, attribute_value_unit: unit }) => ({
      attribute_id: BigInt(attribute_id),
      attribute_value,
      ...(unit === '' ? {} : { attribute_value_unit: unit }),
    }));
  }
  // The ids are bigints, which are written to JSON as numbers.
  return body as unknown as SkuBody;
}

/** Maps a JSON pointer from the server to the name of the form field. If there are no codes, the problem belongs to the ASIN. */
export function dataFieldName(pointer: string, { codes }: DataValues): string | undefined {
  const [, field = '', place, below = ''] = pointer.split('/');
  switch (field) {
    case 'standard_product_codes':
      if (codes.length === 0) return 'plain.ASIN';
      return `codes.${place ?? 0}.${below.endsWith('_type') ? 'type' : 'code'}`;
    case 'alternate_images':
      return `images.${place ?? 0}.${below === 'image_slot_id' ? 'slot' : 'url'}`;
    case 'attributes_node_specific':
      return `attributes.${place ?? 0}.${below === '' ? 'attribute_value' : below}`;
    case 'marketplace_browse_node_id':
      return 'category';
    default:
      return field === '' ? undefined : `plain.${field}`;
  }
}

/** Returns the problems of required fields without a value. */
export function missingValues({ plain, codes }: DataValues): readonly Problem[] {
  const missing = PLAIN_FIELDS.filter(({ name }) => isRequired(name) && plain[name] === '');
  const problems = missing.map(({ name }) => ({ code: 'required', field: `/${name}`, message: '' }));
  if (codes.length > 0 || plain.ASIN !== '') return problems;
  return [...problems, { code: 'product_code_required', field: '/standard_product_codes', message: '' }];
}

export function dataFieldNames({ codes, images, attributes }: DataValues): readonly string[] {
  return [
    ...PLAIN_FIELDS.map(({ name }) => `plain.${name}`),
    'category',
    ...codes.flatMap((_code, at) => [`codes.${at}.code`, `codes.${at}.type`]),
    ...images.flatMap((_image, at) => [`images.${at}.slot`, `images.${at}.url`]),
    ...attributes.flatMap((_attribute, at) => [
      `attributes.${at}.attribute_id`,
      `attributes.${at}.attribute_value`,
      `attributes.${at}.attribute_value_unit`,
    ]),
  ];
}

function plainValue({ name, kind }: PlainField, offer: StoredOffer): PlainValue {
  const value = offer[name as keyof Offer] as unknown;
  if (kind === 'flag') return value === true;
  if (kind === 'lines') return ((value as string[] | undefined) ?? []).join('\n');
  if (typeof kind === 'object' && 'someOf' in kind) return (value as string[] | undefined) ?? [];
  if (typeof kind === 'object') return (value as string | undefined) ?? null;
  if (kind === 'number') return (value as number | undefined) ?? '';
  return value === undefined ? '' : String(value);
}

function sentValue(field: PlainField, value: PlainValue, offer: StoredOffer): unknown {
  const { name, kind } = field;
  // Send unedited fields as stored: absent, a number in a text field, or a list entry with a line break.
  if (sameValue(value, plainValue(field, offer))) return offer[name as keyof Offer];
  if (kind === 'lines') {
    const lines = String(value)
      .split('\n')
      .filter((line) => line.trim() !== '');
    return lines.length === 0 ? undefined : lines;
  }
  return value === '' || value === null || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

function sameValue(one: PlainValue, other: PlainValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
