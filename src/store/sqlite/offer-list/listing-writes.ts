/**
 * In charge of what the list of offers finds an offer by: written with its verdict, where it differs from what is there,
 * and erased with it; and of the numbers of offers that move with it. Runs inside a transaction that is not its own.
 */
import { OfferCountChanges } from '../../shared/offer-count-changes.ts';
import { accountWord } from '../../shared/offer-list-walk.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';

/** As it is stored. */
interface ListingRow {
  readonly status: string;
  readonly subStatusBits: number;
  readonly categoryId: string | null;
  readonly titleKey: string;
  /** Each with a space in front of it, so that the beginning of one can be looked for. */
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

  /** At the beginning of a transaction: one that was undone may have left changes behind. */
  function begin(): void {
    changes = new OfferCountChanges();
  }

  /** Counted by `moveCounts`. */
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

  /** Counted by `moveCounts`. */
  function remove(accountId: number, sku: number): void {
    const old = listed(sku);
    if (old === undefined) return;
    deleteListing.run(sku);
    removeWords.run(sku, indexed(accountId, old.words));
    changes.unlisted(old);
  }

  /** Before the transaction ends, and for one account at a time. */
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

/** What the index of words is given. */
function indexed(accountId: number, words: string): string {
  return words.replaceAll(' ', ` ${accountWord(accountId, '')}`);
}
