/**
 * Defines the columns of a sheet for each file type, derived from the schema of the body. A list has numbered columns,
 * such as `bullet_1`; stock has one row per SKU and fulfillment node.
 */
import { PART_BODIES } from '../bodies/part-bodies.ts';
import { ShoeSkuBody } from '../bodies/sku.ts';
import type { BodySchema } from '../check/schema.ts';
import { memoized } from '../memoized.ts';
import type { FileType, PartFileType } from '../vocabulary/file-types.ts';
import { FILE_TYPE_OF, OFFER_PARTS, type OfferPart } from '../vocabulary/offer-parts.ts';

export type CellKind = 'text' | 'number' | 'id' | 'boolean' | 'scalar';

export interface Column {
  /** The name in the header. */
  readonly name: string;
  /** The field of the body; '' for the SKU id, which is the key of the row. */
  readonly field: string;
  /** For lists: the number in the name, from 1. */
  readonly slot?: number;
  /** For lists of objects: the member, or its path in a list inside the object, such as `shipping_exceptions/0/service_level`. */
  readonly member?: string;
  readonly kind: CellKind;
  /** What a whole number must be. */
  readonly rule?: string;
  readonly isRequired: boolean;
  readonly about: string;
  readonly isInTemplate: boolean;
}

export const SKU_COLUMN = 'sku';
/** Written next to failed rows; ignored when the sheet is read again. */
export const PROBLEMS_COLUMN = 'problems';

export interface ListColumns {
  /** Returns the name of a slot's column, for each member of the entries. The member is '' in a list of plain values. */
  readonly names: Readonly<Record<string, (slot: number) => string>>;
  /** The member that holds the number of the slot. */
  readonly slotMember?: string;
  readonly slotsInTemplate: number;
  /** Set if the sheet has fewer slots than the rule allows entries. */
  readonly slots_max?: number;
  /** Set if every row has one entry, and the list continues in the next row. */
  readonly isOnePerRow?: true;
}

const PART_SCHEMAS = Object.fromEntries(
  OFFER_PARTS.map((part) => [part, part === 'sku' ? ShoeSkuBody : PART_BODIES[part]]),
) as unknown as Readonly<Record<OfferPart, BodySchema>>;

/** The parts whose columns `Offers` have. The fields of their bodies have the name of the part in front, such as `price/price`. */
const PARTS_OF_OFFER = OFFER_PARTS.filter((part) => part !== 'archive');
const inPart = (part: string, field: string) => `${part}/${field}`;

const BODIES: Readonly<Record<FileType, BodySchema>> = {
  ...(Object.fromEntries(OFFER_PARTS.map((part) => [FILE_TYPE_OF[part], PART_SCHEMAS[part]])) as Readonly<
    Record<PartFileType, BodySchema>
  >),
  Offers: {
    properties: {
      ...PART_SCHEMAS.archive.properties,
      status: { type: 'string', description: 'The status in the report Offers. Uploads ignore it.' },
      sub_status: { type: 'string', description: 'The sub-statuses in the report Offers. Uploads ignore them.' },
      ...Object.fromEntries(
        PARTS_OF_OFFER.flatMap((part) =>
          Object.entries(PART_SCHEMAS[part].properties ?? {}).map(([field, schema]) => [inPart(part, field), schema]),
        ),
      ),
    },
  },
};

const numbered =
  (start: string, end = '') =>
  (slot: number) =>
    `${start}_${slot}${end}`;
const plainList = (start: string, slotsInTemplate: number): ListColumns => ({
  names: { '': numbered(start) },
  slotsInTemplate,
});

const NODE_PRICES: ListColumns = {
  names: { fulfillment_node_id: numbered('node', '_id'), fulfillment_node_price: numbered('node', '_price') },
  slotsInTemplate: 1,
};
const NODE_QUANTITIES: ListColumns = {
  names: { fulfillment_node_id: () => 'node_id', quantity: () => 'quantity' },
  slotsInTemplate: 1,
  isOnePerRow: true,
};
/** A node may occur several times, so each slot is a node with one of its exceptions. */
const NODE_EXCEPTIONS: ListColumns = {
  names: {
    fulfillment_node_id: numbered('exception', '_node_id'),
    ...Object.fromEntries(
      Object.entries({
        service_level: '_service_level',
        shipping_method: '_shipping_method',
        override_type: '_override_type',
        shipping_charge_amount: '_charge_amount',
        shipping_exception_type: '_type',
      }).map(([member, end]) => [`shipping_exceptions/0/${member}`, numbered('exception', end)]),
    ),
  },
  slotsInTemplate: 1,
  slots_max: 100,
};
const SKU_LISTS: Readonly<Record<string, ListColumns>> = {
  standard_product_codes: {
    names: {
      standard_product_code: numbered('product_code'),
      standard_product_code_type: numbered('product_code', '_type'),
    },
    slotsInTemplate: 1,
  },
  attributes_node_specific: {
    names: {
      attribute_id: numbered('attribute', '_id'),
      attribute_value: numbered('attribute', '_value'),
      attribute_value_unit: numbered('attribute', '_unit'),
    },
    slotsInTemplate: 3,
  },
  bullets: plainList('bullet', 5),
  included_bullets: plainList('included_bullet', 1),
  not_included_bullets: plainList('not_included_bullet', 1),
  cpsia_cautionary_statements: plainList('cautionary_statement', 1),
  alternate_images: {
    names: { image_url: numbered('alternate_image') },
    slotMember: 'image_slot_id',
    slotsInTemplate: 3,
  },
};

const PART_LISTS: Readonly<Partial<Record<PartFileType, Readonly<Record<string, ListColumns>>>>> = {
  MerchantSKUs: SKU_LISTS,
  Price: { fulfillment_nodes: NODE_PRICES },
  Inventory: { fulfillment_nodes: NODE_QUANTITIES },
  Variation: { variation_refinements: plainList('refinement', 1), children_skus: plainList('child_sku', 3) },
  ShippingException: { fulfillment_nodes: NODE_EXCEPTIONS },
  ReturnsException: { return_location_ids: plainList('return_location', 1) },
};

/** A row of `Offers` is a whole offer, so it has the stock of every node. */
const STOCK_OF_OFFER: ListColumns = {
  names: { fulfillment_node_id: numbered('stock', '_node_id'), quantity: numbered('stock', '_quantity') },
  slotsInTemplate: 1,
};

const LISTS: Readonly<Partial<Record<FileType, Readonly<Record<string, ListColumns>>>>> = {
  ...PART_LISTS,
  Offers: Object.fromEntries(
    PARTS_OF_OFFER.flatMap((part) =>
      Object.entries(PART_LISTS[FILE_TYPE_OF[part]] ?? {}).map(([field, list]) => [
        inPart(part, field),
        part === 'inventory' ? STOCK_OF_OFFER : list,
      ]),
    ),
  ),
};

/** Shorter names for fields that the operator may rename, so that a sheet works on every server. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  marketplace_browse_node_id: 'category_id',
  external_item_type_keyword: 'item_type_keyword',
};

/** Fields that are never required: the product type is only for shoes. */
const OPTIONAL: ReadonlySet<string> = new Set(['product_type_id', 'sku/product_type_id']);

export function listOf(type: FileType, field: string): ListColumns | undefined {
  return LISTS[type]?.[field];
}

/**
 * Returns the columns in the order of the documentation, the SKU first. A list has a slot for each allowed entry, up to `slots_max`. Made
 * when a type is first used: making all of them added about 40 ms to each start of a server and of its bulk thread.
 */
export const columnsOf = memoized(makeColumns);

const columnsByName = memoized((type: FileType) => {
  return new Map(columnsOf(type).map((column) => [column.name.toLowerCase(), column]));
});

export function columnNamed(type: FileType, name: string): Column | undefined {
  return columnsByName(type).get(name.toLowerCase());
}

/** Returns the column for a position in the body, given as a JSON pointer; '' for a position without a column. */
export function columnAt(type: FileType, pointer: string, slotOf: (field: string, index: number) => number): string {
  const [, first = '', ...rest] = pointer.split('/');
  const isInPart = type === 'Offers' && rest[0] !== undefined;
  const field = isInPart ? inPart(first, rest.shift() as string) : first;
  const [index, ...member] = rest;
  const neutral = neutralField(type, field);
  if (neutral === undefined) return '';
  const list = listOf(type, neutral);
  if (list === undefined) return nameOf(neutral);
  const slot = index === undefined ? 1 : slotOf(neutral, Number(index));
  const name = list.names[member.join('/')] ?? Object.values(list.names)[0];
  return name?.(slot) ?? '';
}

/** Returns the neutral name of the field. Operators may rename the prefix of some fields. */
export function neutralField(type: FileType, field: string): string | undefined {
  const properties = BODIES[type].properties ?? {};
  if (field in properties) return field;
  const [end] = Object.keys(SHORT_NAMES).filter((name) => field.endsWith(name.slice(name.indexOf('_'))));
  const renamed = field.slice(0, field.lastIndexOf('/') + 1) + end;
  return renamed in properties ? renamed : undefined;
}

function nameOf(field: string): string {
  const name = field.slice(field.lastIndexOf('/') + 1);
  return SHORT_NAMES[name] ?? name;
}

/** Returns the fields of a body as columns name them: those of `Offers` with the name of the part in front. */
export function flatBody(type: FileType, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (type !== 'Offers') return body;
  const fields = Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([field, inside]) => [inPart(name, field), inside] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

/** Reverses `flatBody`. */
export function nestedBody(type: FileType, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (type !== 'Offers') return body;
  const nested: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const [part = '', field] = name.split('/');
    if (field === undefined) nested[part] = value;
    else nested[part] = Object.assign(nested[part] ?? {}, { [field]: value });
  }
  return nested;
}

function makeColumns(type: FileType): readonly Column[] {
  const { properties = {}, required = [] } = BODIES[type];
  const sku: Column = {
    name: SKU_COLUMN,
    field: '',
    kind: 'text',
    isRequired: true,
    isInTemplate: true,
    about: 'Your id for the SKU.',
  };
  const fields = Object.entries(properties).flatMap(([field, schema]) => {
    const isRequired = required.includes(field) && !OPTIONAL.has(field);
    const list = listOf(type, field);
    return list === undefined ? [plainColumn(field, schema, isRequired)] : listColumns(field, schema, list);
  });
  // Shoes are few, so their column comes last.
  return [
    sku,
    ...fields.filter(({ field }) => !OPTIONAL.has(field)),
    ...fields.filter(({ field }) => OPTIONAL.has(field)),
  ];
}

function plainColumn(field: string, schema: BodySchema, isRequired: boolean): Column {
  const { description: about = '' } = schema;
  return { name: nameOf(field), field, ...kindAndRule(schema), isRequired, about, isInTemplate: true };
}

function listColumns(field: string, schema: BodySchema, list: ListColumns): Column[] {
  const { items = {}, maxItems = 1, description: about = '' } = schema;
  const slots = list.isOnePerRow ? 1 : Math.min(maxItems, list.slots_max ?? maxItems);
  return Array.from({ length: slots }, (_, at) => at + 1).flatMap((slot) =>
    Object.entries(list.names).map(([member, name]): Column => {
      const part = schemaAt(items, member);
      return {
        name: name(slot),
        field,
        slot,
        ...(member === '' ? {} : { member }),
        ...kindAndRule(part),
        isRequired: list.isOnePerRow === true,
        about: part.description ?? about,
        isInTemplate: slot <= list.slotsInTemplate,
      };
    }),
  );
}

function schemaAt(schema: BodySchema, member: string): BodySchema {
  if (member === '') return schema;
  return member
    .split('/')
    .reduce<BodySchema>((at, part) => (part === '0' ? at.items : at.properties?.[part]) ?? {}, schema);
}

function kindAndRule(schema: BodySchema): Pick<Column, 'kind' | 'rule'> {
  const kind = kindOf(schema);
  const { type, minimum, maximum } = schema;
  if (kind !== 'number' || type !== 'integer' || minimum === undefined || maximum === undefined) return { kind };
  return { kind, rule: `must be an integer from ${minimum} to ${maximum}` };
}

function kindOf({ type, format }: BodySchema): CellKind {
  if (format === 'int64') return 'id';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  return type === 'string' ? 'text' : 'scalar';
}
