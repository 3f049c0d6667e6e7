/** The part of the store for bulk files, reports, request counts and work leases. */
import type { FileStore } from '../port/files.ts';
import type { ReportStore } from '../port/reports.ts';
import type { RequestCountStore } from '../port/traffic.ts';
import type { WorkStore } from '../port/work.ts';
import { methodsOf } from '../shared/aggregates.ts';
import type { Authors } from './authors.ts';
import type { Database } from './engine.ts';
import { FileRows, SLICE_ROWS_MAX, UPLOAD_WEIGHT } from './file-rows.ts';
import { readReportRows } from './report-rows.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';
import { PostgresSetupStore } from './setup.ts';
import { runCommandsOn } from './shared-commands.ts';

export class PostgresFileStore extends PostgresSetupStore {
  readonly files: FileStore;
  readonly reports: ReportStore;
  readonly traffic: RequestCountStore;
  readonly work: WorkStore;
  readonly #rows: FileRows;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    super(database);
    const run = runCommandsOn(database);
    this.#rows = new FileRows(database, announcer, authors);
    this.work = methodsOf('work', run);
    this.traffic = methodsOf('traffic', run);
    this.files = {
      ...methodsOf('files', run),
      slice_rows_max: SLICE_ROWS_MAX,
      upload_weight: UPLOAD_WEIGHT,
      applyRows: (...slice) => this.#rows.apply(...slice),
    };
    this.reports = {
      ...methodsOf('reports', run),
      readReportRows: (...page) => readReportRows(database, ...page),
    };
  }

  /** Waits for slices that are being written. */
  protected closeFiles(): Promise<void> {
    return this.#rows.close();
  }
}
