/** In charge of which part of the adapter does what: reads by key, lists, and writes that travel together. */

import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogNews, CatalogStore, CatalogUser } from '../port/catalog.ts';
import type { FileStore } from '../port/files.ts';
import type { HistoryStore } from '../port/history.ts';
import type { FailedTry, ImageLimits, ImageStore, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferListStore } from '../port/offer-list.ts';
import type { OfferStore } from '../port/offers.ts';
import type { ReportStore } from '../port/reports.ts';
import type { OfferReference, OfferReviewStore } from '../port/review.ts';
import type { RequestCountStore } from '../port/traffic.ts';
import type { WorkFigures, WorkLease, WorkStore } from '../port/work.ts';
import type { Store, StoreFigures } from '../port.ts';
import { boundTo } from '../shared/methods.ts';
import { OfferList } from '../shared/offer-list-walk.ts';
import { Authors } from './authors.ts';
import {
  addProducts,
  countCatalogUsers,
  forgetCatalogUsers,
  noteCatalogUsers,
  readCatalogUsers,
  readProducts,
  setProduct,
  settleCatalogNews,
} from './catalog.ts';
import { announceForgottenNews, moveCatalogNews, readCatalogNews } from './catalog-news.ts';
import { readDatabaseBytes } from './database-bytes.ts';
import type { Database } from './engine.ts';
import { announceForgottenFiles } from './file-records.ts';
import { readGroupsOf } from './group-standings.ts';
import { GroupWrites } from './group-writes.ts';
import { dropHistory, readHistory } from './history-reads.ts';
import {
  beginAlone,
  delayImage,
  forgetWaiting,
  readFailedTries,
  readImageFigures,
  storeImage,
  takeImages,
  wantImages,
} from './image-queue.ts';
import { forgetImageUsers, noteImageUsers } from './image-users.ts';
import { readImages } from './images.ts';
import { type BatchLimits, MicroBatches } from './micro-batches.ts';
import { PostgresOfferListReads, readGroupParent, readOfferCounts } from './offer-list.ts';
import {
  announceForgotten,
  markDue,
  readDueOffers,
  readReviewFigures,
  readShoeGroup,
  storeReviews,
} from './offer-reviews.ts';
import { OfferScans, type ScanLimits } from './offer-scans.ts';
import { OfferWrites } from './offer-writes.ts';
import { offersOn } from './offers.ts';
import { PostgresRateCounters } from './rate-counters.ts';
import { announceForgottenReports } from './report-records.ts';
import { ReviewAnnouncer } from './review-announcer.ts';
import { sweep } from './review-sweeps.ts';
import { readSetupVersion, readSetupVersionQuickly } from './setup-version.ts';
import { TableStatistics } from './table-statistics.ts';
import { dropUnusedImages } from './unused-images.ts';
import { PostgresWatchedStore } from './watched-store.ts';
import { announceWork, finishWork, readWorkFigures, renewWork, takeWork } from './work-leases.ts';

export class PostgresStore extends PostgresWatchedStore implements Store {
  readonly offers: OfferStore;
  readonly offerList: OfferListStore;
  readonly history: HistoryStore;
  readonly review: OfferReviewStore;
  readonly catalog: CatalogStore = this;
  readonly images: ImageStore = this;
  readonly files: FileStore = this;
  readonly reports: ReportStore = this;
  readonly work: WorkStore = this;
  readonly traffic: RequestCountStore = this;
  readonly rateCounters: PostgresRateCounters;
  readonly #database: Database;
  readonly #scans: OfferScans;
  readonly #batches: MicroBatches;
  readonly #announcer: ReviewAnnouncer;
  #lastSizeBytes = 0;

  constructor(database: Database, writeLimits: BatchLimits, scanLimits: ScanLimits, keepsHistory: boolean) {
    const announcer = new ReviewAnnouncer(database);
    const authors = new Authors(database, keepsHistory);
    super(database, announcer, authors);
    this.#database = database;
    this.#announcer = announcer;
    this.rateCounters = new PostgresRateCounters(database);
    this.#scans = new OfferScans(database, scanLimits);
    const offers = new OfferWrites(database, announcer, authors);
    const groups = new GroupWrites(database, announcer, authors);
    this.#batches = new MicroBatches(
      {
        writeRows: (accountId, writes, deadlineMs) => offers.write(accountId, writes, deadlineMs),
        writeGroup: (accountId, write, deadlineMs) => groups.write(accountId, write, deadlineMs),
      },
      writeLimits,
    );
    this.offers = offersOn(database, this.#scans, this.#batches);
    this.history = boundTo(database, { readHistory, dropHistory });
    const list = new OfferList(new PostgresOfferListReads(database));
    this.offerList = {
      listOffers: (accountId, request) => list.list(accountId, request),
      ...boundTo(database, { readOfferCounts, readGroupParent }),
    };
    const listings = new TableStatistics(database, 'offer_listing');
    this.review = {
      ...boundTo(database, { readDueOffers, markDue, sweep, readGroupsOf, readShoeGroup, readReviewFigures }),
      async storeReviews(accountId, reviews, nowMs) {
        await storeReviews(database, accountId, reviews, nowMs);
        listings.noteUploads(reviews.length);
      },
      async announceForgotten() {
        await announceForgotten(database);
        await announceForgottenNews(database);
        await announceForgottenFiles(database);
        await announceForgottenReports(database);
      },
    };
  }

  /**
   * By both ways to the database: a connection of the pool, and one that reads share. Asks no Citus worker: the process
   * can still answer for the accounts of the others.
   */
  async ping(): Promise<void> {
    await Promise.all([readSetupVersion(this.#database), readSetupVersionQuickly(this.#database)]);
  }

  announceWork(kind: string, accountId: number, delay_ms: number): Promise<void> {
    return announceWork(this.#database, kind, accountId, delay_ms);
  }

  takeWork(kind: string, holder: string, lease_ms: number): Promise<WorkLease | undefined> {
    return takeWork(this.#database, kind, holder, lease_ms);
  }

  renewWork(lease: WorkLease, lease_ms: number): Promise<'held' | 'lost'> {
    return renewWork(this.#database, lease, lease_ms);
  }

  finishWork(lease: WorkLease, next_delay_ms: number | undefined): Promise<'finished' | 'lost'> {
    return finishWork(this.#database, lease, next_delay_ms);
  }

  readWorkFigures(): Promise<readonly WorkFigures[]> {
    return readWorkFigures(this.#database);
  }

  readProducts(environment: Environment, codes: readonly CatalogCode[]): Promise<readonly KnownProduct[]> {
    return readProducts(this.#database, environment, codes);
  }

  addProducts(environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]> {
    return addProducts(this.#database, environment, products);
  }

  setProduct(environment: Environment, product: KnownProduct): Promise<void> {
    return setProduct(this.#database, environment, product);
  }

  noteCatalogUsers(environment: Environment, users: readonly CatalogUser[]): Promise<void> {
    return noteCatalogUsers(this.#database, environment, users);
  }

  forgetCatalogUsers(users: readonly CatalogUser[]): Promise<void> {
    return forgetCatalogUsers(this.#database, users);
  }

  settleCatalogNews(environment: Environment, codes: readonly CatalogCode[]): Promise<void> {
    return settleCatalogNews(this.#database, environment, codes);
  }

  readCatalogNews(limit: number): Promise<readonly CatalogNews[]> {
    return readCatalogNews(this.#database, limit);
  }

  moveCatalogNews(news: CatalogNews, toldUpTo: OfferReference | undefined): Promise<void> {
    return moveCatalogNews(this.#database, news, toldUpTo);
  }

  countCatalogUsers(environment: Environment, code: CatalogCode): Promise<number> {
    return countCatalogUsers(this.#database, environment, code);
  }

  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): Promise<readonly OfferReference[]> {
    return readCatalogUsers(this.#database, environment, code, after, limit);
  }

  readImages(addresses: readonly string[]): Promise<readonly StoredImage[]> {
    return readImages(this.#database, addresses);
  }

  readFailedTries(addresses: readonly string[]): Promise<readonly FailedTry[]> {
    return readFailedTries(this.#database, addresses);
  }

  wantImages(wants: readonly ImageUser[], pause_ms?: number): Promise<void> {
    return wantImages(this.#database, wants, pause_ms);
  }

  noteImageUsers(users: readonly ImageUser[]): Promise<void> {
    return noteImageUsers(this.#database, users);
  }

  forgetImageUsers(users: readonly ImageUser[]): Promise<void> {
    return forgetImageUsers(this.#database, users);
  }

  takeImages(limits: ImageLimits, lease_ms: number): Promise<readonly WantedImage[]> {
    return takeImages(this.#database, limits, lease_ms);
  }

  beginAlone(image: WantedImage, lease_ms: number): Promise<boolean> {
    return beginAlone(this.#database, image, lease_ms);
  }

  delayImage(image: WantedImage, delay_ms: number, failedTry?: string): Promise<void> {
    return delayImage(this.#database, image, delay_ms, failedTry);
  }

  storeImage(image: WantedImage, found: StoredImage, isOther = false): Promise<readonly OfferReference[]> {
    return storeImage(this.#database, image, found, isOther);
  }

  forgetWaiting(image: WantedImage, offers: readonly OfferReference[]): Promise<readonly OfferReference[]> {
    return forgetWaiting(this.#database, image, offers);
  }

  dropUnusedImages(beforeMs: number, after: Uint8Array, limit: number): Promise<Uint8Array | undefined> {
    return dropUnusedImages(this.#database, beforeMs, after, limit);
  }

  readImageFigures(): Promise<{ readonly waiting: number; readonly oldestWait_ms: number }> {
    return readImageFigures(this.#database);
  }

  async readFigures(): Promise<StoreFigures> {
    // The other figures are wanted most when the database does not answer.
    this.#lastSizeBytes = await readDatabaseBytes(this.#database).catch(() => this.#lastSizeBytes);
    return {
      writes: this.#batches.figures(),
      lists: this.#scans.figures(),
      commitWrites: this.#batches.sizes,
      sizeBytes: this.#lastSizeBytes,
    };
  }

  override async close(): Promise<void> {
    await Promise.all([this.#batches.close(), this.#scans.close(), this.closeFiles()]);
    await this.#announcer.close();
    await super.close();
  }
}
