/**
 * In charge of which connection or thread does what: reads by key here and now, lists in the reader thread, writes of
 * offers in the writer thread.
 */
import type { Int64 } from '../../domain/int64.ts';
import type {
  GroupMember,
  GroupOutcome,
  GroupUpload,
  Lookup,
  NodePrice,
  NodeQuantity,
  OfferNumbers,
  SkuKey,
  SkuPage,
  SkuPageRequest,
  SkuState,
  Store,
  StoredInventory,
  StoredOffer,
  StoredPrice,
  StoreFigures,
  WriteOutcome,
} from '../port.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../port.ts';
import type { WorkFigures, WorkLease } from '../work-port.ts';
import { databaseBytes } from './database-bytes.ts';
import type { Connection } from './engine.ts';
import { storeError } from './engine.ts';
import { OfferReads } from './offer-reads.ts';
import type { OfferScans } from './offer-scans.ts';
import { SqliteSetupStore } from './setup.ts';
import type { ThreadClient } from './thread-client.ts';
import { TurnSnapshot } from './turn-snapshot.ts';
import type { WriterService } from './writer-service.ts';

export interface StoreParts {
  /** Of the database. */
  readonly file: string;
  /** Of the request thread, for reads of offers. */
  readonly reading: Connection;
  /** Of the request thread, for changes of the set-up. */
  readonly writing: Connection;
  readonly writer: ThreadClient<WriterService>;
  readonly scanner: ThreadClient<OfferScans>;
}

export class SqliteStore extends SqliteSetupStore implements Store {
  /** One process serves the folder. */
  readonly rateCounters = undefined;
  readonly #reading: Connection;
  readonly #snapshot: TurnSnapshot;
  readonly #reads: OfferReads;
  readonly #file: string;
  readonly #writer: ThreadClient<WriterService>;
  readonly #scanner: ThreadClient<OfferScans>;

  constructor({ file, reading, writing, writer, scanner }: StoreParts) {
    // Set-up is read on the writing connection, because the other one may be inside a snapshot.
    super(writing);
    this.#snapshot = new TurnSnapshot(reading);
    this.#reads = new OfferReads(reading, this.#snapshot);
    writer.beforeSettling = () => this.#snapshot.end();
    this.#reading = reading;
    this.#file = file;
    this.#writer = writer;
    this.#scanner = scanner;
  }

  readSkuState(key: SkuKey): SkuState {
    return atOnce(() => this.#reads.readSkuState(key));
  }

  readOffer(key: SkuKey): StoredOffer | undefined {
    return atOnce(() => this.#reads.readOffer(key));
  }

  readPrice(key: SkuKey): Lookup<StoredPrice> {
    return atOnce(() => this.#reads.readPrice(key));
  }

  readInventory(key: SkuKey): StoredInventory | undefined {
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
    return this.#scanner.call('readMembers', [accountId, skuIds, refinements], lengthOfAll(skuIds));
  }

  listSkus(accountId: number, { after, offset, limit }: SkuPageRequest): Promise<SkuPage | 'after_unknown'> {
    return this.#scanner.call('listSkus', [accountId, after, offset, limit], after?.length ?? 0);
  }

  drawNumber(): Promise<number> {
    return this.#writer.call('drawNumber', [], 0);
  }

  putSku({ accountId, skuId }: SkuKey, document: string, nowMs: number): Promise<'stored' | 'archived'> {
    return this.#writer.call('putSku', [accountId, skuId, document, nowMs], skuId.length + document.length);
  }

  putPrice(
    { accountId, skuId }: SkuKey,
    { price, nodes }: { price: number; nodes: readonly NodePrice[] },
    nowMs: number,
  ): Promise<WriteOutcome> {
    const nodesText = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
    return this.#writer.call('putPrice', [accountId, skuId, price, nodesText, nowMs], skuId.length + nodesText.length);
  }

  patchInventory(
    { accountId, skuId }: SkuKey,
    quantities: readonly NodeQuantity[],
    nowMs: number,
  ): Promise<WriteOutcome> {
    const nodeIds = quantities.map((node) => node.fulfillment_node_id);
    const amounts = quantities.map((node) => node.quantity);
    return this.#writer.call(
      'patchInventory',
      [accountId, skuId, nodeIds, amounts, nowMs],
      skuId.length + lengthOfAll(nodeIds),
    );
  }

  putGroup({ accountId, skuId }: SkuKey, { refinements, title, childrenSkus }: GroupUpload): Promise<GroupOutcome> {
    return this.#writer.call(
      'putGroup',
      [accountId, skuId, refinements, title, childrenSkus],
      skuId.length + refinements.length + (title?.length ?? 0) + lengthOfAll(childrenSkus),
    );
  }

  putShippingExceptions({ accountId, skuId }: SkuKey, exceptions: string | null): Promise<WriteOutcome> {
    const characters = skuId.length + (exceptions?.length ?? 0);
    return this.#writer.call('putShippingExceptions', [accountId, skuId, exceptions], characters);
  }

  putReturnLocations({ accountId, skuId }: SkuKey, locationIds: readonly string[] | null): Promise<WriteOutcome> {
    const text = locationIds === null ? null : JSON.stringify(locationIds);
    return this.#writer.call('putReturnLocations', [accountId, skuId, text], skuId.length + (text?.length ?? 0));
  }

  setArchived({ accountId, skuId }: SkuKey, archived: boolean, nowMs: number): Promise<'stored' | 'unknown'> {
    return this.#writer.call('setArchived', [accountId, skuId, archived, nowMs], skuId.length);
  }

  announceWork(kind: string, accountId: number, delay_ms: number): Promise<void> {
    return this.#writer.call('announceWork', [kind, accountId, delay_ms], kind.length);
  }

  takeWork(kind: string, holder: string, lease_ms: number): Promise<WorkLease | undefined> {
    return this.#writer.call('takeWork', [kind, holder, lease_ms], kind.length);
  }

  renewWork({ kind, accountId, fence }: WorkLease, lease_ms: number): Promise<'held' | 'lost'> {
    return this.#writer.call('renewWork', [kind, accountId, fence, lease_ms], kind.length);
  }

  finishWork({ kind, accountId, fence }: WorkLease, next_delay_ms: number | undefined): Promise<'finished' | 'lost'> {
    return this.#writer.call('finishWork', [kind, accountId, fence, next_delay_ms], kind.length);
  }

  readWorkFigures(): Promise<readonly WorkFigures[]> {
    return this.#writer.call('readWorkFigures', [], 0);
  }

  async ping(): Promise<void> {
    try {
      await Promise.all([this.readSetupVersion(), this.#writer.call('ping', [], 0), this.#scanner.call('ping', [], 0)]);
    } catch (error) {
      if (!(error instanceof StoreOverloadedError)) throw error;
      throw new StoreUnavailableError('The store has more waiting than it takes.', { cause: error });
    }
  }

  async readFigures(): Promise<StoreFigures> {
    return {
      writes: this.#writer.figures(),
      lists: this.#scanner.figures(),
      commitWrites: this.#writer.batchSizes,
      sizeBytes: await databaseBytes(this.#file),
    };
  }

  override async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#scanner.close()]);
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

function lengthOfAll(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}
