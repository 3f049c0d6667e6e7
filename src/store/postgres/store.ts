/** In charge of which part of the adapter does what: reads by key, lists, and writes that travel together. */

import type { Environment } from '../../domain/account.ts';
import type { Int64 } from '../../domain/int64.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { GroupStanding } from '../../domain/variation-group.ts';
import type { CatalogNews, CatalogStore, CatalogUser } from '../port/catalog.ts';
import type { FileStore } from '../port/files.ts';
import type { HistoryPage, HistoryPageRequest, HistoryStore } from '../port/history.ts';
import type { FailedTry, ImageLimits, ImageStore, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferListStore } from '../port/offer-list.ts';
import type {
  GroupMember,
  GroupOutcome,
  InventoryReading,
  Lookup,
  OfferNumbers,
  OfferStore,
  SkuKey,
  SkuPage,
  SkuPageRequest,
  SkuState,
  StoredOffer,
  StoredPrice,
  WriteKey,
} from '../port/offers.ts';
import type { GroupUpload, NodePrice, NodeQuantity, WriteOutcome } from '../port/parts.ts';
import type { ReportStore } from '../port/reports.ts';
import type { DueFigures, DueOffer, OfferReference, OfferReview, OfferReviewStore } from '../port/review.ts';
import type { RequestCountStore } from '../port/traffic.ts';
import type { WorkFigures, WorkLease, WorkStore } from '../port/work.ts';
import type { Store, StoreFigures } from '../port.ts';
import { readSetupVersion } from '../shared/settings/version.ts';
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
import { documentWrite, inventoryWrite, priceWrite, type RowWrite, returnsWrite } from './offer-commands.ts';
import { OfferReads } from './offer-reads.ts';
import {
  announceForgotten,
  markDue,
  readDueOffers,
  readReviewFigures,
  readShoeGroup,
  storeReviews,
} from './offer-reviews.ts';
import { lengthOfAll, OfferScans, type ScanLimits } from './offer-scans.ts';
import { OfferWrites } from './offer-writes.ts';
import { PostgresRateCounters } from './rate-counters.ts';
import { announceForgottenReports } from './report-records.ts';
import { ReviewAnnouncer } from './review-announcer.ts';
import { sweep } from './review-sweeps.ts';
import { TableStatistics } from './table-statistics.ts';
import { dropUnusedImages } from './unused-images.ts';
import { PostgresWatchedStore } from './watched-store.ts';
import { announceWork, finishWork, readWorkFigures, renewWork, takeWork } from './work-leases.ts';
import { drawNumber } from './write-numbers.ts';

export class PostgresStore extends PostgresWatchedStore implements Store {
  readonly offers: OfferStore = this;
  readonly offerList: OfferListStore = this;
  readonly history: HistoryStore = this;
  readonly review: OfferReviewStore = this;
  readonly catalog: CatalogStore = this;
  readonly images: ImageStore = this;
  readonly files: FileStore = this;
  readonly reports: ReportStore = this;
  readonly work: WorkStore = this;
  readonly traffic: RequestCountStore = this;
  readonly rateCounters: PostgresRateCounters;
  readonly #database: Database;
  readonly #reads: OfferReads;
  readonly #scans: OfferScans;
  readonly #batches: MicroBatches;
  readonly #announcer: ReviewAnnouncer;
  readonly #listings: TableStatistics;
  #lastSizeBytes = 0;

  constructor(database: Database, writeLimits: BatchLimits, scanLimits: ScanLimits, keepsHistory: boolean) {
    const announcer = new ReviewAnnouncer(database);
    const authors = new Authors(database, keepsHistory);
    super(database, announcer, authors);
    this.#database = database;
    this.#announcer = announcer;
    this.#listings = new TableStatistics(database, 'offer_listing');
    this.rateCounters = new PostgresRateCounters(database);
    this.#reads = new OfferReads(database);
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
  }

  readSkuState(key: SkuKey): Promise<SkuState> {
    return this.#reads.readSkuState(key);
  }

  readOffer(key: SkuKey): Promise<StoredOffer | undefined> {
    return this.#reads.readOffer(key);
  }

  readJudgedOffer(key: SkuKey): ReturnType<OfferReads['readJudgedOffer']> {
    return this.#reads.readJudgedOffer(key);
  }

  readPrice(key: SkuKey): Promise<Lookup<StoredPrice>> {
    return this.#reads.readPrice(key);
  }

  readInventory(key: SkuKey): Promise<InventoryReading | undefined> {
    return this.#reads.readInventory(key);
  }

  readShippingExceptions(key: SkuKey): Promise<Lookup<string>> {
    return this.#reads.readShippingExceptions(key);
  }

  readReturnLocations(key: SkuKey): Promise<Lookup<readonly string[]>> {
    return this.#reads.readReturnLocations(key);
  }

  readGroup(key: SkuKey): Promise<Lookup<GroupUpload>> {
    return this.#reads.readGroup(key);
  }

  readNumbers(key: SkuKey): Promise<OfferNumbers | undefined> {
    return this.#reads.readNumbers(key);
  }

  readMembers(
    accountId: number,
    skuIds: readonly string[],
    refinements: readonly Int64[],
  ): Promise<readonly GroupMember[]> {
    return this.#scans.readMembers(accountId, skuIds, refinements);
  }

  listSkus(accountId: number, page: SkuPageRequest): Promise<SkuPage | 'after_unknown'> {
    return this.#scans.listSkus(accountId, page);
  }

  drawNumber(): Promise<number> {
    return drawNumber(this.#database);
  }

  putSku({ accountId, skuId, by }: WriteKey, document: string, nowMs: number): Promise<'stored' | 'archived'> {
    const write = documentWrite(skuId, document, { by, atMs: nowMs });
    return this.#write(accountId, write, document.length) as Promise<'stored' | 'archived'>;
  }

  putPrice(
    { accountId, skuId, by }: WriteKey,
    price: { price: number; nodes: readonly NodePrice[] },
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = priceWrite(skuId, price, { by, atMs: nowMs });
    return this.#write(accountId, write, write.nodes.length);
  }

  patchInventory(
    { accountId, skuId, by }: WriteKey,
    quantities: readonly NodeQuantity[],
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = inventoryWrite(skuId, quantities, { by, atMs: nowMs });
    return this.#write(accountId, write, lengthOfAll([...write.nodes.keys()]));
  }

  putGroup({ accountId, skuId, by }: WriteKey, group: GroupUpload, nowMs: number): Promise<GroupOutcome> {
    const { refinements, title, childrenSkus } = group;
    const characters = refinements.length + (title?.length ?? 0) + lengthOfAll(childrenSkus);
    const write = { kind: 'group', skuId, group, by, atMs: nowMs } as const;
    return this.#batches.write(accountId, write, skuId.length + characters);
  }

  putShippingExceptions(
    { accountId, skuId, by }: WriteKey,
    exceptions: string | null,
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = { kind: 'shipping', skuId, exceptions, by, atMs: nowMs } as const;
    return this.#write(accountId, write, exceptions?.length ?? 0);
  }

  putReturnLocations(
    { accountId, skuId, by }: WriteKey,
    locationIds: readonly string[] | null,
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = returnsWrite(skuId, locationIds, { by, atMs: nowMs });
    return this.#write(accountId, write, write.locationIds?.length ?? 0);
  }

  setArchived({ accountId, skuId, by }: WriteKey, archived: boolean, nowMs: number): Promise<'stored' | 'unknown'> {
    const kind = archived ? 'archive' : 'unarchive';
    return this.#write(accountId, { kind, skuId, nowMs, by, atMs: nowMs }, 0) as Promise<'stored' | 'unknown'>;
  }

  readHistory(key: SkuKey, page: HistoryPageRequest): Promise<HistoryPage | undefined> {
    return readHistory(this.#database, key, page);
  }

  dropHistory(beforeMs: number): Promise<'more' | 'done'> {
    return dropHistory(this.#database, beforeMs);
  }

  /**
   * By both ways to the database: a connection of the pool, and one that reads share. Asks no Citus worker: the process
   * can still answer for the accounts of the others.
   */
  async ping(): Promise<void> {
    await Promise.all([readSetupVersion(this.#database), this.settings.readSetupVersion()]);
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

  readDueOffers(accountId: number, limit: number): Promise<readonly DueOffer[]> {
    return readDueOffers(this.#database, accountId, limit);
  }

  async storeReviews(accountId: number, reviews: readonly OfferReview[], nowMs: number): Promise<void> {
    await storeReviews(this.#database, accountId, reviews, nowMs);
    this.#listings.noteUploads(reviews.length);
  }

  markDue(accountId: number, skuIds: readonly string[]): Promise<void> {
    return markDue(this.#database, accountId, skuIds);
  }

  sweep(accountId: number, limit: number): Promise<'more' | 'done'> {
    return sweep(this.#database, accountId, limit);
  }

  async announceForgotten(): Promise<void> {
    await announceForgotten(this.#database);
    await announceForgottenNews(this.#database);
    await announceForgottenFiles(this.#database);
    await announceForgottenReports(this.#database);
  }

  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): Promise<readonly GroupStanding[]> {
    return readGroupsOf(this.#database, accountId, memberSkuIds);
  }

  readShoeGroup(accountId: number, shoeKey: string, limit: number): Promise<readonly string[]> {
    return readShoeGroup(this.#database, accountId, shoeKey, limit);
  }

  readReviewFigures(): Promise<DueFigures> {
    return readReviewFigures(this.#database);
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

  #write(accountId: number, write: RowWrite, characters: number): Promise<WriteOutcome> {
    // Only groups have an outcome of another kind.
    return this.#batches.write(accountId, write, write.skuId.length + characters) as Promise<WriteOutcome>;
  }
}
