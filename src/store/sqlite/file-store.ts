/**
 * The part of the store for bulk files, reports, request counts and work leases. Rows of files go in the second lane of the
 * writer thread, lines of reports in that of the reader thread.
 */
import type { FileStore } from '../port/files.ts';
import type { ReportStore } from '../port/reports.ts';
import type { RequestCountStore } from '../port/traffic.ts';
import type { WorkStore } from '../port/work.ts';
import { methodsOf } from '../shared/aggregates.ts';
import type { Connection } from './engine.ts';
import type { ReaderService } from './reader-service.ts';
import { charactersOf, columnsOf } from './row-columns.ts';
import { SqliteSetupStore } from './setup.ts';
import type { SetupWrite, SetupWriteArgs, SetupWriteResult, WriteSetup } from './setup-writes.ts';
import { charactersIn, runCommandsOnThreads } from './shared-commands.ts';
import type { ThreadClient } from './thread-client.ts';
import type { WriterService } from './writer-service.ts';

/**
 * The writer takes some 5 ms for as many prices, or a third as many documents of 1.4 KB, and a single call may wait for all of
 * a slice. A commit has its own cost: in slices of 400 documents a row takes a tenth less of its time.
 */
const SLICE_ROWS_MAX = 800;
const UPLOAD_WEIGHT = 3;

export class SqliteFileStore extends SqliteSetupStore {
  readonly files: FileStore;
  readonly reports: ReportStore;
  readonly traffic: RequestCountStore;
  readonly work: WorkStore;
  /** Of the parts of the store that follow, too. */
  protected readonly writer: ThreadClient<WriterService>;
  protected readonly scanner: ThreadClient<ReaderService>;

  constructor(writing: Connection, writer: ThreadClient<WriterService>, scanner: ThreadClient<ReaderService>) {
    const run = runCommandsOnThreads(writing, writer, scanner);
    super(writing, setupWriter(writer), run);
    this.work = methodsOf('work', run);
    this.traffic = methodsOf('traffic', run);
    this.files = {
      ...methodsOf('files', run),
      slice_rows_max: SLICE_ROWS_MAX,
      upload_weight: UPLOAD_WEIGHT,
      applyRows: async (file, done, rows, nowMs) => {
        if (rows.length > SLICE_ROWS_MAX) throw new Error(`${rows.length} rows are too many for one slice.`);
        const columns = columnsOf(rows);
        const characters = charactersOf(columns) + done.errorExcerpt.length;
        return writer.callBehind('applyRows', [file, done, columns, nowMs], characters);
      },
    };
    this.reports = {
      ...methodsOf('reports', run),
      readReportRows: (...page) => scanner.callBehind('readReportRows', page, 0),
    };
    this.writer = writer;
    this.scanner = scanner;
  }
}

/** People wait for these, as for single calls. */
function setupWriter(writer: ThreadClient<WriterService>): WriteSetup {
  return <Name extends SetupWrite>(name: Name, ...args: SetupWriteArgs<Name>) =>
    writer.call('writeSetup', [name, args], charactersIn(args)) as Promise<SetupWriteResult<Name>>;
}
