/** Use cases: a merchant reads one part of a SKU: price, inventory, exceptions or group. */
import type { Account } from '../domain/account.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import { type Int64, parseExactJson } from '../domain/int64.ts';
import type { GroupUpload, InventoryReading, ShownOffer, StoredPrice } from '../domain/offers/part.ts';
import { accept, type Outcome, refuse } from '../domain/outcome.ts';
import { type ProblemCode, requestProblem } from '../domain/problem.ts';
import { excludedSkus } from '../domain/variation-group.ts';
import type { Lookup } from '../store/port/offers.ts';
import type { Context } from './context.ts';
import { refuseUnknown } from './unknown-or-archived-sku.ts';

export function readPrice(context: Context, account: Account, skuId: string): Awaitable<Outcome<StoredPrice>> {
  const found = context.store.offers.readPrice({ accountId: account.accountId, skuId });
  return whenThere(found, (price) => fromLookup(price, skuId, 'price_unset', 'has no price yet'));
}

export function readInventory(context: Context, account: Account, skuId: string): Awaitable<Outcome<InventoryReading>> {
  const found = context.store.offers.readInventory({ accountId: account.accountId, skuId });
  return whenThere(found, (inventory) => (inventory === undefined ? refuseUnknown(skuId) : accept(inventory)));
}

/** Returns the JSON text of the nodes with their exceptions. */
export async function readShippingException(
  context: Context,
  account: Account,
  skuId: string,
): Promise<Outcome<string>> {
  const found = await lookUp(context, account, skuId, ({ shippingExceptions }) => shippingExceptions);
  return fromLookup(found, skuId, 'shipping_exception_unset', 'has no shipping exceptions');
}

export async function readReturnsException(
  context: Context,
  account: Account,
  skuId: string,
): Promise<Outcome<readonly string[]>> {
  const found = await lookUp(context, account, skuId, ({ returnLocationIds }) => returnLocationIds);
  return fromLookup(found, skuId, 'returns_exception_unset', 'has no returns exception');
}

export interface VariationReading {
  readonly group: GroupUpload;
  /** Members that are excluded from the group because of their current data. */
  readonly excludedSkus: readonly string[];
}

export async function readVariation(
  context: Context,
  account: Account,
  skuId: string,
): Promise<Outcome<VariationReading>> {
  const found = await lookUp(context, account, skuId, ({ group }) => group);
  const read = fromLookup(found, skuId, 'variation_unset', 'is not the parent of a variation group');
  if (!read.ok) return read;
  const group = read.value;
  const refinements = parseExactJson(group.refinements) as Int64[];
  const members = await context.store.offers.readMembers(
    account.accountId,
    [skuId, ...group.childrenSkus],
    refinements,
  );
  return accept({ group, excludedSkus: excludedSkus(members) });
}

async function lookUp<T>(
  { store }: Context,
  { accountId }: Account,
  skuId: string,
  partOf: (offer: ShownOffer) => T | null,
): Promise<Lookup<T>> {
  const offer = await store.offers.readReviewedOffer({ accountId, skuId });
  return offer === undefined ? 'unknown' : (partOf(offer) ?? 'unset');
}

function fromLookup<T>(found: Lookup<T>, skuId: string, unset: ProblemCode, text: string): Outcome<T> {
  if (found === 'unknown') return refuseUnknown(skuId);
  if (found === 'unset') return refuse([requestProblem(unset, `SKU ${skuId} ${text}.`)]);
  return accept(found);
}
