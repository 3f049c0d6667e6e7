/** The commands of the writer thread, by the names that other threads call them by. */
import { authorOfFile } from '../../../domain/author.ts';
import type { FileProgress } from '../../../domain/file-progress.ts';
import type { BulkFile, RowOutcome } from '../../port/files.ts';
import { type CommandName, type NamedCommand, namedCommands } from '../../shared/aggregates.ts';
import { announceForgottenNews } from '../../shared/catalog/announcements.ts';
import { MOVE, moveValues } from '../../shared/files/file-row.ts';
import { announceForgottenFilesAndReports } from '../../shared/files/unfinished.ts';
import { joined } from '../../shared/methods.ts';
import type { Connection } from '../engine/engine.ts';
import { writeRunner } from '../engine/shared-commands.ts';
import { runStatement, writeSqlOn } from '../engine/sql.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import { FileRows } from '../files/file-rows.ts';
import type { RowColumns } from '../files/row-columns.ts';
import { HistoryRetention } from '../history/history-writes.ts';
import { OfferWrites } from '../offers/offer-writes.ts';
import { ReviewWrites } from '../review/review-writes.ts';
import { type Named, named } from './thread-methods.ts';

interface FileWrites {
  applyRows(file: BulkFile, done: FileProgress, rows: RowColumns, nowMs: number): readonly RowOutcome[] | 'stale';
}

interface ForgottenWork {
  announceForgotten(): Promise<void>;
}

export type WriterService = Record<CommandName, NamedCommand> &
  Named<'offers', Omit<OfferWrites, 'groups' | 'history' | 'reviewMarks'>> &
  Named<'review', Omit<ReviewWrites, 'announceForgotten'> & ForgottenWork> &
  Named<'history', HistoryRetention> &
  Named<'files', FileWrites> & {
    /** Answered after the transaction of its batch: the write lock can be had. */
    ping(): void;
  };

export function createWriterService(
  connection: Connection,
  numbers: WriteNumbers,
  keepsHistory: boolean,
): WriterService {
  const sql = writeSqlOn(connection, numbers);
  const offers = new OfferWrites(connection, numbers, keepsHistory);
  const { groups, history, reviewMarks } = offers;
  const reviews = new ReviewWrites(connection, reviewMarks);
  const rows = new FileRows(connection, groups, reviewMarks, history);
  const forgottenWork: ForgottenWork = {
    async announceForgotten() {
      reviews.announceForgotten();
      await announceForgottenNews(sql);
      await announceForgottenFilesAndReports(sql);
    },
  };
  const files: FileWrites = {
    applyRows(file, done, columns, nowMs) {
      const [moved] = runStatement(connection, MOVE, moveValues(file, done));
      if (moved === undefined) return 'stale';
      const { accountId, fileId } = file;
      return rows.apply(accountId, history.begin(accountId, authorOfFile(fileId), true, moved[0], nowMs), columns);
    },
  };
  return {
    ...namedCommands('write', writeRunner(connection, numbers)),
    ...named('offers', offers),
    ...named('review', joined(reviews, forgottenWork)),
    ...named('history', new HistoryRetention(connection)),
    ...named('files', files),
    ping: () => {},
  };
}
