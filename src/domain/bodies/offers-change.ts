/** Describes one change to many offers, as the portal's offer list sends it. */
import { List, OneOf, Text, Whole } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

/** Bounds of `amount` by change. */
const AMOUNTS: Readonly<Record<string, { readonly min: number; readonly max: number }>> = Object.freeze({
  set_price: { min: LIMITS.amount_min, max: LIMITS.amount_max },
  add_to_price: { min: -LIMITS.amount_max, max: LIMITS.amount_max },
  add_percent_to_price: { min: LIMITS.price_percent_min, max: LIMITS.price_percent_max },
});

export const OffersChangeBody = Type.Object({
  change: OneOf(['set_price', 'add_to_price', 'add_percent_to_price', 'set_stock', 'archive', 'unarchive'] as const),
  skus: Type.Optional(
    List(Text(LIMITS.sku_id_characters_max, { min: 1 }), LIMITS.offers_per_change_max, {
      min: 1,
      description: 'SKU ids of the offers to change. If absent, all offers that match the query are changed.',
    }),
  ),
  amount: Type.Optional(Type.Number({ description: 'For prices: the new price, or the amount or percentage to add.' })),
  fulfillment_node_id: Type.Optional(
    Text(LIMITS.text_characters_max, { description: 'For stock: the id of the fulfillment node.' }),
  ),
  quantity: Type.Optional(Whole(0, LIMITS.count_max, { description: 'For stock: the new quantity at the node.' })),
  restore_stock: Type.Optional(
    Type.Boolean({ description: 'For unarchive: a second file restores the stock from before archiving.' }),
  ),
});

export type OffersChange = Static<typeof OffersChangeBody>;

export function createOffersChangeCheck(names: Names): BodyCheck<OffersChange> {
  return createBodyCheck(OffersChangeBody, names, ({ change, amount }, sent, report) => {
    const bounds = AMOUNTS[change ?? ''];
    if (bounds !== undefined) {
      const { min, max } = bounds;
      if (sent.amount === undefined || sent.amount === null) report.add('required', 'is required', 'amount');
      if (amount !== undefined && amount < min) report.add('too_small', `must be at least ${min}`, 'amount');
      if (amount !== undefined && amount > max) report.add('too_large', `must be at most ${max}`, 'amount');
    }
    if (change !== 'set_stock') return;
    for (const field of ['fulfillment_node_id', 'quantity']) {
      if (sent[field] === undefined || sent[field] === null) report.add('required', 'is required', field);
    }
  });
}
