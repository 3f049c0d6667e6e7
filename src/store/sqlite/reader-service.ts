/** The reads that the reader thread takes: those that look at many SKUs. */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { GroupStanding } from '../../domain/variation-group.ts';
import type { CatalogNews } from '../port/catalog.ts';
import type { HistoryPage } from '../port/history.ts';
import type { FailedTry, StoredImage } from '../port/images.ts';
import type { ListedOffer, OfferCounts } from '../port/offer-list.ts';
import type { RecordPage } from '../port/parts.ts';
import type { ReportRow } from '../port/reports.ts';
import type { DueFigures, DueOffer, OfferReference } from '../port/review.ts';
import { type NamedCommand, namedCommands } from '../shared/aggregates.ts';
import type { FoundOffer, GatherRequest, Walked, WalkRequest } from '../shared/offer-list-walk.ts';
import { CatalogReads } from './catalog.ts';
import { CatalogNewsReads } from './catalog-news.ts';
import type { Connection } from './engine.ts';
import { GroupStandings } from './group-standings.ts';
import { HistoryReads } from './history-reads.ts';
import { ImageReads } from './images.ts';
import { OfferListReads } from './offer-list-reads.ts';
import { OfferScans } from './offer-scans.ts';
import { ReportRows } from './report-rows.ts';
import { ReviewReads } from './review-reads.ts';
import { snapshotRunner } from './shared-commands.ts';

export class ReaderService extends OfferScans {
  /** Shared commands. */
  readonly [name: `${string}.${string}`]: NamedCommand;
  readonly #reviews: ReviewReads;
  readonly #groups: GroupStandings;
  readonly #catalog: CatalogReads;
  readonly #catalogNews: CatalogNewsReads;
  readonly #images: ImageReads;
  readonly #reportRows: ReportRows;
  readonly #history: HistoryReads;
  readonly #list: OfferListReads;

  constructor(connection: Connection) {
    super(connection);
    this.#reviews = new ReviewReads(connection);
    this.#groups = new GroupStandings(connection);
    this.#catalog = new CatalogReads(connection);
    this.#catalogNews = new CatalogNewsReads(connection);
    this.#images = new ImageReads(connection);
    this.#reportRows = new ReportRows(connection);
    this.#history = new HistoryReads(connection);
    this.#list = new OfferListReads(connection);
    Object.assign(this, namedCommands('snapshot', snapshotRunner(connection)));
  }

  readDueOffers(accountId: number, limit: number): DueOffer[] {
    return this.#reviews.readDueOffers(accountId, limit);
  }

  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): GroupStanding[] {
    return this.#groups.readGroupsOf(accountId, memberSkuIds);
  }

  readShoeGroup(accountId: number, shoeKey: string, limit: number): string[] {
    return this.#reviews.readShoeGroup(accountId, shoeKey, limit);
  }

  readReviewFigures(): DueFigures {
    return this.#reviews.readReviewFigures();
  }

  readProducts(environment: Environment, codes: readonly CatalogCode[]): readonly KnownProduct[] {
    return this.#catalog.readProducts(environment, codes);
  }

  countCatalogUsers(environment: Environment, code: CatalogCode): number {
    return this.#catalog.countUsers(environment, code);
  }

  readCatalogNews(limit: number): readonly CatalogNews[] {
    return this.#catalogNews.first(limit);
  }

  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): readonly OfferReference[] {
    return this.#catalog.readUsers(environment, code, after, limit);
  }

  readImages(addresses: readonly string[]): readonly StoredImage[] {
    return this.#images.readAll(addresses);
  }

  readFailedTries(addresses: readonly string[]): readonly FailedTry[] {
    return this.#images.readFailedTries(addresses);
  }

  readImageFigures(): { waiting: number; oldestWait_ms: number } {
    return this.#images.figures(Date.now());
  }

  readHistory(
    accountId: number,
    skuId: string,
    after: number | undefined,
    limit: number,
    sinceMs: number,
  ): HistoryPage | undefined {
    return this.#history.readHistory(accountId, skuId, after, limit, sinceMs);
  }

  readReportRows(accountId: number, after: number, limit: number): RecordPage<ReportRow> {
    return this.#reportRows.readReportRows(accountId, after, limit);
  }

  walkOffers(accountId: number, request: WalkRequest): Walked {
    return this.#list.walkOffers(accountId, request);
  }

  gatherOffers(accountId: number, request: GatherRequest): readonly FoundOffer[] | 'too_many' {
    return this.#list.gatherOffers(accountId, request);
  }

  readListed(accountId: number, skuIds: readonly string[]): readonly ListedOffer[] {
    return this.#list.readListed(accountId, skuIds);
  }

  readOfferCounts(accountId: number): OfferCounts {
    return this.#list.readOfferCounts(accountId);
  }

  readGroupParent(accountId: number, skuId: string): string | null | undefined {
    return this.#list.readGroupParent(accountId, skuId);
  }
}
