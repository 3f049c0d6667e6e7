/**
 * Writes listings, by which the offer list finds offers, together with the review, and maintains the offer counts. The offers are already
 * locked, so a listing cannot change between its read and its write.
 */
import { StatusChanges } from '../../../domain/events.ts';
import { issueBits, OfferCountChanges } from '../../../domain/offers/verdict-counts.ts';
import type { OfferReview } from '../../port/review.ts';
import { countValues, MOVE_COUNTS } from '../../shared/offer-list/offer-counts.ts';
import { accountWord } from '../../shared/offer-list/offer-list-walk.ts';
import { listsOf, statement } from '../../shared/sql.ts';
import type { Command, Rows } from '../engine/connection.ts';
import { drawnNumber } from '../engine/write-numbers.ts';
import { addEvents } from '../history/event-commands.ts';

type OldListing = readonly [skuId: string, status: string, bits: number, categoryId: string | null, isSame: boolean];

/**
 * LATERAL and LIMIT look up each listing separately. A join planned while the table was empty would read all listings of the
 * account for each of them, which took 2 seconds for 200 reviews and a few thousand listings.
 */
const OLD = statement<OldListing>('read old listings')`
  SELECT i.sku_id, old.status, old.sub_statuses, old.category_id,
    old.status = i.status AND old.sub_statuses = i.sub_statuses
      AND old.category_id IS NOT DISTINCT FROM i.category_id AND old.title_key = i.title_key AND old.words = i.words
  FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::tsvector[])
    AS i (sku_id, status, sub_statuses, category_id, title_key, words)
  CROSS JOIN LATERAL (
    SELECT l.status, l.sub_statuses, l.category_id, l.title_key, l.words FROM offer_listing l
    WHERE l.account_id = $1 AND l.sku_id = i.sku_id LIMIT 1) AS old`;
const UPSERT = statement<[]>('write listings')`
  INSERT INTO offer_listing (account_id, sku_id, upload_order, status, sub_statuses, category_id, title_key, words)
  SELECT $1::bigint, i.sku_id, i.upload_order, i.status, i.sub_statuses, i.category_id, i.title_key, i.words
  FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::tsvector[], $8::bigint[])
    AS i (sku_id, status, sub_statuses, category_id, title_key, words, upload_order)
  ON CONFLICT (account_id, sku_id) DO UPDATE SET status = excluded.status, sub_statuses = excluded.sub_statuses,
    category_id = excluded.category_id, title_key = excluded.title_key, words = excluded.words`;

/** Runs after the command that stores the reviews, which locks the offers. */
export function oldListingsCommand(accountId: number, reviews: readonly OfferReview[]): Command {
  return { statement: OLD, values: [accountId, ...listingColumns(accountId, reviews)] };
}

/**
 * Writes the listings that changed, the counts, and the events of reviews that changed a status, issues or a category. `stored` has the upload
 * order of each offer whose review was stored, `old` the result of the command above, `drawn` the number of the events.
 */
export function listingCommands(
  accountId: number,
  reviews: readonly OfferReview[],
  [stored = [], old = [], drawn = []]: readonly Rows[],
  nowMs: number,
): readonly Command[] {
  const orders = new Map(stored as readonly (readonly [skuId: string, uploadOrder: number])[]);
  const listings = new Map((old as readonly OldListing[]).map(([skuId, ...listing]) => [skuId, listing]));
  const counts = new OfferCountChanges();
  const events = new StatusChanges();
  const changed = reviews.filter((review) => {
    const order = orders.get(review.skuId);
    if (order === undefined) return false;
    const [status, bits = 0, categoryId = null, isSame = false] = listings.get(review.skuId) ?? [];
    const before = status === undefined ? undefined : { status, subStatusBits: bits, categoryId };
    const after = { status: review.status, subStatusBits: issueBits(review), categoryId: review.listing.categoryId };
    events.add(order, before, after);
    if (isSame) return false;
    if (before !== undefined) counts.count(before, -1);
    counts.count(after, 1);
    return true;
  });
  const columns = () => [...listingColumns(accountId, changed), changed.map(({ skuId }) => orders.get(skuId))];
  const moved = counts.list();
  const batches = events.batches(nowMs);
  return [
    ...(changed.length === 0 ? [] : [{ statement: UPSERT, values: [accountId, ...columns()] }]),
    ...(moved.length === 0 ? [] : [{ statement: MOVE_COUNTS, values: countValues(accountId, moved) }]),
    ...(batches.length === 0 ? [] : [addEvents(accountId, drawnNumber(drawn), batches)]),
  ];
}

function listingColumns(accountId: number, reviews: readonly OfferReview[]): unknown[] {
  const listings = reviews.map((review) => ({
    ...review,
    ...review.listing,
    bits: issueBits(review),
    words: review.listing.words.map((word) => accountWord(accountId, word)).join(' '),
  }));
  return listsOf(listings, 'skuId', 'status', 'bits', 'categoryId', 'titleKey', 'words');
}
