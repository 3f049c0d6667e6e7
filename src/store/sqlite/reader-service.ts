/** In charge of which reads the reader thread takes: those that look at many SKUs, and those of bulk files and reports. */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { BulkFile, NewFile, Report, ReportRow } from '../file-port.ts';
import type { RecordPage } from '../port.ts';
import type { CatalogNews, DueOffer, OfferReference, StoredImage } from '../review-port.ts';
import { CatalogReads } from './catalog.ts';
import { CatalogNewsReads } from './catalog-news.ts';
import type { Connection } from './engine.ts';
import { FileReads } from './file-reads.ts';
import { ImageReads } from './images.ts';
import { OfferScans } from './offer-scans.ts';
import { ReportReads } from './report-records.ts';
import { ReportRows } from './report-rows.ts';
import { ReviewReads } from './review-reads.ts';

export class ReaderService extends OfferScans {
  readonly #reviews: ReviewReads;
  readonly #catalog: CatalogReads;
  readonly #catalogNews: CatalogNewsReads;
  readonly #images: ImageReads;
  readonly #files: FileReads;
  readonly #reports: ReportReads;
  readonly #reportRows: ReportRows;

  constructor(connection: Connection) {
    super(connection);
    this.#reviews = new ReviewReads(connection);
    this.#catalog = new CatalogReads(connection);
    this.#catalogNews = new CatalogNewsReads(connection);
    this.#images = new ImageReads(connection);
    this.#files = new FileReads(connection);
    this.#reports = new ReportReads(connection);
    this.#reportRows = new ReportRows(connection);
  }

  readDueOffers(accountId: number, limit: number): DueOffer[] {
    return this.#reviews.readDueOffers(accountId, limit);
  }

  readShoeGroup(accountId: number, shoeKey: string, limit: number): string[] {
    return this.#reviews.readShoeGroup(accountId, shoeKey, limit);
  }

  readReviewFigures(): { due: number; oldestDue_ms: number } {
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

  readImageFigures(): { waiting: number; oldestWait_ms: number } {
    return this.#images.figures(Date.now());
  }

  readFile(accountId: number, fileId: string): BulkFile | undefined {
    return this.#files.readFile(accountId, fileId);
  }

  listFiles(
    accountId: number,
    madeAfterMs: number,
    offset: number,
    limit: number,
  ): { files: readonly BulkFile[]; total: number } {
    return this.#files.listFiles(accountId, madeAfterMs, offset, limit);
  }

  readWaitingBytes(accountId: number): number {
    return this.#files.readWaitingBytes(accountId);
  }

  listUnfinishedFiles(accountId: number, type: FileType, limit: number): readonly BulkFile[] {
    return this.#files.listUnfinishedFiles(accountId, type, limit);
  }

  hasUnfinishedBefore(accountId: number, type: FileType, number: number): boolean {
    return this.#files.hasUnfinishedBefore(accountId, type, number);
  }

  listFilesBefore(beforeMs: number, limit: number): readonly NewFile[] {
    return this.#files.listFilesBefore(beforeMs, limit);
  }

  listUploadsBefore(beforeMs: number, limit: number): readonly NewFile[] {
    return this.#files.listUploadsBefore(beforeMs, limit);
  }

  readReport(accountId: number, reportId: string): Report | undefined {
    return this.#reports.readReport(accountId, reportId);
  }

  listRequestedReports(accountId: number, limit: number): readonly Report[] {
    return this.#reports.listRequestedReports(accountId, limit);
  }

  listReportsBefore(beforeMs: number, limit: number): readonly Report[] {
    return this.#reports.listReportsBefore(beforeMs, limit);
  }

  readReportRows(accountId: number, after: number, limit: number): RecordPage<ReportRow> {
    return this.#reportRows.readReportRows(accountId, after, limit);
  }
}
