/** Turns a change in the history into the fields that differ, with their values as text. */

import type { OfferPart } from '#domain/vocabulary/offer-parts.ts';
import { stringifyExact } from '../../../../api/exact-json.ts';
import type { Change } from '../../../../api/offer-versions.ts';
import { methodName } from '../../../../ui/forms/choices.ts';
import { LABELS } from '../../../../ui/forms/offer-fields.ts';
import { countText, priceText } from '../../../../ui/numbers.ts';
import { shoeTypeName } from '../category-field.tsx';
import type { FieldChange, ShownValue } from './history-line.ts';

export const PART_NAMES: Readonly<Record<OfferPart, string>> = {
  sku: 'Product data',
  price: 'Price',
  inventory: 'Inventory',
  archive: 'Archive',
  variation: 'Variation group',
  shipping_exception: 'Shipping exceptions',
  returns_exception: 'Returns exception',
};

type AttributeName = (id: string) => string;
type Fields = ReadonlyMap<string, ShownValue>;
type PartValue<Part extends Change['part']> = NonNullable<Extract<Change, { part: Part }>['after']>;

export function changedFields(change: Change, attributeName: AttributeName): readonly FieldChange[] {
  const before = fieldsOf(change.part, change.before, attributeName);
  const after = fieldsOf(change.part, change.after, attributeName);
  const labels = new Set([...before.keys(), ...after.keys()]);
  return Array.from(labels, (label) => ({
    label,
    before: before.get(label) ?? null,
    after: after.get(label) ?? null,
  })).filter((field) => stringifyExact(field.before) !== stringifyExact(field.after));
}

function fieldsOf(part: Change['part'], value: Change['after'], attributeName: AttributeName): Fields {
  if (value === null) return new Map();
  switch (part) {
    case 'sku':
      return skuFields(value as PartValue<'sku'>, attributeName);
    case 'price':
      return priceFields(value as PartValue<'price'>);
    case 'inventory':
      return new Map(
        Object.entries(value as PartValue<'inventory'>).map(([node, quantity]) => [
          `Quantity at ${node}`,
          countText(quantity),
        ]),
      );
    case 'archive':
      return new Map([['Archived', text((value as PartValue<'archive'>).is_archived)]]);
    case 'variation':
      return groupFields(value as PartValue<'variation'>, attributeName);
    case 'shipping_exception':
      return exceptionFields(value as PartValue<'shipping_exception'>);
    case 'returns_exception':
      return new Map([['Return locations', text((value as PartValue<'returns_exception'>).return_location_ids)]]);
  }
}

function skuFields(sku: PartValue<'sku'>, attributeName: AttributeName): Fields {
  const {
    standard_product_codes: codes = [],
    attributes_node_specific: attributes = [],
    alternate_images: images = [],
    marketplace_browse_node_id: category,
    product_type_id: shoeType,
    ...plain
  } = sku;
  const fields = new Map<string, ShownValue>();
  for (const [name, value] of Object.entries(plain)) fields.set(LABELS.get(name) ?? name, text(value));
  if (category !== undefined) fields.set('Category', { category: String(category) });
  if (shoeType !== undefined) fields.set('Shoe type', shoeTypeName(String(shoeType)));
  for (const { attribute_id: id, attribute_value: value, attribute_value_unit: unit = '' } of attributes) {
    fields.set(attributeName(String(id)), `${value} ${unit}`.trim());
  }
  if (codes.length > 0) {
    const shown = codes.map((code) => `${code.standard_product_code_type} ${code.standard_product_code}`);
    fields.set('Product codes', text(shown));
  }
  for (const { image_slot_id: slot, image_url: url } of images) fields.set(`Alternate image ${slot}`, url);
  return fields;
}

function priceFields({ price, fulfillment_nodes: nodes }: PartValue<'price'>): Fields {
  return new Map([
    ['Price', priceText(price)],
    ...nodes.map((node) => [`Price at ${node.fulfillment_node_id}`, priceText(node.fulfillment_node_price)] as const),
  ]);
}

function groupFields(group: PartValue<'variation'>, attributeName: AttributeName): Fields {
  return new Map([
    ['Child SKUs', text(group.children_skus)],
    ['Variation attributes', text(group.variation_refinements.map((id) => attributeName(String(id))))],
    ['Group title', group.group_title ?? null],
  ]);
}

function exceptionFields({ fulfillment_nodes: nodes }: PartValue<'shipping_exception'>): Fields {
  return new Map(
    nodes.map((node) => [
      `Shipping from ${node.fulfillment_node_id}`,
      text(node.shipping_exceptions.map((exception) => methodName(Object.values(exception).map(String).join(', ')))),
    ]),
  );
}

/** A list has one entry per line. */
function text(value: unknown): ShownValue {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(String).join('\n');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return value === undefined || value === null || value === '' ? null : String(value);
}
