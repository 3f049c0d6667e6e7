/** The commands that the writer thread takes: writes of offers, of the review, of rows of files, and of the set-up. */
import type { Environment } from '../../domain/account.ts';
import { authorOfFile } from '../../domain/author.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogNews, CatalogUser } from '../port/catalog.ts';
import type { BulkFile, FileProgress, RowOutcome } from '../port/files.ts';
import type { ImageLimits, ImageUser, StoredImage, WantedImage } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import { type NamedCommand, namedCommands } from '../shared/aggregates.ts';
import { MOVE, moveValues } from '../shared/files/file-row.ts';
import { announceForgottenFilesAndReports } from '../shared/files/unfinished.ts';
import { CatalogWrites } from './catalog.ts';
import type { Connection } from './engine.ts';
import { FileRows } from './file-rows.ts';
import { HistoryRetention } from './history-retention.ts';
import { ImageQueue } from './image-queue.ts';
import { ImageUsers } from './image-users.ts';
import { OfferWrites } from './offer-writes.ts';
import type { ReviewColumns } from './review-columns.ts';
import { ReviewWrites } from './review-writes.ts';
import type { RowColumns } from './row-columns.ts';
import { type SetupWrite, writeSetup } from './setup-writes.ts';
import { writeRunner } from './shared-commands.ts';
import { runStatement, sqlOn } from './sql.ts';
import { UnusedImages } from './unused-images.ts';
import type { WriteNumbers } from './write-numbers.ts';

export class WriterService extends OfferWrites {
  /** Shared commands. */
  readonly [name: `${string}.${string}`]: NamedCommand;
  readonly #connection: Connection;
  readonly #reviews: ReviewWrites;
  readonly #catalog: CatalogWrites;
  readonly #images: ImageQueue;
  readonly #imageUsers: ImageUsers;
  readonly #unusedImages: UnusedImages;
  readonly #rows: FileRows;
  readonly #retention: HistoryRetention;

  constructor(connection: Connection, numbers: WriteNumbers, keepsHistory: boolean) {
    super(connection, numbers, keepsHistory);
    this.#connection = connection;
    this.#reviews = new ReviewWrites(connection, this.reviewMarks);
    this.#catalog = new CatalogWrites(connection, numbers);
    this.#images = new ImageQueue(connection, numbers);
    this.#imageUsers = new ImageUsers(connection);
    this.#unusedImages = new UnusedImages(connection);
    this.#rows = new FileRows(connection, this.groups, this.reviewMarks, this.history);
    this.#retention = new HistoryRetention(connection);
    Object.assign(this, namedCommands('write', writeRunner(connection, numbers)));
  }

  writeSetup(name: SetupWrite, args: readonly unknown[]): unknown {
    return writeSetup(this.#connection, name, args);
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

  async announceForgotten(): Promise<void> {
    this.#reviews.announceForgotten();
    await announceForgottenFilesAndReports(sqlOn(this.#connection));
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

  applyRows(file: BulkFile, done: FileProgress, rows: RowColumns, nowMs: number): readonly RowOutcome[] | 'stale' {
    const [moved] = runStatement(this.#connection, MOVE, moveValues(file, done));
    if (moved === undefined) return 'stale';
    const [number] = moved;
    const { accountId, fileId } = file;
    const change = this.history.begin(accountId, authorOfFile(fileId), true, number, nowMs);
    return this.#rows.apply(accountId, change, rows);
  }

  dropHistory(beforeMs: number): 'more' | 'done' {
    return this.#retention.drop(beforeMs);
  }
}
