/**
 * In charge of the part of the store that people look at in the portal: the list of offers and its counts, and the counts of
 * requests.
 */

import type { OfferCounts, OfferListPage, OfferListRequest, OfferListStore } from '../port/offer-list.ts';
import type { AccountMinute, KeyUse, MinuteCounts, RequestCountStore } from '../port/traffic.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import type { Authors } from './authors.ts';
import type { Database } from './engine.ts';
import { PostgresFileStore } from './file-store.ts';
import { PostgresOfferListReads, readGroupParent, readOfferCounts } from './offer-list.ts';
import { addRequestCounts, dropRequestCounts, noteKeyUses, readMinute, readRequestCounts } from './request-counts.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';

export class PostgresWatchedStore extends PostgresFileStore implements OfferListStore, RequestCountStore {
  readonly #database: Database;
  readonly #list: OfferList;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    super(database, announcer, authors);
    this.#database = database;
    this.#list = new OfferList(new PostgresOfferListReads(database));
  }

  listOffers(accountId: number, request: OfferListRequest): Promise<OfferListPage> {
    return this.#list.list(accountId, request);
  }

  readOfferCounts(accountId: number): Promise<OfferCounts> {
    return readOfferCounts(this.#database, accountId);
  }

  readGroupParent(accountId: number, skuId: string): Promise<string | null | undefined> {
    return readGroupParent(this.#database, accountId, skuId);
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
