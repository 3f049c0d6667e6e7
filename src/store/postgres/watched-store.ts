/**
 * In charge of the part of the store that people look at in the portal: the list of offers and its counts, and the counts of
 * requests.
 */

import type { AccountMinute, KeyUse, MinuteCounts, RequestCountStore } from '../port/traffic.ts';
import type { Authors } from './authors.ts';
import type { Database } from './engine.ts';
import { PostgresFileStore } from './file-store.ts';
import { addRequestCounts, dropRequestCounts, noteKeyUses, readMinute, readRequestCounts } from './request-counts.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';

export class PostgresWatchedStore extends PostgresFileStore implements RequestCountStore {
  readonly #database: Database;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    super(database, announcer, authors);
    this.#database = database;
  }

  addRequestCounts(counts: readonly AccountMinute[]): Promise<void> {
    return addRequestCounts(this.#database, counts);
  }

  readRequestCounts(accountId: number, fromMinute: number): Promise<readonly MinuteCounts[]> {
    return readRequestCounts(this.#database, accountId, fromMinute);
  }

  readMinute(minute: number): Promise<readonly AccountMinute[]> {
    return readMinute(this.#database, minute);
  }

  dropRequestCounts(beforeMinute: number): Promise<boolean> {
    return dropRequestCounts(this.#database, beforeMinute);
  }

  noteKeyUses(uses: readonly KeyUse[]): Promise<void> {
    return noteKeyUses(this.#database, uses);
  }
}
