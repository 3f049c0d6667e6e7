/**
 * Use case: a merchant tries a write. It runs the checks of the write, decides on the stored offer as the store would, and
 * returns what the write would change and the verdict right after it. Nothing is stored.
 */
import type { Account } from '../domain/account.ts';
import type { Awaitable } from '../domain/awaitable.ts';
import type { SentBody } from '../domain/body-text.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import { reviewOffer, type Verdict } from '../domain/review/review-offer.ts';
import type { RowWrite } from '../store/port/files.ts';
import type { PartChange } from '../store/port/history.ts';
import type { NodeQuantity, OfferStore, SkuKey, StoredOffer, WriteOutcome } from '../store/port/offers.ts';
import { answerRefused, type RefusedWrite } from './checked-write.ts';
import type { Context } from './context.ts';
import { checkInventory } from './patch-inventory.ts';
import { checkArchive } from './put-archive.ts';
import { checkPrice } from './put-price.ts';
import { checkReturnsException } from './put-returns-exception.ts';
import { checkShippingException } from './put-shipping-exception.ts';
import { checkAnySku, checkShoeSku, checkSku } from './put-sku.ts';
import { checkVariation } from './put-variation.ts';
import { reviewKnowledge } from './review-knowledge.ts';
import { evidenceOf, factsOf, type StoredFacts } from './stored-facts.ts';
import { refuseState } from './unknown-or-archived-sku.ts';

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
) => Promise<Outcome<DryRun>>;

type Check = (
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
) => Awaitable<{ readonly ok: true; readonly value: RowWrite; readonly ignored: readonly string[] } | RefusedWrite>;

export const dryRunSku = dryRunOf(checkSku);
export const dryRunShoeSku = dryRunOf(checkShoeSku);
export const dryRunAnySku = dryRunOf(checkAnySku);
export const dryRunPrice = dryRunOf(checkPrice);
export const dryRunInventory = dryRunOf(checkInventory);
export const dryRunVariation = dryRunOf(checkVariation);
export const dryRunShippingException = dryRunOf(checkShippingException);
export const dryRunReturnsException = dryRunOf(checkReturnsException);
export const dryRunArchive = dryRunOf(checkArchive);

function dryRunOf(check: Check): DryRunOperation {
  return async (context, account, skuId, body) => {
    const { offers } = context.store;
    const key = { accountId: account.accountId, skuId };
    const checked = await check(context, account, skuId, body);
    if (!checked.ok) return answerRefused(offers, key, checked);
    const { value: write, ignored } = checked;
    const offer = await offers.readOffer(key);
    const outcome = outcomeOf(write, offer);
    if (outcome !== 'stored') return refuseState(outcome, skuId, ignored);
    const { changes, after } = await applied(offers, key, write, offer);
    const knowledge = reviewKnowledge(context.rules, account);
    const { status, subStatuses, checks } = reviewOffer(factsOf(after), knowledge, evidenceOf(after), context.names);
    const pending = checks.filter(({ state }) => state === 'pending').map((result) => result.check);
    return accept({ changes, status, subStatuses, pending }, ignored);
  };
}

/** The store's decision: an upload may add the SKU, and an archived SKU accepts only its archive flag. */
function outcomeOf({ kind }: RowWrite, offer: StoredOffer | undefined): WriteOutcome {
  if (offer === undefined) return kind === 'sku' ? 'stored' : 'unknown';
  return offer.archived && kind !== 'archive' ? 'archived' : 'stored';
}

interface Applied {
  readonly changes: readonly PartChange[];
  readonly after: StoredFacts;
}

const NEW_OFFER = { archived: false, priced: false, stockNodeIds: [], inGroup: false, evidence: null };

async function applied(
  offers: OfferStore,
  key: SkuKey,
  write: RowWrite,
  offer: StoredOffer | undefined,
): Promise<Applied> {
  if (write.kind === 'sku') {
    const { document } = write;
    const change = { part: 'sku', before: offer?.document ?? null, after: document } as const;
    return { changes: [change], after: { ...(offer ?? NEW_OFFER), document } };
  }
  if (offer === undefined) throw new Error('Only an upload may add a SKU.');
  switch (write.kind) {
    case 'price': {
      const stored = await offers.readPrice(key);
      const before = typeof stored === 'string' ? null : { price: stored.price, nodes: stored.nodes };
      const after = { price: write.price, nodes: write.nodes };
      return { changes: [{ part: 'price', before, after }], after: { ...offer, priced: true } };
    }
    case 'inventory': {
      const change = stockChange(await readQuantities(offers, key), write.quantities);
      const stockNodeIds = new Set([...offer.stockNodeIds, ...change.nodes.map(({ nodeId }) => nodeId)]);
      return { changes: [change], after: { ...offer, stockNodeIds: [...stockNodeIds].sort() } };
    }
    case 'archive': {
      const { archived } = write;
      if (archived === offer.archived) return { changes: [], after: offer };
      const stock = await readQuantities(offers, key);
      const zeroed = Array.from(stock.keys(), (nodeId) => ({ fulfillment_node_id: nodeId, quantity: 0 }));
      const change = { part: 'archive', before: offer.archived, after: archived } as const;
      return { changes: [change, stockChange(stock, zeroed)], after: { ...offer, archived } };
    }
    case 'group': {
      const change = { part: 'variation', before: offer.group, after: write.group } as const;
      return { changes: [change], after: { ...offer, inGroup: true } };
    }
    case 'shipping': {
      const change = {
        part: 'shipping_exceptions',
        before: offer.shippingExceptions,
        after: write.exceptions,
      } as const;
      return { changes: [change], after: offer };
    }
    case 'returns': {
      const change = { part: 'returns_exceptions', before: offer.returnLocationIds, after: write.locationIds } as const;
      return { changes: [change], after: offer };
    }
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
