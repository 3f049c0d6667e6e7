/**
 * Orders the offers of a product: the best one gets the order.
 *
 * 1. Only offers with the same multipack quantity are compared: two items cost more than one.
 * 2. An offer under policy 103 gets no order while another offer has a lower item price, so it comes after all others.
 * 3. The parts of the operator's order decide, one after the other: by default, the lowest total of item price and required shipping charge,
 *    then the larger stock, then the longer time on sale.
 * 4. At last, the lower key decides, so that the order is the same at every read.
 */
import { byCodePoint } from '../text/text-rules.ts';
import type { PricePolicy } from '../vocabulary/price-policies.ts';
import type { RankOrder, RankPart } from '../vocabulary/rank-parts.ts';
import type { PriceVisibility, RankReason, StorefrontOffer, StorefrontRank } from './product.ts';

export interface Rankable {
  readonly multipack_quantity: number;
  readonly price: number;
  readonly price_policy: PricePolicy;
  readonly price_visibility: PriceVisibility;
  readonly total: number;
  readonly quantity: number;
  readonly return_days: number;
  readonly sinceMs: number;
  /** Unique among the offers of a product. */
  readonly key: string;
}

interface Standing {
  readonly isAwarded: boolean;
  readonly offer: Rankable;
}

const COMPARE: Readonly<Record<RankPart, (a: Rankable, b: Rankable) => number>> = {
  total: (a, b) => a.total - b.total,
  price: (a, b) => a.price - b.price,
  stock: (a, b) => b.quantity - a.quantity,
  returns: (a, b) => b.return_days - a.return_days,
  time: (a, b) => a.sinceMs - b.sinceMs,
};

const WHY: Readonly<Record<RankReason, string>> = {
  only: 'The only offer',
  best: 'The best offer',
  policy_103: 'No orders under policy 103 while another offer has a lower item price',
  total: 'Costs more than the best offer',
  price: 'A higher item price than the best offer',
  stock: 'Less stock than the best offer, otherwise as good',
  returns: 'A shorter return window than the best offer, otherwise as good',
  time: 'On sale for less time than the best offer, otherwise as good',
  tie: 'As good as the best offer',
};

/** An offer as it is stored. */
interface StoredOffer {
  /** JSON text of a StorefrontOffer. */
  readonly shown: string;
  readonly sinceMs: number;
}

export interface RankedStored<Stored> {
  readonly stored: Stored;
  readonly offer: StorefrontOffer;
  readonly rank: StorefrontRank;
}

/** Returns stored offers of a product in order of multipack quantity and rank. */
export function rankStored<Stored extends StoredOffer>(
  offers: readonly Stored[],
  order: RankOrder,
): readonly RankedStored<Stored>[] {
  const rankable = offers.map((stored) => {
    const offer = JSON.parse(stored.shown) as StorefrontOffer;
    return { ...offer, stored, offer, sinceMs: stored.sinceMs, key: `${offer.merchant_id}:${offer.merchant_sku}` };
  });
  return rankOffers(rankable, order).map(({ offer: { stored, offer }, rank }) => ({ stored, offer, rank }));
}

/** Returns the offers in order of multipack quantity and rank. */
export function rankOffers<T extends Rankable>(
  offers: readonly T[],
  order: RankOrder,
): readonly { offer: T; rank: StorefrontRank }[] {
  const packs = [...Map.groupBy(offers, (offer) => offer.multipack_quantity)].sort(([a], [b]) => a - b);
  return packs.flatMap(([, pack]) => rankPack(pack, order));
}

function rankPack<T extends Rankable>(pack: readonly T[], order: RankOrder): { offer: T; rank: StorefrontRank }[] {
  const lowest = Math.min(...pack.map(({ price }) => price));
  const standings = pack.map((offer) => {
    return { offer, isAwarded: offer.price_policy !== '103' || offer.price <= lowest };
  });
  standings.sort((a, b) => decisive(a, b, order)[1]);
  const [best] = standings as [(typeof standings)[number]];
  return standings.map(({ offer, isAwarded }, index) => {
    const first = pack.length === 1 ? 'only' : 'best';
    const reason = index === 0 ? first : decisive(best, { offer, isAwarded }, order)[0];
    const isPublic = offer.price_visibility === 'public' && best.offer.price_visibility === 'public';
    const above = index === 0 || !isPublic ? null : amount(offer.total - best.offer.total);
    const why = reason === 'total' && above !== null ? `${amountText(above)} above the best offer` : WHY[reason];
    return { offer, rank: { rank: index + 1, rank_of: pack.length, rank_reason: reason, above_best: above, why } };
  });
}

function decisive(a: Standing, b: Standing, order: RankOrder): readonly [reason: RankReason, difference: number] {
  const awarded = Number(b.isAwarded) - Number(a.isAwarded);
  if (awarded !== 0) return ['policy_103', awarded];
  for (const part of order) {
    const difference = COMPARE[part](a.offer, b.offer);
    if (difference !== 0) return [part, difference];
  }
  return ['tie', byCodePoint(a.offer.key, b.offer.key)];
}

/** With at least two decimals. */
function amountText(value: number): string {
  return value === Number(value.toFixed(2)) ? value.toFixed(2) : value.toFixed(4).replace(/0$/, '');
}

/** Amounts may have any number of decimals. Rounds away the errors of binary fractions, so that equal totals compare as equal. */
export function amount(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
