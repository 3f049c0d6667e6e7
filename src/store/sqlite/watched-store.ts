/**
 * The part of the store for the list of offers and its counts. Reads are of the reader thread, in several steps for a page,
 * so that others have their turn in between.
 */

import type { OfferCounts, OfferListPage, OfferListRequest, OfferListStore } from '../port/offer-list.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import type { Connection } from './engine.ts';
import { SqliteFileStore } from './file-store.ts';
import type { ReaderService } from './reader-service.ts';
import type { ThreadClient } from './thread-client.ts';
import type { WriterService } from './writer-service.ts';

export class SqliteWatchedStore extends SqliteFileStore implements OfferListStore {
  readonly #list: OfferList;

  constructor(writing: Connection, writer: ThreadClient<WriterService>, scanner: ThreadClient<ReaderService>) {
    super(writing, writer, scanner);
    this.#list = new OfferList({
      walk: (...args) => scanner.call('walkOffers', args, 0),
      gather: (...args) => scanner.call('gatherOffers', args, 0),
      readListed: (...args) => scanner.call('readListed', args, 0),
    });
  }

  listOffers(accountId: number, request: OfferListRequest): Promise<OfferListPage> {
    return this.#list.list(accountId, request);
  }

  readOfferCounts(accountId: number): Promise<OfferCounts> {
    return this.scanner.call('readOfferCounts', [accountId], 0);
  }

  readGroupParent(accountId: number, skuId: string): Promise<string | null | undefined> {
    return this.scanner.call('readGroupParent', [accountId, skuId], skuId.length);
  }
}
