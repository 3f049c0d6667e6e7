/**
 * In charge of the plain list that a taxonomy is made of, and of its form as lines of JSON: attributes, which nodes name,
 * and nodes, which name their parent. Lines leave out what is the usual case.
 */
import { type Int64, stringifyExactJson } from '../int64.ts';
import type { ProductTaxCode } from '../vocabulary/tax-codes.ts';

export const DATA_TYPES = Object.freeze(['text', 'number', 'integer'] as const);

export type DataType = (typeof DATA_TYPES)[number];

export interface AttributeEntry {
  readonly kind: 'attribute';
  /** By which the nodes of the same list name it; nobody else sees it. */
  readonly name: string;
  readonly id: Int64;
  readonly description: string;
  /** The members of a variation group may differ in it. */
  readonly variant: boolean;
  readonly dataType: DataType;
  /** Those that are allowed; none: free text. */
  readonly values: readonly string[];
  /** One of which goes with every value; none: the value stands alone. */
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
  /** Null: that of the parent. */
  readonly taxCode: ProductTaxCode | null;
  /** Offers must be in a variation group, as clothing must. Null: as in the parent. */
  readonly needsGroup: boolean | null;
  /** Names of attributes, for this node and those below it. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export type TaxonomyEntry = AttributeEntry | NodeEntry;

/** An entry and the line of the file where it stands. */
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

/** JSON text; read back it gives an equal entry. */
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
