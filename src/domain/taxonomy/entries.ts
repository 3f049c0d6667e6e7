/**
 * Defines the entries of a taxonomy and their form as lines of JSON: attributes, and nodes that refer to attributes and
 * to their parent. Lines omit default values.
 */
import { type Int64, stringifyExactJson } from '../int64.ts';
import type { ProductTaxCode } from '../vocabulary/tax-codes.ts';

export const DATA_TYPES = Object.freeze(['text', 'number', 'integer'] as const);

export type DataType = (typeof DATA_TYPES)[number];

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
  /** Null for a department. */
  readonly parentId: Int64 | null;
  readonly active: boolean;
  /** Null: inherited from the parent. */
  readonly taxCode: ProductTaxCode | null;
  /** Whether offers need a variation group, as clothing does. Null: inherited from the parent. */
  readonly needsGroup: boolean | null;
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

export interface AttributeLine {
  readonly attribute: string;
  readonly id: Int64;
  readonly description: string;
  readonly variant?: boolean;
  readonly data_type?: DataType;
  readonly values?: readonly string[];
  readonly units?: readonly string[];
  readonly min_value?: number;
  readonly max_value?: number;
}

export interface NodeLine {
  readonly node: Int64;
  readonly parent?: Int64;
  readonly name: string;
  readonly active?: boolean;
  readonly tax_code?: ProductTaxCode;
  readonly needs_group?: boolean;
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
}

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
    parentId: line.parent ?? null,
    active: line.active ?? true,
    taxCode: line.tax_code ?? null,
    needsGroup: line.needs_group ?? null,
    required: line.required ?? NONE,
    optional: line.optional ?? NONE,
  };
}

/** Returns JSON text. Reading it back gives an equal entry. */
export function entryText(entry: TaxonomyEntry): string {
  return stringifyExactJson(entry.kind === 'attribute' ? attributeLine(entry) : nodeLine(entry));
}

function attributeLine(entry: AttributeEntry): AttributeLine {
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

function nodeLine(entry: NodeEntry): NodeLine {
  const { required, optional } = entry;
  return {
    node: entry.id,
    ...(entry.parentId === null ? {} : { parent: entry.parentId }),
    name: entry.name,
    ...(entry.active ? {} : { active: false }),
    ...(entry.taxCode === null ? {} : { tax_code: entry.taxCode }),
    ...(entry.needsGroup === null ? {} : { needs_group: entry.needsGroup }),
    ...(required.length === 0 ? {} : { required }),
    ...(optional.length === 0 ? {} : { optional }),
  };
}
