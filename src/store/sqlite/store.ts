/**
 * In charge of which connection or thread does what: reads by key here and now, lists in the reader thread, writes in the
 * writer thread.
 */

import type { MessagePort } from 'node:worker_threads';
import type { Environment } from '../../domain/account.ts';
import type { Int64 } from '../../domain/int64.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogNews, CatalogStore, CatalogUser } from '../port/catalog.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../port/errors.ts';
import type { FileStore } from '../port/files.ts';
import type { HistoryPage, HistoryPageRequest, HistoryStore } from '../port/history.ts';
import type { ImageStore } from '../port/images.ts';
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
import type { OfferReference, OfferReviewStore } from '../port/review.ts';
import type { RequestCountStore } from '../port/traffic.ts';
import type { WorkFigures, WorkLease, WorkStore } from '../port/work.ts';
import type { Store, StoreFigures } from '../port.ts';
import { firstOfEachCode } from '../shared/product-row.ts';
import { databaseBytes, requireRoom } from './database-bytes.ts';
import type { Connection } from './engine.ts';
import { storeError } from './engine.ts';
import { OfferReads } from './offer-reads.ts';
import type { ReaderService } from './reader-service.ts';
import { SqliteReviewedStore } from './reviewed-store.ts';
import { lengthOfAll, slicesOf } from './slices.ts';
import type { ThreadClient } from './thread-client.ts';
import { TurnSnapshot } from './turn-snapshot.ts';
import type { WriterService } from './writer-service.ts';

/** What another thread needs to open the same store; the ports are transferred to it. */
export interface SqliteHandOver {
  /** Of the database. */
  readonly file: string;
  readonly writer: MessagePort;
  readonly scanner: MessagePort;
}

export interface StoreParts {
  /** Of the database. */
  readonly file: string;
  /** Of the calling thread, for reads of offers. */
  readonly reading: Connection;
  /** Of the calling thread, for reads of the set-up. */
  readonly writing: Connection;
  readonly writer: ThreadClient<WriterService>;
  readonly scanner: ThreadClient<ReaderService>;
}

export class SqliteStore extends SqliteReviewedStore implements Store {
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
  /** One process serves the folder. */
  readonly rateCounters = undefined;
  readonly #reading: Connection;
  readonly #snapshot: TurnSnapshot;
  readonly #reads: OfferReads;
  readonly #file: string;

  constructor({ file, reading, writing, writer, scanner }: StoreParts) {
    // Not on the reading connection, which may be inside a snapshot.
    super(writing, writer, scanner);
    this.#snapshot = new TurnSnapshot(reading);
    this.#reads = new OfferReads(reading, this.#snapshot);
    writer.beforeSettling = () => this.#snapshot.end();
    this.#reading = reading;
    this.#file = file;
  }

  readSkuState(key: SkuKey): SkuState {
    return atOnce(() => this.#reads.readSkuState(key));
  }

  readOffer(key: SkuKey): StoredOffer | undefined {
    return atOnce(() => this.#reads.readOffer(key));
  }

  readJudgedOffer(key: SkuKey): ReturnType<OfferReads['readJudgedOffer']> {
    return atOnce(() => this.#reads.readJudgedOffer(key));
  }

  readPrice(key: SkuKey): Lookup<StoredPrice> {
    return atOnce(() => this.#reads.readPrice(key));
  }

  readInventory(key: SkuKey): InventoryReading | undefined {
    return atOnce(() => this.#reads.readInventory(key));
  }

  readShippingExceptions(key: SkuKey): Lookup<string> {
    return atOnce(() => this.#reads.readShippingExceptions(key));
  }

  readReturnLocations(key: SkuKey): Lookup<readonly string[]> {
    return atOnce(() => this.#reads.readReturnLocations(key));
  }

  readGroup(key: SkuKey): Lookup<GroupUpload> {
    return atOnce(() => this.#reads.readGroup(key));
  }

  readNumbers(key: SkuKey): OfferNumbers | undefined {
    return atOnce(() => this.#reads.readNumbers(key));
  }

  readMembers(
    accountId: number,
    skuIds: readonly string[],
    refinements: readonly Int64[],
  ): Promise<readonly GroupMember[]> {
    return this.scanner.call('readMembers', [accountId, skuIds, refinements], lengthOfAll(skuIds));
  }

  listSkus(accountId: number, { after, offset, limit }: SkuPageRequest): Promise<SkuPage | 'after_unknown'> {
    return this.scanner.call('listSkus', [accountId, after, offset, limit], after?.length ?? 0);
  }

  drawNumber(): Promise<number> {
    return this.writer.call('drawNumber', [], 0);
  }

  putSku({ accountId, skuId, by }: WriteKey, document: string, nowMs: number): Promise<'stored' | 'archived'> {
    return this.writer.call('putSku', [accountId, skuId, document, nowMs, by], skuId.length + document.length);
  }

  putPrice(
    { accountId, skuId, by }: WriteKey,
    { price, nodes }: { price: number; nodes: readonly NodePrice[] },
    nowMs: number,
  ): Promise<WriteOutcome> {
    const nodesText = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
    const characters = skuId.length + nodesText.length;
    return this.writer.call('putPrice', [accountId, skuId, price, nodesText, nowMs, by], characters);
  }

  patchInventory(
    { accountId, skuId, by }: WriteKey,
    quantities: readonly NodeQuantity[],
    nowMs: number,
  ): Promise<WriteOutcome> {
    const nodeIds = quantities.map((node) => node.fulfillment_node_id);
    const amounts = quantities.map((node) => node.quantity);
    return this.writer.call(
      'patchInventory',
      [accountId, skuId, nodeIds, amounts, nowMs, by],
      skuId.length + lengthOfAll(nodeIds),
    );
  }

  putGroup(
    { accountId, skuId, by }: WriteKey,
    { refinements, title, childrenSkus }: GroupUpload,
    nowMs: number,
  ): Promise<GroupOutcome> {
    return this.writer.call(
      'putGroup',
      [accountId, skuId, refinements, title, childrenSkus, nowMs, by],
      skuId.length + refinements.length + (title?.length ?? 0) + lengthOfAll(childrenSkus),
    );
  }

  putShippingExceptions(
    { accountId, skuId, by }: WriteKey,
    exceptions: string | null,
    nowMs: number,
  ): Promise<WriteOutcome> {
    const characters = skuId.length + (exceptions?.length ?? 0);
    return this.writer.call('putShippingExceptions', [accountId, skuId, exceptions, nowMs, by], characters);
  }

  putReturnLocations(
    { accountId, skuId, by }: WriteKey,
    locationIds: readonly string[] | null,
    nowMs: number,
  ): Promise<WriteOutcome> {
    const text = locationIds === null ? null : JSON.stringify(locationIds);
    const characters = skuId.length + (text?.length ?? 0);
    return this.writer.call('putReturnLocations', [accountId, skuId, text, nowMs, by], characters);
  }

  setArchived({ accountId, skuId, by }: WriteKey, archived: boolean, nowMs: number): Promise<'stored' | 'unknown'> {
    return this.writer.call('setArchived', [accountId, skuId, archived, nowMs, by], skuId.length);
  }

  announceWork(kind: string, accountId: number, delay_ms: number): Promise<void> {
    return this.writer.call('announceWork', [kind, accountId, delay_ms], kind.length);
  }

  takeWork(kind: string, holder: string, lease_ms: number): Promise<WorkLease | undefined> {
    return this.writer.call('takeWork', [kind, holder, lease_ms], kind.length);
  }

  renewWork({ kind, accountId, fence }: WorkLease, lease_ms: number): Promise<'held' | 'lost'> {
    return this.writer.call('renewWork', [kind, accountId, fence, lease_ms], kind.length);
  }

  finishWork({ kind, accountId, fence }: WorkLease, next_delay_ms: number | undefined): Promise<'finished' | 'lost'> {
    return this.writer.call('finishWork', [kind, accountId, fence, next_delay_ms], kind.length);
  }

  readWorkFigures(): Promise<readonly WorkFigures[]> {
    return this.writer.call('readWorkFigures', [], 0);
  }

  readProducts(environment: Environment, codes: readonly CatalogCode[]): Promise<readonly KnownProduct[]> {
    return this.scanner.call('readProducts', [environment, codes], lengthOfAll(codes));
  }

  async addProducts(environment: Environment, products: readonly KnownProduct[]): Promise<readonly KnownProduct[]> {
    const known: KnownProduct[] = [];
    for (const slice of slicesOf(firstOfEachCode(products))) {
      const characters = slice.reduce((sum, { brand, title }) => sum + brand.length + title.length, 0);
      known.push(...(await this.writer.callBehind('addProducts', [environment, slice], characters)));
    }
    return known;
  }

  setProduct(environment: Environment, product: KnownProduct): Promise<void> {
    return this.writer.call('setProduct', [environment, product], product.brand.length + product.title.length);
  }

  async noteCatalogUsers(environment: Environment, users: readonly CatalogUser[]): Promise<void> {
    for (const slice of slicesOf(users)) {
      await this.writer.callBehind('noteCatalogUsers', [environment, slice], lengthOfUsers(slice));
    }
  }

  async forgetCatalogUsers(users: readonly CatalogUser[]): Promise<void> {
    for (const slice of slicesOf(users)) {
      await this.writer.callBehind('forgetCatalogUsers', [slice], lengthOfUsers(slice));
    }
  }

  async settleCatalogNews(environment: Environment, codes: readonly CatalogCode[]): Promise<void> {
    for (const slice of slicesOf(codes)) {
      await this.writer.callBehind('settleCatalogNews', [environment, slice], lengthOfAll(slice));
    }
  }

  readCatalogNews(limit: number): Promise<readonly CatalogNews[]> {
    return this.scanner.call('readCatalogNews', [limit], 0);
  }

  moveCatalogNews(news: CatalogNews, toldUpTo: OfferReference | undefined): Promise<void> {
    return this.writer.call('moveCatalogNews', [news, toldUpTo], news.code.length);
  }

  countCatalogUsers(environment: Environment, code: CatalogCode): Promise<number> {
    return this.scanner.call('countCatalogUsers', [environment, code], code.length);
  }

  readCatalogUsers(
    environment: Environment,
    code: CatalogCode,
    after: OfferReference | undefined,
    limit: number,
  ): Promise<readonly OfferReference[]> {
    return this.scanner.call('readCatalogUsers', [environment, code, after, limit], code.length);
  }

  readHistory(
    { accountId, skuId }: SkuKey,
    { after, limit, sinceMs }: HistoryPageRequest,
  ): Promise<HistoryPage | undefined> {
    return this.scanner.call('readHistory', [accountId, skuId, after, limit, sinceMs], skuId.length);
  }

  dropHistory(beforeMs: number): Promise<'more' | 'done'> {
    return this.writer.callBehind('dropHistory', [beforeMs], 0);
  }

  async ping(): Promise<void> {
    try {
      await Promise.all([
        this.settings.readSetupVersion(),
        this.writer.call('ping', [], 0),
        this.scanner.call('ping', [], 0),
      ]);
    } catch (error) {
      if (!(error instanceof StoreOverloadedError)) throw error;
      throw new StoreUnavailableError('The store has more waiting than it takes.', { cause: error });
    }
    await requireRoom(this.#file);
  }

  async readFigures(): Promise<StoreFigures> {
    return {
      writes: this.writer.figures(),
      lists: this.scanner.figures(),
      commitWrites: this.writer.batchSizes,
      sizeBytes: await databaseBytes(this.#file),
    };
  }

  /** For another thread of the process, which opens it by openHandedOverSqlite. This one is to be closed last. */
  handOver(): SqliteHandOver {
    return { file: this.#file, writer: this.writer.handOver(), scanner: this.scanner.handOver() };
  }

  override async close(): Promise<void> {
    await Promise.all([this.writer.close(), this.scanner.close()]);
    if (this.#reading.isOpen) {
      this.#snapshot.end();
      this.#reading.close();
    }
    await super.close();
  }
}

/** Reads by key answer on the spot, and fail there too. */
function atOnce<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(error);
  }
}

function lengthOfUsers(users: readonly CatalogUser[]): number {
  return users.reduce((sum, { code, skuId }) => sum + code.length + skuId.length, 0);
}
