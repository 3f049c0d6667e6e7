/**
 * Writes the search and sort data of an offer together with its verdict, if it changed, and maintains the offer counts. Runs
 * inside a transaction of the caller.
 */
import type { OfferCountChanges } from '../../../domain/offers/verdict-counts.ts';
import type { Connection } from '../engine/connection.ts';
import type { wordIndex } from './word-index.ts';

/** `words`: each with a leading space, so that prefixes can be searched. */
export type ListingColumns = readonly [
  status: string,
  subStatusBits: number,
  categoryId: string | null,
  titleKey: string,
  words: string,
];

export function listingWrites(
  connection: Connection,
  { queueWords }: Pick<ReturnType<typeof wordIndex>, 'queueWords'>,
) {
  const selectListing = connection.query<ListingColumns>(`
    SELECT status, sub_statuses, category_id, title_key, words FROM offer_listing WHERE sku = ?`);
  const insert = connection.query(`
    INSERT INTO offer_listing (sku, account_id, status, sub_statuses, category_id, title_key, words)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  // Two statements: an update writes every index that has one of its columns or names it in a condition.
  const updateVerdict = connection.query(`
    UPDATE offer_listing SET status = ?2, sub_statuses = ?3, category_id = ?4 WHERE sku = ?1`);
  const updateText = connection.query('UPDATE offer_listing SET title_key = ?2, words = ?3 WHERE sku = ?1');

  /** Returns the previous verdict and category. */
  return (accountId: number, sku: number, row: ListingColumns, counts: OfferCountChanges) => {
    const [status, subStatusBits, categoryId, titleKey, words] = row;
    const old = selectListing.get(sku);
    const before = old && countedOf(old);
    const differs = (column: number) => old?.[column] !== row[column];
    if (old === undefined) insert.run(sku, accountId, ...row);
    else {
      if ([0, 1, 2].some(differs)) updateVerdict.run(sku, status, subStatusBits, categoryId);
      if (differs(3) || differs(4)) updateText.run(sku, titleKey, words);
    }
    if (differs(0) || differs(1)) {
      counts.count(countedOf(row), 1);
      if (before !== undefined) counts.count(before, -1);
    }
    if ((old?.[4] ?? '') !== words) queueWords(accountId, sku, old?.[4] ?? '', words);
    return before && { ...before, categoryId: old[2] };
  };
}

function countedOf([status, subStatusBits]: ListingColumns) {
  return { status, subStatusBits };
}
