/** Defines the entries of a taxonomy, attributes and nodes, and their form as lines of JSON, which omit default values. */
import { Id, List, OneOf, Pattern, Text } from '../check/schema.ts';
import { type Static, type TSchema, Type } from '../check/type.ts';
import { type Int64, parseExactJson, stringifyExactJson } from '../int64.ts';
import { LIMITS } from '../limits.ts';
import type { ProblemCode } from '../problem.ts';
import { PRODUCT_DATA, type ProductDataField } from '../vocabulary/product-data.ts';
import { PRODUCT_TAX_CODES, type ProductTaxCode } from '../vocabulary/tax-codes.ts';

export const DATA_TYPES = Object.freeze(['text', 'number', 'integer'] as const);

type DataType = (typeof DATA_TYPES)[number];

export interface AttributeEntry {
  readonly kind: 'attribute';
  /** The name by which nodes of the same list refer to it; internal. */
  readonly name: string;
  readonly id: Int64;
  readonly description: string;
  /** Whether members of a variation group may differ in it. */
  readonly variant: boolean;
  readonly dataType: DataType;
  /** The allowed values; empty: any value that fits the data type and the range. */
  readonly values: readonly string[];
  /** The allowed units, one of which every value needs; empty: no unit. */
  readonly units: readonly string[];
  readonly min: number | null;
  readonly max: number | null;
}

export interface NodeEntry {
  readonly kind: 'node';
  readonly id: Int64;
  readonly name: string;
  /** What people call its products, which the search finds too. */
  readonly words: readonly string[];
  /** Null for a department. */
  readonly parentId: Int64 | null;
  readonly active: boolean;
  /** Null: inherited from the parent. */
  readonly taxCode: ProductTaxCode | null;
  /** Whether offers need a variation group, as clothing does. Null: inherited from the parent. */
  readonly needsGroup: boolean | null;
  /** Whether a product that the catalog does not know needs another code than an ASIN. Null: inherited from the parent. */
  readonly needsCode: boolean | null;
  /** The data that a product needs if the catalog does not know it. Null: inherited from the parent. */
  readonly newProductData: readonly ProductDataField[] | null;
  /** Names of attributes, for this node and its descendants. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export type TaxonomyEntry = AttributeEntry | NodeEntry;

/** An entry and its line in the file. */
export interface PlacedEntry<T extends TaxonomyEntry = TaxonomyEntry> {
  readonly line: number;
  readonly entry: T;
}

export type FaultCode = Exclude<Extract<ProblemCode, `taxonomy_${string}`>, 'taxonomy_node_not_found'>;

/** A problem in a line of the file. */
export interface LineFault {
  readonly code: FaultCode;
  /** 0 when the problem is in no particular line. */
  readonly line: number;
  readonly text: string;
}

const AttributeName = Pattern(
  '^[a-z][a-z0-9_]{0,63}$',
  'must be 1 to 64 lower-case letters, digits or underscores, a letter first',
);
const AttributeNames = List(AttributeName, LIMITS.attributes_max);
const RANGE_MAX = 1_000_000_000_000;
const Bound = Type.Number({ minimum: -RANGE_MAX, maximum: RANGE_MAX });

/** The fields of a line. Its lists may be read-only. */
type LineOf<S extends TSchema, T = Static<S>> = {
  readonly [K in keyof T]: T[K] extends (infer E extends string)[] | undefined ? readonly E[] : T[K];
};

export const AttributeBody = Type.Object({
  attribute: AttributeName,
  id: Id(),
  description: Text(LIMITS.taxonomy_name_characters_max, { min: 1 }),
  variant: Type.Optional(Type.Boolean()),
  data_type: Type.Optional(OneOf(DATA_TYPES)),
  values: Type.Optional(
    List(Text(LIMITS.attribute_value_characters_max, { min: 1 }), LIMITS.taxonomy_attribute_values_max, { min: 1 }),
  ),
  units: Type.Optional(
    List(Text(LIMITS.taxonomy_unit_characters_max, { min: 1 }), LIMITS.taxonomy_attribute_units_max, { min: 1 }),
  ),
  min_value: Type.Optional(Bound),
  max_value: Type.Optional(Bound),
});

export type AttributeLine = LineOf<typeof AttributeBody>;

export const NodeBody = Type.Object({
  node: Id(),
  parent: Type.Optional(Id()),
  name: Type.String(),
  words: Type.Optional(
    List(Text(LIMITS.taxonomy_word_characters_max, { min: 1 }), LIMITS.taxonomy_words_max, { min: 1 }),
  ),
  active: Type.Optional(Type.Boolean()),
  tax_code: Type.Optional(OneOf(PRODUCT_TAX_CODES)),
  needs_group: Type.Optional(Type.Boolean()),
  needs_code: Type.Optional(Type.Boolean()),
  new_product_data: Type.Optional(List(OneOf(PRODUCT_DATA), PRODUCT_DATA.length)),
  required: Type.Optional(AttributeNames),
  optional: Type.Optional(AttributeNames),
});

export type NodeLine = LineOf<typeof NodeBody>;

const NONE: readonly string[] = Object.freeze([]);

export function attributeEntry(line: AttributeLine): AttributeEntry {
  return {
    kind: 'attribute',
    name: line.attribute,
    id: line.id,
    description: line.description,
    variant: line.variant ?? false,
    dataType: line.data_type ?? 'text',
    values: line.values ?? NONE,
    units: line.units ?? NONE,
    min: line.min_value ?? null,
    max: line.max_value ?? null,
  };
}

export function nodeEntry(line: NodeLine): NodeEntry {
  return {
    kind: 'node',
    id: line.node,
    name: line.name,
    words: line.words ?? NONE,
    parentId: line.parent ?? null,
    active: line.active ?? true,
    taxCode: line.tax_code ?? null,
    needsGroup: line.needs_group ?? null,
    needsCode: line.needs_code ?? null,
    newProductData: line.new_product_data ?? null,
    required: line.required ?? NONE,
    optional: line.optional ?? NONE,
  };
}

/** Reads a line that was already checked: from the starter file or the store. */
export function readEntry(line: string): TaxonomyEntry {
  const fields = parseExactJson(line) as AttributeLine | NodeLine;
  return 'node' in fields ? nodeEntry(fields) : attributeEntry(fields);
}

/** Returns the entry as JSON text, which `readEntry` reads again. */
export function entryText(entry: TaxonomyEntry): string {
  return stringifyExactJson(entry.kind === 'attribute' ? attributeLine(entry) : nodeLine(entry));
}

function attributeLine(entry: AttributeEntry) {
  const { values, units } = entry;
  return {
    attribute: entry.name,
    id: entry.id,
    description: entry.description,
    ...(entry.variant ? { variant: true } : {}),
    ...(entry.dataType === 'text' ? {} : { data_type: entry.dataType }),
    ...(values.length === 0 ? {} : { values }),
    ...(units.length === 0 ? {} : { units }),
    ...(entry.min === null ? {} : { min_value: entry.min }),
    ...(entry.max === null ? {} : { max_value: entry.max }),
  };
}

function nodeLine(entry: NodeEntry) {
  const { words, required, optional } = entry;
  return {
    node: entry.id,
    ...(entry.parentId === null ? {} : { parent: entry.parentId }),
    name: entry.name,
    ...(words.length === 0 ? {} : { words }),
    ...(entry.active ? {} : { active: false }),
    ...(entry.taxCode === null ? {} : { tax_code: entry.taxCode }),
    ...(entry.needsGroup === null ? {} : { needs_group: entry.needsGroup }),
    ...(entry.needsCode === null ? {} : { needs_code: entry.needsCode }),
    ...(entry.newProductData === null ? {} : { new_product_data: entry.newProductData }),
    ...(required.length === 0 ? {} : { required }),
    ...(optional.length === 0 ? {} : { optional }),
  };
}
