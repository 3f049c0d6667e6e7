/**
 * In charge of which commands the writer thread takes: writes of offers, of the review, of bulk files, of work leases, and of
 * the set-up.
 */
import type { Environment } from '../../domain/account.ts';
import { authorOfFile } from '../../domain/author.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { FileStatus } from '../../domain/vocabulary/file-types.ts';
import type { CatalogNews, CatalogUser } from '../port/catalog.ts';
import type { BulkFile, FileProgress, HandedOverFile, RowOutcome } from '../port/files.ts';
import type { ImageLimits, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import type { AccountMinute, KeyUse } from '../port/traffic.ts';
import type { WorkFigures, WorkLease } from '../port/work.ts';
import { type NamedCommand, namedCommands } from '../shared/aggregates.ts';
import { CatalogWrites } from './catalog.ts';
import type { Connection } from './engine.ts';
import { type FilePlace, FileRecords } from './file-records.ts';
import { FileRows } from './file-rows.ts';
import { HistoryRetention } from './history-retention.ts';
import { ImageQueue } from './image-queue.ts';
import { ImageUsers } from './image-users.ts';
import { OfferWrites } from './offer-writes.ts';
import { ReportWrites } from './report-records.ts';
import { RequestCountWrites } from './request-counts.ts';
import type { ReviewColumns } from './review-columns.ts';
import { ReviewWrites } from './review-writes.ts';
import type { RowColumns } from './row-columns.ts';
import { writeRunner } from './shared-commands.ts';
import { UnusedImages } from './unused-images.ts';
import { WorkLeases } from './work-leases.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class WriterService extends OfferWrites {
  /** Shared commands. */
  readonly [name: `${string}.${string}`]: NamedCommand;
  readonly #work: WorkLeases;
  readonly #reviews: ReviewWrites;
  readonly #catalog: CatalogWrites;
  readonly #images: ImageQueue;
  readonly #imageUsers: ImageUsers;
  readonly #unusedImages: UnusedImages;
  readonly #files: FileRecords;
  readonly #rows: FileRows;
  readonly #reports: ReportWrites;
  readonly #requests: RequestCountWrites;
  readonly #retention: HistoryRetention;

  constructor(connection: Connection, numbers: WriteNumbers, keepsHistory: boolean) {
    super(connection, numbers, keepsHistory);
    this.#work = new WorkLeases(connection, numbers);
    this.#reviews = new ReviewWrites(connection, numbers, this.reviewMarks);
    this.#catalog = new CatalogWrites(connection, numbers);
    this.#images = new ImageQueue(connection, numbers);
    this.#imageUsers = new ImageUsers(connection);
    this.#unusedImages = new UnusedImages(connection);
    this.#files = new FileRecords(connection, numbers, this.#work);
    this.#rows = new FileRows(connection, this.groups, this.reviewMarks, this.history);
    this.#reports = new ReportWrites(connection, this.#work);
    this.#requests = new RequestCountWrites(connection);
    this.#retention = new HistoryRetention(connection);
    Object.assign(this, namedCommands('write', writeRunner(connection, numbers)));
  }

  storeReviews(accountId: number, reviews: ReviewColumns, nowMs: number): void {
    this.#reviews.storeReviews(accountId, reviews, nowMs);
  }

  markDue(accountId: number, skuIds: readonly string[]): void {
    this.#reviews.markDue(accountId, skuIds);
  }

  sweep(accountId: number, limit: number): 'more' | 'done' {
    return this.#reviews.sweep(accountId, limit);
  }

  announceForgotten(): void {
    this.#reviews.announceForgotten();
    this.#files.announceForgotten();
    this.#reports.announceForgotten();
  }

  addProducts(environment: Environment, products: readonly KnownProduct[]): readonly KnownProduct[] {
    return this.#catalog.addProducts(environment, products);
  }

  setProduct(environment: Environment, product: KnownProduct): void {
    this.#catalog.setProduct(environment, product);
  }

  settleCatalogNews(environment: Environment, codes: readonly CatalogCode[]): void {
    this.#catalog.news.settle(environment, codes);
  }

  moveCatalogNews(news: CatalogNews, toldUpTo: OfferReference | undefined): void {
    this.#catalog.news.move(news, toldUpTo);
  }

  noteCatalogUsers(environment: Environment, users: readonly CatalogUser[]): void {
    this.#catalog.noteUsers(environment, users);
  }

  forgetCatalogUsers(users: readonly CatalogUser[]): void {
    this.#catalog.forgetUsers(users);
  }

  noteImageUsers(users: readonly ImageUser[]): void {
    this.#imageUsers.note(users);
  }

  forgetImageUsers(users: readonly ImageUser[]): void {
    this.#imageUsers.forget(users);
  }

  wantImages(wants: readonly ImageUser[], pause_ms: number | undefined): void {
    this.#images.want(wants, pause_ms, Date.now());
  }

  takeImages(limits: ImageLimits, lease_ms: number): readonly WantedImage[] {
    return this.#images.take(limits, lease_ms, Date.now());
  }

  beginAlone(address: string, fence: number, lease_ms: number): boolean {
    return this.#images.beginAlone(address, fence, Date.now() + lease_ms);
  }

  delayImage(address: string, fence: number, delay_ms: number, failedTry: string | undefined): void {
    const nowMs = Date.now();
    this.#images.delay(address, fence, nowMs + delay_ms, failedTry, nowMs);
  }

  storeImage(address: string, fence: number, found: StoredImage, isOther: boolean): readonly OfferReference[] {
    return this.#images.store(address, fence, found, isOther, Date.now());
  }

  forgetWaiting(address: string, fence: number, offers: readonly OfferReference[]): readonly OfferReference[] {
    return this.#images.forget(address, fence, offers, Date.now());
  }

  dropUnusedImages(beforeMs: number, after: Uint8Array, limit: number): Uint8Array | undefined {
    return this.#unusedImages.drop(beforeMs, after, limit);
  }

  addFile(accountId: number, fileId: string, createdMs: number): void {
    this.#files.addFile(accountId, fileId, createdMs);
  }

  noteUploaded(accountId: number, fileId: string, bytes: number): 'stored' | 'repeated' | 'unknown' {
    return this.#files.noteUploaded(accountId, fileId, bytes);
  }

  receiveFile(file: HandedOverFile, nowMs: number, madeAfterMs: number): BulkFile | 'unknown' {
    return this.#files.receiveFile(file, nowMs, madeAfterMs);
  }

  cancelFile(accountId: number, fileId: string, nowMs: number): BulkFile | undefined {
    return this.#files.cancelFile(accountId, fileId, nowMs);
  }

  settleCancelled(place: FilePlace, progress: FileProgress): 'stored' | 'stale' {
    return this.#files.settleCancelled(place, progress);
  }

  startFile(place: FilePlace, nowMs: number): 'stored' | 'stale' {
    return this.#files.startFile(place, nowMs);
  }

  applyRows(place: FilePlace, done: FileProgress, rows: RowColumns, nowMs: number): readonly RowOutcome[] | 'stale' {
    const number = this.#files.move(place, done);
    if (number === undefined) return 'stale';
    const { accountId, fileId } = place;
    const change = this.history.begin(accountId, authorOfFile(fileId), true, number, nowMs);
    return this.#rows.apply(accountId, change, rows);
  }

  moveFile(place: FilePlace, progress: FileProgress): 'stored' | 'stale' {
    return this.#files.move(place, progress) === undefined ? 'stale' : 'stored';
  }

  finishFile(place: FilePlace, status: FileStatus, progress: FileProgress, nowMs: number): 'stored' | 'stale' {
    return this.#files.finishFile(place, status, progress, nowMs);
  }

  dropFile(accountId: number, fileId: string): void {
    this.#files.dropFile(accountId, fileId);
  }

  addReport(accountId: number, reportId: string, nowMs: number, waiting_max: number): 'stored' | 'too_many' {
    return this.#reports.addReport(accountId, reportId, nowMs, waiting_max);
  }

  endReport(
    accountId: number,
    reportId: string,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): 'stored' | 'repeated' | 'gone' {
    return this.#reports.endReport(accountId, reportId, status, bytes, nowMs);
  }

  dropReport(accountId: number, reportId: string): void {
    this.#reports.dropReport(accountId, reportId);
  }

  dropHistory(beforeMs: number): 'more' | 'done' {
    return this.#retention.drop(beforeMs);
  }

  addRequestCounts(counts: readonly AccountMinute[]): void {
    this.#requests.add(counts);
  }

  dropRequestCounts(beforeMinute: number): boolean {
    return this.#requests.drop(beforeMinute);
  }

  noteKeyUses(uses: readonly KeyUse[]): void {
    this.#requests.noteUses(uses);
  }

  announceWork(kind: string, accountId: number, delay_ms: number): void {
    this.#work.announce(kind, accountId, Date.now() + delay_ms);
  }

  takeWork(kind: string, holder: string, lease_ms: number): WorkLease | undefined {
    return this.#work.take(kind, holder, lease_ms, Date.now());
  }

  renewWork(kind: string, accountId: number, fence: number, lease_ms: number): 'held' | 'lost' {
    return this.#work.renew(kind, accountId, fence, Date.now() + lease_ms);
  }

  finishWork(kind: string, accountId: number, fence: number, next_delay_ms: number | undefined): 'finished' | 'lost' {
    const nextDueMs = next_delay_ms === undefined ? null : Date.now() + next_delay_ms;
    return this.#work.finish(kind, accountId, fence, nextDueMs);
  }

  readWorkFigures(): WorkFigures[] {
    return this.#work.figures(Date.now());
  }
}
