/** Runs the loops that process bulk files and reports: one per file type, so that no type waits for another. */

import { AccountDirectory, REFRESH_INTERVAL_MS } from '../access/account-directory.ts';
import { LeasedLoop, type LeasedLoopOptions } from '../background/leased-loop.ts';
import { createBodyChecks } from '../domain/bodies/all-bodies.ts';
import type { Names } from '../domain/names.ts';
import { compilePolicies } from '../domain/review/policies.ts';
import { FILE_TYPES, type FileType } from '../domain/vocabulary/file-types.ts';
import type { FileStorage } from '../files/file-storage.ts';
import { KeptFiles } from '../operations/files/kept-files.ts';
import { fileKind, REPORT_KIND } from '../store/port/files.ts';
import type { Store } from '../store/port.ts';
import { CurrentTaxonomy } from '../taxonomy/current-taxonomy.ts';
import { type FileHandlerParts, fileHandler } from './file-handler.ts';
import { createReportHandler } from './make-report.ts';
import type { RunningBulk } from './start-bulk.ts';
import { CheckThreads } from './threads/check-threads.ts';
import type { ExportParts, FeedSettings } from './write-export.ts';

export interface BulkWorkOptions extends Pick<LeasedLoopOptions, 'telemetry' | 'holder'> {
  readonly store: Store;
  readonly storage: FileStorage;
  readonly names: Names;
  /** For exports of the storefront. */
  readonly feeds: FeedSettings;
  /** Time of day. */
  readonly nowMs: () => number;
  /** Never runs backwards. */
  readonly monotonicMs: () => number;
  readonly unpacked_bytes_max: number;
  readonly kept_bytes_max: number;
  /** How many threads may check rows of SKU files, in addition to the thread of the caller. */
  readonly check_threads_max: number;
  /** Called when offers may be due for review. */
  readonly onRowsWritten: () => void;
}

/** If a process is killed, its work is taken over after this time. */
const LEASE_MS = 10_000;
/** Files that this process received start immediately. Files that other processes received start within this time. */
const POLL_MS = 1_000;
const RETRY_MS = 5_000;

/** SKU files are the largest, so two run at once: a second merchant does not have to wait for the first. */
const LOOPS: Readonly<Partial<Record<FileType, number>>> = { MerchantSKUs: 2 };

export async function startBulkWork(options: BulkWorkOptions): Promise<RunningBulk> {
  const { store, storage, names, telemetry, holder, nowMs } = options;
  const setup = await followSetup(store, telemetry);
  let isStopping = false;
  const wake = () => {
    for (const loop of loops) loop.wake();
  };
  const kept = new KeptFiles({ store, storage, kept_bytes_max: options.kept_bytes_max, nowMs });
  const onFull = () => telemetry.observe('files_held_up', {});
  const { taxonomy } = setup;
  const checkThreads = new CheckThreads({ threads_max: options.check_threads_max, names: names.settings, taxonomy });
  const parts: FileHandlerParts = {
    store,
    storage,
    checks: { store, names, bodies: createBodyChecks(names, taxonomy) },
    checkThreads,
    account: setup.account,
    nowMs,
    monotonicMs: options.monotonicMs,
    onRowsWritten: options.onRowsWritten,
    unpacked_bytes_max: options.unpacked_bytes_max,
    isStopping: () => isStopping,
    onFileEnded: wake,
    onFull,
    kept,
    kept_bytes_max: options.kept_bytes_max,
  };
  const leased = { store: store.work, telemetry, holder, lease_ms: LEASE_MS, poll_ms: POLL_MS, retry_ms: RETRY_MS };
  const loops = FILE_TYPES.flatMap((type) =>
    Array.from(
      { length: LOOPS[type] ?? 1 },
      () => new LeasedLoop({ ...leased, kind: fileKind(type), handler: fileHandler(type, parts) }),
    ),
  );
  const exports: ExportParts = {
    ...options.feeds,
    storefront: store.storefront,
    order: async () => compilePolicies(await store.policies.listPolicies()).rankOrder,
    async environmentOf(accountId) {
      const account = await setup.account(accountId);
      if (account === undefined) throw new Error(`There is no account ${accountId}.`);
      return account.environment;
    },
  };
  const handler = createReportHandler({ store: store.reports, storage, names, nowMs, onFull, kept, exports });
  loops.push(new LeasedLoop({ ...leased, kind: REPORT_KIND, handler }));
  return {
    wake,
    async close(wait_ms_max) {
      isStopping = true;
      await Promise.all(loops.map((loop) => loop.close(wait_ms_max)));
      await checkThreads.close();
      setup.stop();
    },
  };
}

/**
 * Provides the accounts and the taxonomy for checking rows, refreshed from the store twice a second. So a file sees a
 * node that is added while the file is processed.
 */
async function followSetup(store: Store, telemetry: BulkWorkOptions['telemetry']) {
  const directory = new AccountDirectory(store);
  const taxonomy = new CurrentTaxonomy(store.taxonomy);
  const follow = async () => {
    await directory.refresh();
    await taxonomy.follow(directory.version);
  };
  await follow();
  const timer = setInterval(() => {
    follow().catch((error: unknown) => telemetry.observe('setup_unreadable', { error }));
  }, REFRESH_INTERVAL_MS);
  return { taxonomy, account: (accountId: number) => directory.account(accountId), stop: () => clearInterval(timer) };
}
