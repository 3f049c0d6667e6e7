/**
 * In charge of what the list of offers finds an offer by: written with its verdict, where it differs from what is there,
 * and erased with it; and of the numbers of offers that move with it. Whoever writes here has the rows of the offers locked
 * by then, so that what is read of a listing stays until it is written.
 */

import type { OfferReview } from '../../port/review.ts';
import { OfferCountChanges } from '../../shared/offer-count-changes.ts';
import { accountWord } from '../../shared/offer-list-walk.ts';
import { subStatusBits } from '../../shared/sub-status-bits.ts';
import type { Command, Rows } from '../engine/connection.ts';
import { type Connection, statement } from '../engine/engine.ts';

type OldListing = readonly [skuId: string, status: string, subStatusBits: number, isSame: boolean];

/**
 * One by one, by LATERAL and LIMIT: a plan for a join, made while the table was empty, read all listings of the account for
 * each of these, 2 seconds for 200 once there were some thousand.
 */
const OLD = statement<OldListing>(
  'read old listings',
  `SELECT i.sku_id, old.status, old.sub_statuses,
     old.status = i.status AND old.sub_statuses = i.sub_statuses
       AND old.category_id IS NOT DISTINCT FROM i.category_id AND old.title_key = i.title_key AND old.words = i.words
   FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::tsvector[])
     AS i (sku_id, status, sub_statuses, category_id, title_key, words)
   CROSS JOIN LATERAL (
     SELECT l.status, l.sub_statuses, l.category_id, l.title_key, l.words FROM offer_listing l
     WHERE l.account_id = $1 AND l.sku_id = i.sku_id LIMIT 1) AS old`,
);
const UPSERT = statement<[]>(
  'write listings',
  `INSERT INTO offer_listing (account_id, sku_id, upload_order, status, sub_statuses, category_id, title_key, words)
   SELECT $1::bigint, i.sku_id, i.upload_order, i.status, i.sub_statuses, i.category_id, i.title_key, i.words
   FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::tsvector[], $8::bigint[])
     AS i (sku_id, status, sub_statuses, category_id, title_key, words, upload_order)
   ON CONFLICT (account_id, sku_id) DO UPDATE SET status = excluded.status, sub_statuses = excluded.sub_statuses,
     category_id = excluded.category_id, title_key = excluded.title_key, words = excluded.words`,
);
const ERASE = statement<[status: string, subStatusBits: number]>(
  'erase listings',
  `DELETE FROM offer_listing USING unnest($2::text[]) AS i (sku_id)
   WHERE offer_listing.account_id = $1 AND offer_listing.sku_id = i.sku_id
   RETURNING offer_listing.status, offer_listing.sub_statuses`,
);
const COUNT = statement<[]>(
  'move offer counts',
  `INSERT INTO offer_count (account_id, kind, value, offers)
   SELECT $1::bigint, i.kind, i.value, i.offers
   FROM unnest($2::text[], $3::text[], $4::bigint[]) AS i (kind, value, offers)
   ON CONFLICT (account_id, kind, value) DO UPDATE SET offers = offer_count.offers + excluded.offers`,
);

/** Behind the command that stores the reviews, which locks the rows of the offers. */
export function oldListingsCommand(accountId: number, reviews: readonly OfferReview[]): Command {
  return { statement: OLD, values: [accountId, ...listingColumns(accountId, reviews)] };
}

/** `stored` is what came of the reviews, with the order of upload of each offer; `old` what the command above gave. */
export function listingCommands(
  accountId: number,
  reviews: readonly OfferReview[],
  stored: Rows,
  old: Rows,
): readonly Command[] {
  const orders = new Map(stored as readonly (readonly [skuId: string, uploadOrder: number])[]);
  const before = new Map((old as readonly OldListing[]).map((row) => [row[0], row]));
  const changed = reviews.filter(({ skuId }) => orders.has(skuId) && before.get(skuId)?.[3] !== true);
  if (changed.length === 0) return [];
  const counts = new OfferCountChanges();
  for (const { skuId, status, subStatuses } of changed) {
    const was = before.get(skuId);
    if (was !== undefined) counts.unlisted({ status: was[1], subStatusBits: was[2] });
    counts.listed({ status, subStatusBits: subStatusBits(subStatuses) });
  }
  const columns = [...listingColumns(accountId, changed), changed.map(({ skuId }) => orders.get(skuId))];
  return [{ statement: UPSERT, values: [accountId, ...columns] }, ...countCommands(accountId, counts)];
}

/** Of offers whose rows the transaction has erased. */
export async function eraseListings(
  connection: Connection,
  accountId: number,
  skuIds: readonly string[],
): Promise<void> {
  if (skuIds.length === 0) return;
  const counts = new OfferCountChanges();
  for (const [status, bits] of await connection.run(ERASE, [accountId, skuIds])) {
    counts.unlisted({ status, subStatusBits: bits });
  }
  for (const { statement, values } of countCommands(accountId, counts)) await connection.run(statement, values);
}

function countCommands(accountId: number, counts: OfferCountChanges): Command[] {
  const changes = counts.list();
  if (changes.length === 0) return [];
  const values = [0, 1, 2].map((column) => changes.map((change) => change[column as 0 | 1 | 2]));
  return [{ statement: COUNT, values: [accountId, ...values] }];
}

function listingColumns(accountId: number, reviews: readonly OfferReview[]): unknown[] {
  return [
    reviews.map(({ skuId }) => skuId),
    reviews.map(({ status }) => status),
    reviews.map(({ subStatuses }) => subStatusBits(subStatuses)),
    reviews.map(({ listing }) => listing.categoryId),
    reviews.map(({ listing }) => listing.titleKey),
    reviews.map(({ listing }) => listing.words.map((word) => accountWord(accountId, word)).join(' ')),
  ];
}
