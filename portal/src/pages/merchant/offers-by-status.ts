/** Counts offers like their badges: with and without stock, and unreviewed offers as in review. */
import { STATUSES } from '#domain/vocabulary/statuses.ts';
import type { OfferFilters } from '../../api/offer-filters.ts';
import type { Overview } from '../../api/overview.ts';
import { countText } from '../../ui/numbers.ts';
import { OUT_OF_STOCK, offerColor, offerMeaning, type StatusContext, statusName } from '../../ui/status-badge.tsx';

export interface StatusRow {
  readonly name: string;
  readonly color: string;
  readonly count: number;
  readonly text: string;
  readonly filters: OfferFilters;
}

export function offersByStatus(offers: Overview['offers'], context: StatusContext): readonly StatusRow[] {
  return offers.by_status.flatMap(({ status, offers: count }): StatusRow[] => {
    const name = statusName(status, context);
    const color = offerColor(status, context);
    if (offerMeaning(status) === 'waiting') {
      return [{ name, color, count: offers.in_review, text: countText(offers.in_review), filters: { status } }];
    }
    if (status !== STATUSES.available) return [{ name, color, count, text: countText(count), filters: { status } }];
    const { for_sale: inStock, out_of_stock: out } = offers;
    return [
      { name, color, count: inStock, text: estimateText(offers, inStock), filters: { status, stock: 'in' } },
      {
        name: OUT_OF_STOCK,
        color: 'gray',
        count: out,
        text: estimateText(offers, out),
        filters: { status, stock: 'out' },
      },
    ];
  });
}

export function estimateText({ stock_is_estimated: isEstimated }: Overview['offers'], count: number): string {
  return `${isEstimated ? 'About ' : ''}${countText(count)}`;
}
