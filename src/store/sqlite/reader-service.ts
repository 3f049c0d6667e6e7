/** In charge of which reads the reader thread takes: those that look at many SKUs, and those of bulk files and reports. */
import type { Environment } from '../../domain/account.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { CatalogNews } from '../port/catalog.ts';
import type { BulkFile, KeptFile, NewFile } from '../port/files.ts';
import type { FailedTry, StoredImage } from '../port/images.ts';
import type { RecordPage } from '../port/parts.ts';
import type { Report, ReportRow } from '../port/reports.ts';
import type { OfferReference } from '../port/review.ts';
import type { AccountMinute, MinuteCounts } from '../port/traffic.ts';
import { type CommandName, type NamedCommand, namedCommands } from '../shared/aggregates.ts';
import { joined } from '../shared/methods.ts';
import { CatalogReads } from './catalog.ts';
import { CatalogNewsReads } from './catalog-news.ts';
import type { Connection } from './engine.ts';
import { FileReads } from './file-reads.ts';
import { GroupStandings } from './group-standings.ts';
import { HistoryReads } from './history-reads.ts';
import { ImageReads } from './images.ts';
import { OfferListReads } from './offer-list-reads.ts';
import { OfferScans } from './offer-scans.ts';
import { ReportReads } from './report-records.ts';
import { ReportRows } from './report-rows.ts';
import { RequestCountReads } from './request-counts.ts';
import { ReviewReads } from './review-reads.ts';
import { snapshotRunner } from './shared-commands.ts';
import { type Named, named } from './thread-methods.ts';

type NativeReads = Record<CommandName, NamedCommand> &
  Named<'offers', Omit<OfferScans, 'ping'>> &
  Named<'review', ReviewReads & GroupStandings> &
  Named<'offerList', OfferListReads> &
  Named<'history', HistoryReads>;

export interface ReaderService extends NativeReads {}
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds them.
export class ReaderService {
  readonly ping: () => void;

  readonly #catalog: CatalogReads;
  readonly #catalogNews: CatalogNewsReads;
  readonly #images: ImageReads;
  readonly #files: FileReads;
  readonly #reports: ReportReads;
  readonly #reportRows: ReportRows;
  readonly #requests: RequestCountReads;

  constructor(connection: Connection) {
    this.#catalog = new CatalogReads(connection);
    this.#catalogNews = new CatalogNewsReads(connection);
    this.#images = new ImageReads(connection);
    this.#files = new FileReads(connection);
    this.#reports = new ReportReads(connection);
    this.#reportRows = new ReportRows(connection);
    this.#requests = new RequestCountReads(connection);
    const offers = new OfferScans(connection);
    this.ping = () => offers.ping();
    Object.assign(
      this,
      named('offers', offers),
      named('review', joined(new ReviewReads(connection), new GroupStandings(connection))),
      named('offerList', new OfferListReads(connection)),
      named('history', new HistoryReads(connection)),
    );
    Object.assign(this, namedCommands('snapshot', snapshotRunner(connection)));
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

  listKeptBeyond(accountId: number, bytes_max: number, reportsAfterMs: number, limit: number): readonly KeptFile[] {
    return this.#files.listKeptBeyond(accountId, bytes_max, reportsAfterMs, limit);
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

  readRequestCounts(accountId: number, fromMinute: number): readonly MinuteCounts[] {
    return this.#requests.ofAccount(accountId, fromMinute);
  }

  readMinute(minute: number): readonly AccountMinute[] {
    return this.#requests.ofMinute(minute);
  }
}
