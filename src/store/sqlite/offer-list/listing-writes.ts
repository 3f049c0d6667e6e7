/**
 * Writes the search and sort data of an offer together with its verdict, if it changed, and maintains the offer counts. Runs
 * inside a transaction of the caller.
 */
import type { OfferCountChanges } from '../../../domain/offers/verdict-counts.ts';
import { accountWord } from '../../shared/offer-list/offer-list-walk.ts';
import type { Connection } from '../engine/connection.ts';

/** `words`: each with a leading space, so that prefixes can be searched. */
export type ListingColumns = readonly [
  status: string,
  subStatusBits: number,
  categoryId: string | null,
  titleKey: string,
  words: string,
];

export function listingWrites(connection: Connection) {
  const selectListing = connection.query<ListingColumns>(`
    SELECT status, sub_statuses, category_id, title_key, words FROM offer_listing WHERE sku = ?`);
  const upsert = connection.query(`
    INSERT INTO offer_listing (sku, account_id, status, sub_statuses, category_id, title_key, words)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status,
      sub_statuses = excluded.sub_statuses, category_id = excluded.category_id, title_key = excluded.title_key,
      words = excluded.words`);
  const addWords = connection.query('INSERT INTO offer_words (rowid, words) VALUES (?, ?)');
  const removeWords = connection.query(`INSERT INTO offer_words (offer_words, rowid, words) VALUES ('delete', ?, ?)`);

  /** Returns the previous verdict. */
  return (accountId: number, sku: number, row: ListingColumns, counts: OfferCountChanges) => {
    const old = selectListing.get(sku);
    const before = old && countedOf(old);
    if (old?.every((value, column) => value === row[column])) return before;
    upsert.run(sku, accountId, ...row);
    counts.count(countedOf(row), 1);
    if (before !== undefined) counts.count(before, -1);
    if (old?.[4] === row[4]) return before;
    if (old !== undefined) removeWords.run(sku, indexed(accountId, old[4]));
    addWords.run(sku, indexed(accountId, row[4]));
    return before;
  };
}

function countedOf([status, subStatusBits]: ListingColumns) {
  return { status, subStatusBits };
}

/** Prefixes every word with the account for the index. */
function indexed(accountId: number, words: string): string {
  return words.replaceAll(' ', ` ${accountWord(accountId, '')}`);
}
