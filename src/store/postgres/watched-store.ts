/** The part of the store for the list of offers and its counts. */

import type { OfferCounts, OfferListPage, OfferListRequest, OfferListStore } from '../port/offer-list.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import type { Authors } from './authors.ts';
import type { Database } from './engine.ts';
import { PostgresFileStore } from './file-store.ts';
import { PostgresOfferListReads, readGroupParent, readOfferCounts } from './offer-list.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';

export class PostgresWatchedStore extends PostgresFileStore implements OfferListStore {
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
}
