/** Composes the methods of the writer thread, under the names by which other threads call them. */
import { namedCommands } from '../../shared/aggregates.ts';
import { announceForgotten } from '../../shared/review/review-reads.ts';
import { type Connection, writeSqlOn } from '../engine/connection.ts';
import { writeRunner } from '../engine/shared-commands.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import { fileRows } from '../files/file-rows.ts';
import type { EventWrites } from '../history/event-writes.ts';
import { historyWrites } from '../history/history-writes.ts';
import { groupWrites } from '../offers/group-writes.ts';
import { offerWrites } from '../offers/offer-writes.ts';
import { reviewMarks } from '../review/review-marks.ts';
import { reviewWrites } from '../review/review-writes.ts';

export type WriterService = ReturnType<typeof createWriterService>;

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
  return {
    ...namedCommands('write', writeRunner(connection, numbers)),
    ...offerWrites(connection, numbers, marks, groups, history),
    ...reviewWrites(connection, marks, events),
    announceForgotten: () => announceForgotten(sql),
    ...fileRows(connection, groups, marks, history),
    /** Completed after the transaction of its batch, which shows that the write lock can be taken. */
    ping: () => {},
  };
}
