/** Represents a process that handles the bulk files of one database, with its store, file storage and loops. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { type BulkWorkOptions, startBulkWork } from '../../src/bulk/bulk-work.ts';
import type { RunningBulk } from '../../src/bulk/start-bulk.ts';
import { readSettings } from '../../src/config/settings.ts';
import type { BulkFile } from '../../src/domain/bulk-files.ts';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import type { FileType } from '../../src/domain/vocabulary/file-types.ts';
import { DiskFileStorage } from '../../src/files/disk-file-storage.ts';
import { fileName } from '../../src/files/file-storage.ts';
import { newMerchant } from '../../src/store/contract/subject.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/port.ts';
import { createPlace, type StoreKind } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** A file's turn is 10 s by the clock of the loops, which runs 100 times as fast here. */
const CLOCK_FACTOR = 100;

export class BulkBench {
  readonly store: Store;
  readonly files: DiskFileStorage;
  readonly #open: () => Promise<Store>;
  readonly #closing: (() => Promise<void>)[] = [];

  static async create(kind: StoreKind): Promise<BulkBench> {
    const { place, remove } = await createPlace(kind);
    const settings = readSettings(place);
    const open = () =>
      openStore(settings, (error) => {
        throw error;
      });
    const store = await open();
    const files = new DiskFileStorage(path.join(place.DATA_DIR, 'files'));
    await files.prepare();
    const bench = new BulkBench(store, files, open);
    bench.#closing.push(remove, () => store.close());
    return bench;
  }

  private constructor(store: Store, files: DiskFileStorage, open: () => Promise<Store>) {
    this.store = store;
    this.files = files;
    this.#open = open;
  }

  /** Starts another process on the same database, if the store allows several. */
  async openSecond(): Promise<Store> {
    const store = await this.#open();
    this.#closing.push(() => store.close());
    return store;
  }

  async work(store: Store = this.store, options: Partial<BulkWorkOptions> = {}): Promise<RunningBulk> {
    const work = await startBulkWork({
      store,
      storage: this.files,
      names: new Names(NEUTRAL_NAMES),
      feeds: { currency: 'USD', storefrontUrl: undefined },
      telemetry: {
        observe: (event, fields) => {
          if ('error' in fields) throw new Error(`${event}`, { cause: fields.error });
        },
      },
      holder: randomUUID(),
      nowMs: () => Date.now(),
      monotonicMs: () => performance.now() * CLOCK_FACTOR,
      unpacked_bytes_max: 1e9,
      kept_bytes_max: 1e12,
      check_threads_max: 0,
      onRowsWritten: () => {},
      ...options,
    });
    this.#closing.push(() => work.close(10_000));
    return work;
  }

  async newAccount(): Promise<number> {
    const merchant = newMerchant();
    await this.store.settings.addMerchant(merchant, Date.now());
    const added = await this.store.settings.readMerchant(merchant.merchantId);
    if (added === undefined) throw new Error('The merchant is not there.');
    return added.accounts.live;
  }

  async send(accountId: number, type: FileType, content: object | string): Promise<BulkFile> {
    const fileId = randomUUID();
    const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    const draft = await this.files.create(fileName({ accountId, fileId }, 'upload'));
    await draft.write(bytes);
    await draft.keep();
    await this.store.files.addFile({ accountId, fileId, createdMs: Date.now() });
    await this.store.files.noteUploaded(accountId, fileId, bytes.length);
    const file = await this.store.files.receiveFile({ accountId, fileId, type, name: 'rows.json' }, Date.now(), 0);
    if (file === 'unknown') throw new Error('The file is not there.');
    return file;
  }

  async read({ accountId, fileId }: BulkFile): Promise<BulkFile> {
    const file = await this.store.files.readFile(accountId, fileId);
    if (file === undefined) throw new Error('The file is gone.');
    return file;
  }

  async begun(file: BulkFile): Promise<void> {
    await waitUntil(`the beginning of a ${file.type} file`, 300_000, async () => {
      return (await this.read(file)).status !== 'Acknowledged' || undefined;
    });
  }

  async ended(file: BulkFile): Promise<BulkFile> {
    return waitUntil(`the end of a ${file.type} file`, 300_000, async () => {
      const read = await this.read(file);
      return read.endedMs === null ? undefined : read;
    });
  }

  /** Returns the file as the server sends it. */
  async errorsOf(file: BulkFile): Promise<Record<string, { readonly errors: readonly string[] }>> {
    const { errorBytes } = file.progress;
    if (errorBytes === 0) return {};
    const chunks: Buffer[] = [];
    const reading = this.files.read(fileName(file, 'errors'), 0, errorBytes);
    reading.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(reading, 'end');
    return JSON.parse(`${Buffer.concat(chunks)}}`) as Record<string, { readonly errors: readonly string[] }>;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }
}

export function rowsOf<T>(count: number, body: (index: number) => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, body(index)]));
}
