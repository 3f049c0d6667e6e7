/** Processes a file with a store and file storage in memory, for tests. */
import type { Account, FulfillmentNode } from '../../domain/account.ts';
import { createBodyChecks } from '../../domain/bodies/all-bodies.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { type NameSettings, Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import { errorsName, retryName, uploadName } from '../../files/file-place.ts';
import { type FileHandlerParts, fileHandler } from '../file-handler.ts';
import { type FileResult, type ProcessFileParts, processFile, type RunLimits } from '../process-file.ts';
import { MemoryFilePlace } from './memory-file-place.ts';
import { MemoryFileStore } from './memory-file-store.ts';

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

export const ACCOUNT_ID = 5;
const BROWSE_NODE_ID = 100;

export const SKU_BODY = Object.freeze({
  product_title: 'A pot with a lid',
  multipack_quantity: 1,
  brand: 'Potter',
  main_image_url: 'https://img.example/pot.jpg',
  ASIN: 'B000000000',
});

/** An unlimited time share. */
export const ENDLESS: RunLimits = {
  signal: new AbortController().signal,
  begin: () => {},
  mayContinue: () => true,
  mustEnd: () => false,
};

export class MemoryEngine {
  readonly store: MemoryFileStore;
  readonly place: MemoryFilePlace;
  readonly parts: FileHandlerParts;
  /** Counts of events. */
  written = 0;
  ended = 0;
  heldUp = 0;
  isStopping = false;
  elapsed_ms = 0;
  account: (accountId: number) => Promise<Account | undefined> = async (accountId) => accountOf(accountId);
  #files = 0;

  constructor(options: { slice_rows_max?: number; names?: NameSettings; parts?: Partial<FileHandlerParts> } = {}) {
    this.store = new MemoryFileStore(options.slice_rows_max);
    this.place = new MemoryFilePlace();
    const names = new Names(options.names ?? NEUTRAL_NAMES);
    const taxonomy = { node: (id: number | bigint) => (Number(id) === BROWSE_NODE_ID ? TAXONOMY_NODE : undefined) };
    this.parts = {
      store: { files: this.store, offers: this.store, work: this.store } as unknown as FileHandlerParts['store'],
      place: this.place,
      checks: { store: { offers: this.store }, names, bodies: createBodyChecks(names, taxonomy) },
      account: (accountId) => this.account(accountId),
      nowMs: () => 1_000,
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
  upload(...skuIds: readonly string[]): void {
    for (const skuId of skuIds) this.store.put(ACCOUNT_ID, { skuId, kind: 'sku', document: '{}' });
  }

  send(type: FileType, content: string | Buffer | object, accountId = ACCOUNT_ID): BulkFile {
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    const bytes = Buffer.from(isRaw ? (content as string) : JSON.stringify(content));
    const file = this.store.addReceived(accountId, type, `file-${++this.#files}`, bytes.length);
    this.place.files.set(uploadName(file), bytes);
    return file;
  }

  /** Processes the file from its stored state. */
  run({ fileId }: BulkFile, limits = ENDLESS, parts: ProcessFileParts = this.parts): Promise<FileResult> {
    return processFile(parts, this.store.file(fileId), limits);
  }

  /** Runs the file handler as the loop of this kind does. */
  handle(type: FileType, accountId = ACCOUNT_ID): Promise<number | undefined> {
    return fileHandler(type, this.parts)({ accountId, fence: 1, signal: ENDLESS.signal });
  }

  progress({ fileId }: BulkFile) {
    return this.store.file(fileId).progress;
  }

  status({ fileId }: BulkFile): string {
    return this.store.file(fileId).status;
  }

  /** Returns the error file as it is served: the valid part with the closing brace. */
  errors(file: BulkFile): Record<string, ErrorEntry> {
    return JSON.parse(this.#served(errorsName(file), this.progress(file).errorBytes)) as Record<string, ErrorEntry>;
  }

  /** Returns the retry file; as text if it is not JSON. */
  retry(file: BulkFile): unknown {
    const { format, retryBytes } = this.progress(file);
    if (format !== 'JSON') return this.place.files.get(retryName(file))?.toString('utf8', 0, retryBytes) ?? '';
    return JSON.parse(this.#served(retryName(file), this.progress(file).retryBytes));
  }

  /** Returns the error codes of each row. */
  errorCodes(file: BulkFile): Record<string, readonly string[]> {
    const entries = Object.entries(this.errors(file));
    return Object.fromEntries(entries.map(([key, { details }]) => [key, details.map(({ code }) => code)]));
  }

  #served(name: string, bytes: number): string {
    return bytes === 0 ? '{}' : `${this.place.files.get(name)?.toString('utf8', 0, bytes)}\n}`;
  }
}

export interface ErrorEntry {
  readonly errors: readonly string[];
  readonly details: readonly { readonly code: string; readonly field: string; readonly message: string }[];
  readonly byte_offset: number;
}

const TAXONOMY_NODE = {} as never;
