/** Processes files for tests: on a SQLite store that all tests of the process share, with an account for each engine. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Account, FulfillmentNode } from '../../domain/account.ts';
import { createBodyChecks } from '../../domain/bodies/all-bodies.ts';
import type { BulkFile, FileProgress } from '../../domain/bulk-files.ts';
import { type NameSettings, Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { FileRow, PartWrite } from '../../domain/offers/part.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { fileName } from '../../files/file-storage.ts';
import type { FileStore } from '../../store/port/files.ts';
import type { OfferStore } from '../../store/port/offers.ts';
import type { WorkFigures } from '../../store/port/work.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { temporaryDir } from '../../store/sqlite/testing/temporary-dir.ts';
import { type FileHandlerParts, fileHandler } from '../file-handler.ts';
import { type FileResult, type ProcessFileParts, processFile, type RunLimits } from '../process-file.ts';
import { MemoryFilePlace } from './memory-file-storage.ts';

const NOW_MS = 1_000;
const BROWSE_NODE_ID = 100;

export const NODE: FulfillmentNode = {
  id: 'node-1',
  rateKind: 'flat',
  methods: ['<carrier_2> Ground', 'Freight'],
  levels: ['Standard'],
};

export function accountOf(accountId: number): Account {
  return {
    accountId,
    merchantId: `m${accountId}`,
    environment: 'test',
    suspended: false,
    nodes: new Map([[NODE.id, NODE]]),
    returnLocationIds: new Set(['returns-1']),
    timeToReturnDays: 30,
    returnShippingMethods: [],
  };
}

export const SKU_BODY = Object.freeze({
  product_title: 'A pot with a lid',
  multipack_quantity: 1,
  brand: 'Potter',
  main_image_url: 'https://img.example/pot.jpg',
  ASIN: 'B000000000',
});

/** Returns the data of a SKU that can be in a group with the refinements from 1 on, because its values are its own. */
export function memberBody(skuId: string, refinements = 1) {
  const attributes = Array.from({ length: refinements }, (_, index) => {
    return { attribute_id: index + 1, attribute_value: skuId };
  });
  return { ...SKU_BODY, attributes_node_specific: attributes };
}

/** An unlimited time share. */
export const ENDLESS: RunLimits = {
  signal: new AbortController().signal,
  begin: () => {},
  mayContinue: () => true,
  mustEnd: () => false,
};

const store = await openSqliteStore({
  dataDir: temporaryDir(),
  keepsHistory: false,
  onFatal: (error) => assert.fail(error),
});
after(() => store.close());
let accounts = 0;

interface EngineOptions {
  readonly slice_rows_max?: number;
  readonly names?: NameSettings;
  readonly parts?: Partial<FileHandlerParts>;
  /** How much of a file is read at a time. */
  readonly chunk_bytes?: number;
}

export class FileEngine {
  readonly accountId = ++accounts;
  readonly storage: MemoryFilePlace;
  /** The calls of the store, which a test may replace. */
  readonly files: { -readonly [Name in keyof FileStore]: FileStore[Name] };
  readonly offers: { -readonly [Name in keyof OfferStore]: OfferStore[Name] } = { ...store.offers };
  readonly parts: FileHandlerParts;
  /** The rows that were stored, in order. */
  readonly applied: FileRow[] = [];
  figures: readonly WorkFigures[] = [];
  /** Called before each commit of rows. */
  beforeRows: (file: BulkFile, rows: readonly FileRow[]) => unknown = () => {};
  /** Counts of events. */
  written = 0;
  ended = 0;
  heldUp = 0;
  isStopping = false;
  elapsed_ms = 0;
  account: (accountId: number) => Promise<Account | undefined> = async (accountId) => accountOf(accountId);
  #files = 0;

  constructor(options: EngineOptions = {}) {
    const { slice_rows_max = 10 } = options;
    this.storage = new MemoryFilePlace(options.chunk_bytes);
    this.files = { ...store.files, slice_rows_max, applyRows: (...args) => this.#applyRows(...args) };
    const names = new Names(options.names ?? NEUTRAL_NAMES);
    const taxonomy = { node: (id: number | bigint) => (Number(id) === BROWSE_NODE_ID ? TAXONOMY_NODE : undefined) };
    this.parts = {
      store: { files: this.files, offers: this.offers, work: { readWorkFigures: async () => this.figures } },
      storage: this.storage,
      checks: { store: { offers: this.offers }, names, bodies: createBodyChecks(names, taxonomy) },
      account: (accountId) => this.account(accountId),
      nowMs: () => NOW_MS,
      onRowsWritten: () => {
        this.written++;
      },
      isStopping: () => this.isStopping,
      monotonicMs: () => this.elapsed_ms,
      onFileEnded: () => {
        this.ended++;
      },
      onFull: () => {
        this.heldUp++;
      },
      kept: { add: async () => {} },
      kept_bytes_max: 17_179_869_184,
      unpacked_bytes_max: 100_000_000,
      ...options.parts,
    };
  }

  /** Adds SKUs that exist before any file. */
  async upload(...skuIds: readonly string[]): Promise<void> {
    await Promise.all(
      skuIds.map((skuId) => this.put({ skuId, part: 'sku', document: JSON.stringify(memberBody(skuId)) })),
    );
  }

  /** Makes a single call. */
  async put(write: PartWrite): Promise<void> {
    await store.offers.write({ accountId: this.accountId, skuId: write.skuId, by: 'key:test' }, [write], NOW_MS);
  }

  /** Uploads and submits a file. `bytes` is its recorded size. */
  async send(
    type: FileType,
    content: string | Buffer | object,
    bytes?: number,
    validateOnly = false,
  ): Promise<BulkFile> {
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    const sent = Buffer.from(isRaw ? (content as string) : JSON.stringify(content));
    const key = { accountId: this.accountId, fileId: `file-${++this.#files}` };
    this.storage.files.set(fileName(key, 'upload'), sent);
    await store.files.addFile({ ...key, createdMs: NOW_MS });
    await store.files.noteUploaded(key.accountId, key.fileId, bytes ?? sent.length);
    const file = await store.files.receiveFile({ ...key, type, name: `${key.fileId}.json`, validateOnly }, NOW_MS, 0);
    return file === 'unknown' ? assert.fail('The file was just added.') : file;
  }

  async cancel({ accountId, fileId }: BulkFile): Promise<void> {
    await store.files.cancelFile(accountId, fileId, NOW_MS);
  }

  /** Processes the file from its stored state. */
  async run(file: BulkFile, limits = ENDLESS, parts: ProcessFileParts = this.parts): Promise<FileResult> {
    return processFile(parts, await this.file(file), limits);
  }

  /** Runs the file handler as the loop of this kind does. */
  handle(type: FileType): Promise<number | undefined> {
    return fileHandler(type, this.parts)({ accountId: this.accountId, fence: 1, signal: ENDLESS.signal });
  }

  /** Returns the file as it is stored. */
  async file({ accountId, fileId }: BulkFile): Promise<BulkFile> {
    return (await store.files.readFile(accountId, fileId)) ?? assert.fail(`There is no file ${fileId}.`);
  }

  async progress(file: BulkFile): Promise<FileProgress> {
    return (await this.file(file)).progress;
  }

  async status(file: BulkFile): Promise<string> {
    return (await this.file(file)).status;
  }

  async price(skuId: string): Promise<number | undefined> {
    const found = await store.offers.readPrice({ accountId: this.accountId, skuId });
    return typeof found === 'string' ? undefined : found.price;
  }

  /** Returns the prices of the first 100 SKUs. */
  async prices(): Promise<ReadonlyMap<string, number | undefined>> {
    const page = await store.offers.listSkus(this.accountId, { after: undefined, offset: 0, limit: 100 });
    const skuIds = page === 'after_unknown' ? [] : page.skuIds;
    return new Map(await Promise.all(skuIds.map(async (skuId) => [skuId, await this.price(skuId)] as const)));
  }

  /** Returns the error file as it is served: the valid part with the closing brace. */
  async errors(file: BulkFile): Promise<Record<string, ErrorEntry>> {
    const { errorBytes } = await this.progress(file);
    return JSON.parse(this.#served(fileName(file, 'errors'), errorBytes)) as Record<string, ErrorEntry>;
  }

  /** Returns the retry file; as text if it is not JSON. */
  async retry(file: BulkFile): Promise<unknown> {
    const { format, retryBytes } = await this.progress(file);
    if (format !== 'JSON')
      return this.storage.files.get(fileName(file, 'retry'))?.toString('utf8', 0, retryBytes) ?? '';
    return JSON.parse(this.#served(fileName(file, 'retry'), retryBytes));
  }

  /** Returns the error codes of each row. */
  async errorCodes(file: BulkFile): Promise<Record<string, readonly string[]>> {
    const entries = Object.entries(await this.errors(file));
    return Object.fromEntries(entries.map(([key, { details }]) => [key, details.map(({ code }) => code)]));
  }

  async #applyRows(...args: Parameters<FileStore['applyRows']>): ReturnType<FileStore['applyRows']> {
    const [file, , rows] = args;
    await this.beforeRows(file, rows);
    const outcomes = await store.files.applyRows(...args);
    if (outcomes !== 'stale') this.applied.push(...rows.filter((_, index) => outcomes[index] === 'stored'));
    return outcomes;
  }

  #served(name: string, bytes: number): string {
    return bytes === 0 ? '{}' : `${this.storage.files.get(name)?.toString('utf8', 0, bytes)}\n}`;
  }
}

export interface ErrorEntry {
  readonly errors: readonly string[];
  readonly details: readonly { readonly code: string; readonly field: string; readonly message: string }[];
  readonly byte_offset: number;
}

const TAXONOMY_NODE = {} as never;
