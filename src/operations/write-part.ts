/** Runs the steps that all changes to one part of a SKU share: check the body, write it, respond. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { SentBody } from '../domain/body-text.ts';
import type { PartWrite } from '../domain/offers/parts.ts';
import type { Outcome } from '../domain/outcome.ts';
import { hasPrecondition, type WriteConditions } from '../domain/precondition.ts';
import type { OfferNumbers, PartsOutcome, TagScope, WriteKey } from '../store/port/offers.ts';
import { answerRefused, type CheckContext, type CheckedWrite } from './check-order.ts';
import type { Context } from './context.ts';
import { fromWrite, type NewTag } from './unknown-or-archived-sku.ts';

export type WriteOperation = (
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
  conditions?: WriteConditions,
) => Promise<Outcome<NewTag>>;

type Check<Kind extends PartWrite['kind']> = (
  context: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
) => CheckedWrite<Kind>;

/** `isReviewed` is true if the review depends on this part. */
export function writeChecked<Kind extends PartWrite['kind']>(
  check: Check<Kind>,
  { isReviewed }: { readonly isReviewed: boolean },
): WriteOperation {
  return async (context, account, skuId, body, by, conditions) => {
    const key = { accountId: account.accountId, skuId, by };
    const checked = check(context, account, skuId, body);
    if (!checked.ok) return answerRefused(context.store.offers, key, checked);
    const written = await writeParts(context, key, [checked.value], conditions);
    if (isReviewed) context.onOfferWritten();
    return fromWrite(written, checked.value, checked.ignored);
  };
}

/**
 * Writes the parts. If the request is a retry, parts that were written since its first run count as stored. Its precondition then decides
 * only if the first run wrote nothing: otherwise it would fail because of the request's own write.
 */
export async function writeParts(
  { store: { offers }, nowMs }: Context,
  key: WriteKey,
  parts: readonly PartWrite[],
  conditions?: WriteConditions,
  scope?: TagScope,
): Promise<PartsOutcome> {
  if (conditions?.late === undefined || !hasPrecondition(conditions)) {
    return offers.write(key, parts, nowMs(), conditions, scope);
  }
  const { late, ...precondition } = conditions;
  const numbers = await offers.readNumbers(key);
  const areStored = numbers && parts.flatMap((part) => numbersOf(part, numbers)).every((stored) => stored >= late);
  return areStored ? 'stored' : offers.write(key, parts, nowMs(), precondition, scope);
}

/** Returns the sequence numbers of the last writes to this part; for inventory, one for each node that the write names. */
function numbersOf(part: PartWrite, numbers: OfferNumbers): readonly number[] {
  switch (part.kind) {
    case 'sku':
      return [numbers.sku];
    case 'price':
      return [numbers.price];
    case 'inventory':
      return part.quantities.map(({ fulfillment_node_id: id }) => numbers.nodes.get(id) ?? numbers.inventory);
    case 'shipping_exception':
      return [numbers.shipping_exception];
    case 'returns_exception':
      return [numbers.returns_exception];
    case 'archive':
      return [numbers.archive];
    case 'variation':
      return [numbers.variation];
  }
}
