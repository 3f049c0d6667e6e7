/** Composes the commands of the writer thread, under the names by which other threads call them. */
import { authorOfFile } from '../../../domain/author.ts';
import type { FileProgress } from '../../../domain/file-progress.ts';
import type { BulkFile, RowOutcome } from '../../port/files.ts';
import type { WriteKey } from '../../port/offers.ts';
import { namedCommands } from '../../shared/aggregates.ts';
import { announceForgottenNews } from '../../shared/catalog/news.ts';
import { MOVE, moveValues } from '../../shared/files/file-row.ts';
import { announceForgottenFilesAndReports } from '../../shared/files/progress.ts';
import type { Connection } from '../engine/engine.ts';
import { writeRunner } from '../engine/shared-commands.ts';
import { runStatement, writeSqlOn } from '../engine/sql.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import { fileRows, type RowColumns } from '../files/file-rows.ts';
import type { EventWrites } from '../history/event-writes.ts';
import { historyRetention } from '../history/history-retention.ts';
import { historyWrites } from '../history/history-writes.ts';
import { groupWrites } from '../offers/group-writes.ts';
import { offerWrites } from '../offers/offer-writes.ts';
import { reviewMarks } from '../review/review-marks.ts';
import { reviewWrites } from '../review/review-writes.ts';
import { named } from './thread-methods.ts';

export type WriterService = ReturnType<typeof createWriterService>;

function isWritten(outcome: RowOutcome): boolean {
  return outcome === 'stored' || outcome === 'superseded';
}

export function createWriterService(
  connection: Connection,
  numbers: WriteNumbers,
  events: EventWrites,
  keepsHistory: boolean,
) {
  const sql = writeSqlOn(connection, numbers);
  const history = historyWrites(connection, numbers, events, keepsHistory);
  const marks = reviewMarks(connection, numbers);
  const groups = groupWrites(connection, marks, history);
  const rows = fileRows(connection, groups, marks, history);
  const reviews = reviewWrites(connection, marks, events);

  async function announceForgotten(): Promise<void> {
    reviews.announceForgotten();
    await announceForgottenNews(sql);
    await announceForgottenFilesAndReports(sql);
  }

  function applyRows(
    file: BulkFile,
    done: FileProgress,
    columns: RowColumns,
    nowMs: number,
  ): readonly RowOutcome[] | 'stale' {
    const [moved] = runStatement(connection, MOVE, moveValues(file, done));
    if (moved === undefined) return 'stale';
    const { accountId, fileId } = file;
    return rows.apply(accountId, history.begin(accountId, authorOfFile(fileId), true, moved[0], nowMs), columns);
  }

  function applyLate(
    { accountId, by }: WriteKey,
    [first, ...others]: readonly RowColumns[],
    number: number,
    nowMs: number,
  ): RowOutcome {
    const change = history.begin(accountId, by, false, number, nowMs);
    const apply = (columns: RowColumns) => rows.apply(accountId, change, columns)[0] as RowOutcome;
    const outcome = apply(first as RowColumns);
    // If the first part is written, none of the others may be refused.
    if (isWritten(outcome) && !others.map(apply).every(isWritten)) {
      throw new Error('A part of an offer was refused after an earlier one was written.');
    }
    return outcome;
  }

  return {
    ...namedCommands('write', writeRunner(connection, numbers)),
    ...named('offers', offerWrites(connection, numbers, marks, groups, history)),
    ...named('review', { ...reviews, announceForgotten }),
    ...named('history', historyRetention(connection)),
    ...named('files', { applyRows, applyLate }),
    /** Completed after the transaction of its batch, which shows that the write lock can be taken. */
    ping: () => {},
  };
}
