/**
 * Writes the search and sort data of an offer together with its verdict, if it changed, and maintains the offer counts. Runs
 * inside a transaction of the caller.
 */
import { OfferCountChanges } from '../../shared/offer-count-changes.ts';
import { accountWord } from '../../shared/offer-list-walk.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';

interface ListingRow {
  readonly status: string;
  readonly subStatusBits: number;
  readonly categoryId: string | null;
  readonly titleKey: string;
  /** Each word has a leading space, so that prefixes can be searched. */
  readonly words: string;
}

type Columns = [status: string, subStatusBits: number, categoryId: string | null, titleKey: string, words: string];

export type ListingWrites = ReturnType<typeof listingWrites>;

export function listingWrites(connection: Connection) {
  let changes = new OfferCountChanges();
  const selectListing = query<Columns>(
    connection,
    'SELECT status, sub_statuses, category_id, title_key, words FROM offer_listing WHERE sku = ?',
  );
  const upsert = query(
    connection,
    `INSERT INTO offer_listing (sku, account_id, status, sub_statuses, category_id, title_key, words)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET status = excluded.status,
       sub_statuses = excluded.sub_statuses, category_id = excluded.category_id, title_key = excluded.title_key,
       words = excluded.words`,
  );
  const deleteListing = query(connection, 'DELETE FROM offer_listing WHERE sku = ?');
  const addWords = query(connection, 'INSERT INTO offer_words (rowid, words) VALUES (?, ?)');
  const removeWords = query(connection, `INSERT INTO offer_words (offer_words, rowid, words) VALUES ('delete', ?, ?)`);
  const addCount = query(
    connection,
    `INSERT INTO offer_count (account_id, kind, value, offers) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET offers = offers + excluded.offers`,
  );

  /** Call this when a transaction begins: a rolled back one may have left changes. */
  function begin(): void {
    changes = new OfferCountChanges();
  }

  function put(accountId: number, sku: number, row: ListingRow): void {
    const { status, subStatusBits, categoryId, titleKey, words } = row;
    const old = listed(sku);
    if (old !== undefined && isSame(old, row)) return;
    upsert.run(sku, accountId, status, subStatusBits, categoryId, titleKey, words);
    if (old !== undefined) changes.unlisted(old);
    changes.listed(row);
    if (old?.words === words) return;
    if (old !== undefined) removeWords.run(sku, indexed(accountId, old.words));
    addWords.run(sku, indexed(accountId, words));
  }

  function remove(accountId: number, sku: number): void {
    const old = listed(sku);
    if (old === undefined) return;
    deleteListing.run(sku);
    removeWords.run(sku, indexed(accountId, old.words));
    changes.unlisted(old);
  }

  /** Call this before the transaction ends, for one account at a time. */
  function moveCounts(accountId: number): void {
    for (const [kind, value, by] of changes.list()) addCount.run(accountId, kind, value, by);
    begin();
  }

  function listed(sku: number): ListingRow | undefined {
    const row = selectListing.get(sku);
    if (row === undefined) return undefined;
    const [status, subStatusBits, categoryId, titleKey, words] = row;
    return { status, subStatusBits, categoryId, titleKey, words };
  }

  return { begin, put, remove, moveCounts };
}

function isSame(one: ListingRow, other: ListingRow): boolean {
  return (
    one.status === other.status &&
    one.subStatusBits === other.subStatusBits &&
    one.categoryId === other.categoryId &&
    one.titleKey === other.titleKey &&
    one.words === other.words
  );
}

/** Prefixes every word with the account for the index. */
function indexed(accountId: number, words: string): string {
  return words.replaceAll(' ', ` ${accountWord(accountId, '')}`);
}
