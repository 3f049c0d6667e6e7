/** Stores report requests and their results. */
import type { Report } from '../../../domain/bulk-files.ts';
import { REPORT_KIND, type ReportStore } from '../../port/files.ts';
import { commandsWith, read, undone } from '../command.ts';
import { addAccountEvent } from '../feed/event-rows.ts';
import { columnsOf } from '../records.ts';
import { firstOf, insertStatement, rowsOf, statement } from '../sql.ts';
import { announceWork } from '../work.ts';

const { write } = commandsWith({ account: true });

const REPORT = columnsOf<Report>()(
  'accountId',
  'reportId',
  'type',
  'format',
  'feedCursor',
  'requestedMs',
  'status',
  'endedMs',
  'bytes',
);
/** Excludes discarded reports, which only the retention sweep may see. */
const OF_KEY = 'account_id = $1 AND report_id = $2 AND requested_ms > 0';
/** Must match the WHERE clause of the partial index `report_requested`; otherwise the planner cannot use the index. */
const REQUESTED = `status = 'Requested'`;

const COUNT_REQUESTED = statement<[requested: number]>('count requested reports')`
  SELECT count(*) FROM report WHERE account_id = $1 AND ${REQUESTED}`;
const NEW_REPORT = ['account_id', 'report_id', 'type', 'format', 'feed_cursor', 'requested_ms', 'status'];
const ADD = insertStatement('add report', 'report', NEW_REPORT, 'DO NOTHING');
const READ = statement('read report')`SELECT ${REPORT.list} FROM report WHERE ${OF_KEY}`;
const LIST_REQUESTED = statement('list requested reports')`
  SELECT ${REPORT.list} FROM report WHERE account_id = $1 AND ${REQUESTED} ORDER BY requested_ms, report_id LIMIT $2`;
const END = statement<[type: Report['type']]>('end report')`
  UPDATE report SET status = $3, bytes = $4, ended_ms = $5
  WHERE account_id = $1 AND report_id = $2 AND ${REQUESTED} RETURNING type`;

/** Announces the work first. Concurrent requests queue at the row of that work, so that the second one counts the first. */
export const addReport = write<ReportStore['addReport']>(
  async (sql, { accountId, reportId, type, format = 'CSV', feedCursor = null }, nowMs, waiting_max) => {
    await announceWork(sql, REPORT_KIND, accountId, 0);
    const [counted] = await sql.run(COUNT_REQUESTED, [accountId]);
    if ((counted?.[0] ?? 0) >= waiting_max) return undone('too_many');
    await sql.run(ADD, [accountId, reportId, type, format, feedCursor, nowMs, 'Requested']);
    return 'stored';
  },
);

export const readReport = read<ReportStore['readReport']>({ gate: 'quick' }, firstOf(READ, REPORT.of));
export const listRequestedReports = read<ReportStore['listRequestedReports']>(rowsOf(LIST_REQUESTED, REPORT.of));

export const endReport = write<ReportStore['endReport']>(async (sql, { accountId, reportId }, status, bytes, nowMs) => {
  const [ended] = await sql.run(END, [accountId, reportId, status, bytes, nowMs]);
  if (ended !== undefined) {
    // The marketplace's account has no events.
    if (ended[0] === 'Storefront') return 'stored';
    await addAccountEvent(sql, accountId, { type: 'report.ready', reportId, status }, nowMs);
    return 'stored';
  }
  return (await sql.run(READ, [accountId, reportId])).length > 0 ? 'repeated' : 'gone';
});
