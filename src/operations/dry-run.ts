/**
 * Use case: a merchant tries a write. It runs the checks of the write, decides on the stored offer as the store would, and
 * returns what the write would change and the verdict right after it. Nothing is stored.
 */
import type { Account } from '../domain/account.ts';
import type { Awaitable } from '../domain/awaitable.ts';
import type { SentBody } from '../domain/body-text.ts';
import type { PartChange } from '../domain/offers/history.ts';
import type { NodeQuantity, PartWrite } from '../domain/offers/part.ts';
import { outcomeFor, skuState } from '../domain/offers/write-state.ts';
import { type Accepted, accept, type Outcome, type Refused } from '../domain/outcome.ts';
import { isMet, type Precondition } from '../domain/precondition.ts';
import { reviewOffer, type Verdict } from '../domain/review/review-offer.ts';
import type { OfferStore, SkuKey, StoredOffer, TagScope } from '../store/port/offers.ts';
import { readTag } from '../store/port/part-tags.ts';
import { answerRefused, type RefusedWrite } from './check-order.ts';
import type { Context } from './context.ts';
import { checkInventory } from './patch-inventory.ts';
import { checkArchive } from './put-archive.ts';
import { answerRefusedOffer, checkOffer } from './put-offer.ts';
import { checkPrice } from './put-price.ts';
import { checkReturnsException } from './put-returns-exception.ts';
import { checkShippingException } from './put-shipping-exception.ts';
import { checkAnySku, checkShoeSku, checkSku } from './put-sku.ts';
import { checkVariation } from './put-variation.ts';
import { reviewKnowledge } from './review-knowledge.ts';
import { evidenceOf, factsOf } from './stored-facts.ts';
import { refusePrecondition, refuseState } from './unknown-or-archived-sku.ts';

export interface DryRun extends Verdict {
  /** The changes that the history of this SKU would record; some may have the same value before and after. */
  readonly changes: readonly PartChange[];
  /** Ids of checks that wait for background work, such as the download of an image. */
  readonly pending: readonly string[];
}

export type DryRunOperation = (
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  precondition?: Precondition,
) => Promise<Outcome<DryRun>>;

type Check = (
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
) => Awaitable<Accepted<PartWrite | readonly PartWrite[]> | RefusedWrite>;

export const dryRunSku = dryRunOf(checkSku);
export const dryRunShoeSku = dryRunOf(checkShoeSku);
export const dryRunAnySku = dryRunOf(checkAnySku);
export const dryRunPrice = dryRunOf(checkPrice);
export const dryRunInventory = dryRunOf(checkInventory);
export const dryRunVariation = dryRunOf(checkVariation);
export const dryRunShippingException = dryRunOf(checkShippingException);
export const dryRunReturnsException = dryRunOf(checkReturnsException);
export const dryRunArchive = dryRunOf(checkArchive);
export const dryRunOffer = dryRunOf(checkOffer, answerRefusedOffer, 'offer');

function dryRunOf(
  check: Check,
  refuseChecked: (
    offers: OfferStore,
    key: SkuKey,
    checked: RefusedWrite,
    body: SentBody,
  ) => Awaitable<Refused> = answerRefused,
  scope?: TagScope,
): DryRunOperation {
  return async (context, account, skuId, body, precondition) => {
    const { offers } = context.store;
    const key = { accountId: account.accountId, skuId };
    const checked = await check(context, account, skuId, body);
    if (!checked.ok) return refuseChecked(offers, key, checked, body);
    const { value, ignored } = checked;
    const writes = 'kind' in value ? [value] : value;
    const stored = await offers.readOffer(key);
    const first = writes[0] as PartWrite;
    const outcome = outcomeFor(first.kind, skuState(stored?.archived));
    if (outcome !== 'stored') return refuseState(outcome, skuId, ignored);
    if (precondition !== undefined) {
      const currentTag = await readTag(offers, key, first.kind, scope);
      if (!isMet(precondition, currentTag)) return refusePrecondition(skuId, currentTag, ignored);
    }
    const changes: PartChange[] = [];
    let after: TriedOffer = stored ?? NEW_OFFER;
    for (const write of writes) {
      changes.push(...(await changesOf(offers, key, write, stored)));
      after = applied(after, write);
    }
    const knowledge = reviewKnowledge(context.rules, account);
    const { status, subStatuses, checks } = reviewOffer(factsOf(after), knowledge, evidenceOf(after), context.names);
    const pending = checks.filter(({ state }) => state === 'pending').map((result) => result.check);
    return accept({ changes, status, subStatuses, pending }, ignored);
  };
}

type TriedOffer = Omit<StoredOffer, 'documentTag'>;

/** The document is empty here, because the upload that adds the SKU provides it. */
const NEW_OFFER: TriedOffer = {
  document: '{}',
  archived: false,
  priced: false,
  shippingExceptions: null,
  returnLocationIds: null,
  group: null,
  inGroup: false,
  stockNodeIds: [],
  evidence: null,
};

function applied(offer: TriedOffer, write: PartWrite): TriedOffer {
  switch (write.kind) {
    case 'sku':
      return { ...offer, document: write.document };
    case 'price':
      return { ...offer, priced: true };
    case 'inventory': {
      const sent = write.quantities.map(({ fulfillment_node_id }) => fulfillment_node_id);
      return { ...offer, stockNodeIds: [...new Set([...offer.stockNodeIds, ...sent])].sort() };
    }
    case 'archive':
      return { ...offer, archived: write.archived };
    case 'variation':
      return { ...offer, inGroup: true };
    case 'shipping_exception':
    case 'returns_exception':
      // The review does not depend on these parts.
      return offer;
  }
}

async function changesOf(
  offers: OfferStore,
  key: SkuKey,
  write: PartWrite,
  stored: Partial<StoredOffer> = {},
): Promise<readonly PartChange[]> {
  switch (write.kind) {
    case 'sku':
      return [{ part: 'sku', before: stored.document ?? null, after: write.document }];
    case 'price': {
      const found = await offers.readPrice(key);
      const before = typeof found === 'string' ? null : { price: found.price, nodes: found.nodes };
      return [{ part: 'price', before, after: { price: write.price, nodes: write.nodes } }];
    }
    case 'inventory':
      return [stockChange(await readQuantities(offers, key), write.quantities)];
    case 'archive': {
      const { archived: before = false } = stored;
      if (before === write.archived) return [];
      const stock = await readQuantities(offers, key);
      const zeroed = Array.from(stock.keys(), (nodeId) => ({ fulfillment_node_id: nodeId, quantity: 0 }));
      return [{ part: 'archive', before, after: write.archived }, stockChange(stock, zeroed)];
    }
    case 'variation':
      return [{ part: 'variation', before: stored.group ?? null, after: write.group }];
    case 'shipping_exception':
      return [{ part: 'shipping_exception', before: stored.shippingExceptions ?? null, after: write.exceptions }];
    case 'returns_exception':
      return [{ part: 'returns_exception', before: stored.returnLocationIds ?? null, after: write.locationIds }];
  }
}

async function readQuantities(offers: OfferStore, key: SkuKey): Promise<ReadonlyMap<string, number>> {
  const stored = await offers.readInventory(key);
  return new Map(stored?.nodes.map(({ fulfillment_node_id, quantity }) => [fulfillment_node_id, quantity]));
}

function stockChange(stock: ReadonlyMap<string, number>, quantities: readonly NodeQuantity[]) {
  const nodes = quantities.map(({ fulfillment_node_id: nodeId, quantity: after }) => {
    return { nodeId, before: stock.get(nodeId) ?? null, after };
  });
  return { part: 'inventory', nodes } as const;
}
