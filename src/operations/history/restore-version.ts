/** Use case: a merchant sets a part of an offer back to its value before a change in the history. */
import type { Account } from '../../domain/account.ts';
import type { Author } from '../../domain/author.ts';
import { RELATIONSHIP } from '../../domain/bodies/variation.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { parseExactJson } from '../../domain/int64.ts';
import type { PartBefore } from '../../domain/offers/history.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import type { Precondition, WriteConditions } from '../../domain/precondition.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import type { Context } from '../context.ts';
import {
  type DryRun,
  type DryRunOperation,
  dryRunAnySku,
  dryRunArchive,
  dryRunInventory,
  dryRunPrice,
  dryRunReturnsException,
  dryRunShippingException,
  dryRunVariation,
} from '../dry-run.ts';
import { patchInventory } from '../patch-inventory.ts';
import { putArchive } from '../put-archive.ts';
import { putPrice } from '../put-price.ts';
import { putReturnsException } from '../put-returns-exception.ts';
import { putShippingException } from '../put-shipping-exception.ts';
import { putAnySku } from '../put-sku.ts';
import { putVariation } from '../put-variation.ts';
import type { NewTag } from '../unknown-or-archived-sku.ts';
import type { WriteOperation } from '../write-part.ts';
import { type HistoryContext, readHistory } from './read-history.ts';

interface PartOperations {
  readonly write: WriteOperation;
  readonly dryRun: DryRunOperation;
}

const PARTS: Readonly<Record<OfferPart, PartOperations>> = {
  sku: { write: putAnySku, dryRun: dryRunAnySku },
  price: { write: putPrice, dryRun: dryRunPrice },
  inventory: { write: patchInventory, dryRun: dryRunInventory },
  archive: { write: putArchive, dryRun: dryRunArchive },
  variation: { write: putVariation, dryRun: dryRunVariation },
  shipping_exception: { write: putShippingException, dryRun: dryRunShippingException },
  returns_exception: { write: putReturnsException, dryRun: dryRunReturnsException },
};

/** Writes the old value like any other write: the current rules apply, and the history records it as a new change. */
export async function restoreVersion(
  context: Context,
  history: HistoryContext,
  account: Account,
  skuId: string,
  changeId: number,
  by: Author,
  conditions?: WriteConditions,
): Promise<Outcome<NewTag>> {
  const version = await readVersion(history, account, skuId, changeId);
  if (!version.ok) return version;
  const { part, body } = version.value;
  return PARTS[part].write(context, account, skuId, body, by, conditions);
}

export async function dryRunRestore(
  context: Context,
  history: HistoryContext,
  account: Account,
  skuId: string,
  changeId: number,
  precondition?: Precondition,
): Promise<Outcome<DryRun>> {
  const version = await readVersion(history, account, skuId, changeId);
  if (!version.ok) return version;
  const { part, body } = version.value;
  return PARTS[part].dryRun(context, account, skuId, body, precondition);
}

interface Version {
  readonly part: OfferPart;
  /** The value before the change, as the body of a call. */
  readonly body: SentBody;
}

async function readVersion(
  history: HistoryContext,
  account: Account,
  skuId: string,
  changeId: number,
): Promise<Outcome<Version>> {
  const page = await readHistory(history, account, skuId, { after: changeId + 1, limit: 1 });
  if (!page.ok) return page;
  const change = page.value.changes[0];
  if (change?.id !== changeId) {
    const text = `SKU ${skuId} has no change ${changeId}, or the history of that change has expired.`;
    return refuse([requestProblem('change_unknown', text)]);
  }
  const value = bodyBefore(change);
  if (value === undefined) {
    const text = 'There is no earlier version to restore: this change created the value.';
    return refuse([requestProblem('version_empty', text)]);
  }
  return accept({ part: change.part, body: { value, problems: [] } });
}

/** Returns the value before the change as the body of a call; undefined if no call can write it. */
export function bodyBefore(change: PartBefore): object | undefined {
  switch (change.part) {
    case 'sku':
      return change.before === null ? undefined : (parseExactJson(change.before) as object);
    case 'price':
      return change.before === null
        ? undefined
        : { price: change.before.price, fulfillment_nodes: change.before.nodes };
    case 'inventory': {
      const known = change.nodes.filter(({ before }) => before !== null);
      const nodes = known.map(({ nodeId, before }) => ({ fulfillment_node_id: nodeId, quantity: before }));
      return nodes.length === 0 ? undefined : { fulfillment_nodes: nodes };
    }
    case 'archive':
      return { is_archived: change.before };
    case 'variation':
      return change.before === null
        ? undefined
        : {
            relationship: RELATIONSHIP,
            variation_refinements: parseExactJson(change.before.refinements),
            children_skus: change.before.childrenSkus,
            group_title: change.before.title,
          };
    case 'shipping_exception':
      return { fulfillment_nodes: change.before === null ? [] : parseExactJson(change.before) };
    case 'returns_exception':
      return { return_location_ids: change.before ?? [] };
  }
}
