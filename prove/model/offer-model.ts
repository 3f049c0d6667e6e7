/**
 * A small model of the contract: what each call must answer, and what it must store. It is written from the specification, without the
 * server's code, so that a rule that the server breaks is not broken here in the same way.
 */

export const NODES = ['demo-node-east', 'demo-node-west'] as const;
export const RETURN_LOCATIONS = ['demo-returns-east', 'demo-returns-west'] as const;
/** Attribute of a size, by which groups differ. */
export const SIZE = 101;

type Json = Readonly<Record<string, unknown>>;
type Quantities = Readonly<Record<string, number>>;

interface Offer {
  readonly sku: Json;
  readonly price?: Json;
  readonly stock: Quantities;
  readonly returns?: readonly string[];
  readonly group?: Json;
  readonly isArchived: boolean;
}

/** The offers of an account by SKU id. */
export type Account = Readonly<Record<string, Offer>>;

export type Part = 'sku' | 'price' | 'inventory' | 'variation' | 'returns_exception' | 'archive';

export interface Write {
  readonly part: Part;
  readonly skuId: string;
  readonly body: Json;
  /** Precondition: the tag of what is stored, or one that nothing has. */
  readonly ifMatch?: 'stored' | 'other';
}

export interface Read {
  readonly part: Exclude<Part, 'archive'>;
  readonly skuId: string;
}

/** `code` is that of the first problem. */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
}

const refused = (code: string, status = 400): Outcome => ({ status, code });
const ACCEPTED: Outcome = { status: 202 };

/** Returns the answer, and the account after the call: the same object if nothing changed. */
export function written(account: Account, { part, skuId, body, ifMatch }: Write): readonly [Outcome, Account] {
  const fault = bodyFault(part, body);
  if (fault !== undefined) return [refused(fault), account];
  const offer = account[skuId];
  if (offer === undefined && part !== 'sku') return [refused('sku_unknown', 404), account];
  if (offer?.isArchived && part !== 'archive') return [refused('sku_archived'), account];
  const misfit = referenceFault(account, { part, skuId, body });
  if (misfit !== undefined) return [refused(misfit), account];
  if (ifMatch === 'other' || (ifMatch === 'stored' && !isSet(offer, part)))
    return [refused('precondition_failed', 412), account];
  const next = applied(offer, part, part === 'variation' ? withoutItself(body, skuId) : body);
  if (offer !== undefined && isEqual(offer, next)) return [ACCEPTED, account];
  const others = part === 'variation' ? withoutMembers(account, [skuId, ...childrenOf(body)]) : account;
  return [ACCEPTED, { ...others, [skuId]: next }];
}

/** Returns the fields that a read must have with exactly these values, and how many entries its lists must have. */
export function read(account: Account, { part, skuId }: Read): readonly [Outcome, Json | undefined] {
  const offer = account[skuId];
  if (offer === undefined) return [refused('sku_unknown', 404), undefined];
  if (part === 'sku') return [{ status: 200 }, { ...offer.sku, is_archived: offer.isArchived }];
  if (part === 'inventory') return [{ status: 200 }, { fulfillment_nodes: nodesOf(offer.stock) }];
  if (!isSet(offer, part)) return [refused(`${part}_unset`, 404), undefined];
  if (part === 'price') return [{ status: 200 }, offer.price];
  return [{ status: 200 }, part === 'variation' ? offer.group : { return_location_ids: offer.returns }];
}

/** Whether a read of the part finds something. */
export function isSet(offer: Offer | undefined, part: Part): boolean {
  if (offer === undefined) return false;
  if (part === 'price') return offer.price !== undefined;
  if (part === 'inventory') return Object.keys(offer.stock).length > 0;
  if (part === 'variation') return offer.group !== undefined;
  return part !== 'returns_exception' || offer.returns !== undefined;
}

/** Rules that the body alone can break. */
function bodyFault(part: Part, body: Json): string | undefined {
  if (part === 'sku') {
    const length = [...String(body.product_title)].length;
    if (length < 5) return 'too_short';
    if (length > 500) return 'too_long';
    const pack = Number(body.multipack_quantity);
    return pack < 1 ? 'too_small' : pack > 128 ? 'too_large' : undefined;
  }
  if (part === 'price') {
    if (body.price === undefined) return 'required';
    return Number(body.price) < 0.01 ? 'too_small' : undefined;
  }
  if (part === 'inventory') {
    return entriesOf(body).some((node) => Number(node.quantity) < 0) ? 'too_small' : undefined;
  }
  if (part === 'variation') {
    if (body.relationship !== 'Variation') return 'not_allowed';
    return childrenOf(body).length === 0 ? 'too_few' : undefined;
  }
  return part === 'archive' && typeof body.is_archived !== 'boolean' ? 'required' : undefined;
}

/** Rules about what the body refers to. */
function referenceFault(account: Account, { part, skuId, body }: Write): string | undefined {
  if (part === 'price' || part === 'inventory') {
    const isKnown = (node: Json) => (NODES as readonly unknown[]).includes(node.fulfillment_node_id);
    return entriesOf(body).every(isKnown) ? undefined : 'fulfillment_node_unknown';
  }
  if (part === 'returns_exception') {
    const ids = (body.return_location_ids ?? []) as readonly string[];
    return ids.every((id) => (RETURN_LOCATIONS as readonly string[]).includes(id))
      ? undefined
      : 'return_location_unknown';
  }
  return part === 'variation' ? groupFault(account, skuId, body) : undefined;
}

function groupFault(account: Account, skuId: string, body: Json): string | undefined {
  const brand = account[skuId]?.sku.brand;
  for (const child of childrenOf(body)) {
    const offer = account[child];
    if (offer === undefined) return 'child_unknown';
    if (offer.isArchived) return 'child_archived';
  }
  return childrenOf(body).every((child) => account[child]?.sku.brand === brand) ? undefined : 'brand_differs';
}

/** A parent always belongs to its group, and need not be listed. */
function withoutItself(body: Json, parent: string): Json {
  return { ...body, children_skus: childrenOf(body).filter((child) => child !== parent) };
}

/** A SKU that joins a group leaves its earlier one; if it was the parent, that group ends. */
function withoutMembers(account: Account, joining: readonly string[]): Account {
  const left = Object.entries(account).map(([skuId, offer]): [string, Offer] => {
    const { group, ...rest } = offer;
    if (group === undefined || joining.includes(skuId)) return [skuId, rest];
    const children = childrenOf(group).filter((child) => !joining.includes(child));
    return [skuId, { ...rest, group: { ...group, children_skus: children } }];
  });
  return Object.fromEntries(left);
}

function applied(offer: Offer | undefined, part: Part, body: Json): Offer {
  const before = offer ?? { sku: {}, stock: {}, isArchived: false };
  if (part === 'sku') return { ...before, sku: body };
  if (part === 'price') {
    // The last price of a node wins.
    const prices = new Map(entriesOf(body).map((node) => [node.fulfillment_node_id, node]));
    return { ...before, price: { price: body.price, fulfillment_nodes: [...prices.values()] } };
  }
  if (part === 'inventory') {
    const sent = entriesOf(body).map((node) => [node.fulfillment_node_id, node.quantity]);
    return { ...before, stock: { ...before.stock, ...Object.fromEntries(sent) } };
  }
  if (part === 'returns_exception') {
    const { returns: _before, ...rest } = before;
    const ids = (body.return_location_ids ?? []) as readonly string[];
    return ids.length === 0 ? rest : { ...rest, returns: ids };
  }
  if (part === 'variation') return { ...before, group: body };
  const isArchived = body.is_archived === true;
  // Both directions zero the stock.
  const zeroed = Object.fromEntries(Object.keys(before.stock).map((node) => [node, 0]));
  return isArchived === before.isArchived ? before : { ...before, isArchived, stock: zeroed };
}

const entriesOf = (body: Json) => (body.fulfillment_nodes ?? []) as readonly Json[];
export const childrenOf = (body: Json) => (body.children_skus ?? []) as readonly string[];

function nodesOf(stock: Quantities): readonly Json[] {
  return Object.entries(stock).map(([fulfillment_node_id, quantity]) => ({ fulfillment_node_id, quantity }));
}

/** Compares values whose members may stand in another order. */
export function isEqual(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
