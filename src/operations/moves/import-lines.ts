/**
 * Reads the lines of an export. Each line is checked on its own with the rules for bodies of merchants and operators,
 * and every problem is reported. Rules that depend on the taxonomy or on settings do not apply, because these change
 * over time while stored data stays.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Environment, FulfillmentNode } from '../../domain/account.ts';
import type { BodyCheck } from '../../domain/bodies/body-check.ts';
import { readBodyText, unreadableLine } from '../../domain/body-text.ts';
import { LINE_CHECKS, PART_CHECKS } from '../../domain/export/line-checks.ts';
import type { CredentialRecord, GroupRecord, MerchantRecord, OfferRecord } from '../../domain/export/records.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { NodeQuantity } from '../../domain/offers/part.ts';
import { toStoredSku } from '../../domain/offers/parts/sku.ts';
import { CLEARABLE } from '../../domain/offers/parts.ts';
import { rightsIn } from '../../domain/setup/credential-roll.ts';
import { toNode } from '../../domain/setup/node.ts';
import { skuIdFault } from '../../domain/sku-id.ts';
import { LineFault } from '../text-lines.ts';
import { EXPORT_KIND, type ExportCounts } from './export-lines.ts';

export type ImportLine =
  | { readonly kind: 'header'; readonly version: number }
  | { readonly kind: 'merchant'; readonly merchant: MerchantRecord }
  | { readonly kind: 'environment'; readonly environment: Environment }
  | { readonly kind: 'credential'; readonly credential: CredentialRecord }
  | { readonly kind: 'node'; readonly node: FulfillmentNode }
  | { readonly kind: 'return_location'; readonly locationId: string }
  | { readonly kind: 'sku'; readonly offer: OfferRecord }
  | { readonly kind: 'group'; readonly group: GroupRecord }
  | { readonly kind: 'end'; readonly counts: ExportCounts };

/** The line of a SKU contains the bodies of several calls: its data, price, stock and the parts that can be cleared. */
const LINE_VALUES_MAX = (3 + CLEARABLE.length) * LIMITS.body_values_max;

/** Throws LineFault with every problem of the line. */
export function readLine(text: string): ImportLine {
  const body = readBodyText(text, LINE_VALUES_MAX);
  if ('unreadable' in body) throw new LineFault([unreadableLine(body.unreadable)]);
  const fields = checkedObject(body.value);
  if (body.problems.length > 0) throw new LineFault(body.problems.map(({ message }) => message));
  const { kind, ...rest } = fields;
  const read = typeof kind === 'string' && Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (read === undefined) {
    throw new LineFault([`kind: must be one of ${Object.keys(READERS).join(', ')}`]);
  }
  return read(rest);
}

type Fields = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, (fields: Fields) => ImportLine>> = {
  [EXPORT_KIND]: (fields) => ({ kind: 'header', ...checked(LINE_CHECKS.header, fields) }),
  merchant: (fields) => {
    const line = checked(LINE_CHECKS.merchant, fields);
    const { time_to_return, return_shipping_methods } = line;
    if (time_to_return === undefined || return_shipping_methods === undefined) {
      throw new LineFault(['time_to_return and return_shipping_methods are required']);
    }
    return {
      kind: 'merchant',
      merchant: {
        merchantId: line.merchant_id,
        name: line.name,
        createdMs: timeOf(line.created),
        suspended: line.suspended,
        timeToReturnDays: time_to_return,
        returnShippingMethods: return_shipping_methods,
      },
    };
  },
  environment: (fields) => ({ kind: 'environment', ...checked(LINE_CHECKS.environment, fields) }),
  credential: (fields) => {
    const line = checked(LINE_CHECKS.credential, fields);
    const { user, salt, secret_sha256, created, ends, name = '' } = line;
    return {
      kind: 'credential',
      credential: {
        user,
        salt: Buffer.from(salt, 'base64'),
        secretHash: Buffer.from(secret_sha256, 'base64'),
        createdMs: timeOf(created),
        endsMs: ends === undefined ? null : timeOf(ends),
        name,
        ...rightsIn(line),
      },
    };
  },
  fulfillment_node: (fields) => ({ kind: 'node', node: toNode(checked(LINE_CHECKS.node, fields)) }),
  return_location: (fields) => {
    return { kind: 'return_location', locationId: checked(LINE_CHECKS.returnLocation, fields).return_location_id };
  },
  sku: (fields) => ({ kind: 'sku', offer: readSku(fields) }),
  variation_group: (fields) => {
    const { sku_id, variation_refinements, group_title, children_skus } = checked(LINE_CHECKS.group, fields);
    return {
      kind: 'group',
      group: {
        skuId: skuIdOf(sku_id),
        refinements: stringifyExactJson(variation_refinements),
        title: group_title ?? null,
        childrenSkus: children_skus.map(skuIdOf),
      },
    };
  },
  end: (fields) => ({ kind: 'end', counts: checked(LINE_CHECKS.end, fields) }),
};

function readSku(fields: Fields): OfferRecord {
  const { data, price, inventory, ...others } = fields;
  const rest = Object.fromEntries(Object.entries(others).filter(([field]) => !CLEARABLE_FIELDS.has(field)));
  const line = checked(LINE_CHECKS.sku, rest);
  const clearable = CLEARABLE.map((part) => [part.name, readClearable(part, others)]);
  return {
    skuId: skuIdOf(line.sku_id),
    archived: line.archived,
    firstUploadMs: timeOf(line.first_upload),
    document: readData(data),
    documentUpdatedMs: timeOf(line.data_updated),
    price: price === undefined ? null : readPrice(price),
    inventory: {
      stampMs: timeOf(line.inventory_stamp),
      nodes: inventory === undefined ? [] : readInventory(inventory),
    },
    clearable: Object.fromEntries(clearable),
  };
}

const CLEARABLE_FIELDS: ReadonlySet<string> = new Set(CLEARABLE.map(({ stored }) => stored.exportField));

/** Returns the JSON text of a part that can be cleared; null if the line does not have it. */
function readClearable({ name, stored, toWrite }: (typeof CLEARABLE)[number], fields: Fields): string | null {
  const { field, exportField } = stored;
  const value = fields[exportField];
  if (value === undefined) return null;
  return toWrite('', checkedPart<object>(exportField, PART_CHECKS[name], { [field]: value })).text;
}

/** Returns the exported text if an upload would store the same text; otherwise the text that an upload would store. */
function readData(data: unknown): string {
  const sent = checkedObject(data, 'data');
  const isShoe = sent.product_type_id !== undefined;
  const stored = toStoredSku(checkedPart('data', isShoe ? PART_CHECKS.shoeSku : PART_CHECKS.sku, sent));
  return stringifyExactJson(isDeepStrictEqual(stored, sent) ? sent : stored);
}

function readPrice(value: unknown): NonNullable<OfferRecord['price']> {
  const { updated, ...body } = checkedObject(value, 'price');
  const { price, fulfillment_nodes: nodes = [] } = checkedPart('price', PART_CHECKS.price, body);
  requireOnce('price', nodes);
  return { price, nodes, updatedMs: timeOf(checkedPart('price', LINE_CHECKS.updated, { updated }).updated) };
}

function readInventory(value: unknown): OfferRecord['inventory']['nodes'] {
  if (!Array.isArray(value)) throw new LineFault(['inventory: must be a list']);
  const times: number[] = [];
  const sent = value.map((node) => {
    const { updated, ...rest } = checkedObject(node, 'inventory');
    times.push(timeOf(checkedPart('inventory', LINE_CHECKS.updated, { updated }).updated));
    return rest;
  });
  const { fulfillment_nodes: nodes } = checkedPart('inventory', PART_CHECKS.inventory, { fulfillment_nodes: sent });
  requireOnce('inventory', nodes);
  return nodes.map((node: NodeQuantity, index) => ({ ...node, updatedMs: times[index] ?? 0 }));
}

function requireOnce(part: string, nodes: readonly { readonly fulfillment_node_id: string }[]): void {
  const seen = new Set<string>();
  for (const { fulfillment_node_id: nodeId } of nodes) {
    if (seen.has(nodeId)) throw new LineFault([`${part}: node ${JSON.stringify(nodeId)} occurs twice`]);
    seen.add(nodeId);
  }
}

function checked<T>(check: BodyCheck<T>, fields: Fields): T {
  return checkedPart(undefined, check, fields);
}

/** Refuses unknown fields: an export has none, so they may be misspelled. */
function checkedPart<T>(part: string | undefined, check: BodyCheck<T>, value: unknown): T {
  const outcome = check({ value, problems: [] });
  const prefix = part === undefined ? '' : `${part}: `;
  const unknown = outcome.ignored.map((pointer) => `${prefix}${pointer.slice(1)}: unknown field`);
  const problems = outcome.ok ? [] : outcome.problems.map(({ message }) => `${prefix}${message}`);
  if (!outcome.ok || unknown.length > 0) throw new LineFault([...problems, ...unknown]);
  return outcome.value;
}

function checkedObject(value: unknown, part = 'It'): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new LineFault([part === 'It' ? 'It must be a JSON object' : `${part}: must be an object`]);
  }
  return value as Fields;
}

function skuIdOf(skuId: string): string {
  const fault = skuIdFault(skuId);
  if (fault !== undefined) throw new LineFault([`SKU id ${JSON.stringify(skuId)} ${fault}`]);
  return skuId;
}

/** Reads a time. Rejects 31 February and hour 24, which the pattern allows and Date turns into another day. */
function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (new Date(ms).getUTCDate() !== Number(text.slice(8, 10))) throw new LineFault([`${text} is not a time`]);
  return ms;
}
