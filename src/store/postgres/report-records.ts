/** Keeps the records of reports: which were requested, and what became of them. */
import { REPORT_KIND, type Report } from '../port/reports.ts';
import { announceMissing, announceWork } from '../shared/work/announcements.ts';
import { type Connection, type Database, statement } from './engine.ts';
import { inWriteTransaction, kept, undone } from './transactions.ts';

type ReportRecord = readonly [
  accountId: number,
  reportId: string,
  requestedMs: number,
  status: Report['status'],
  endedMs: number | null,
  bytes: number,
];

const COLUMNS = 'account_id, report_id, requested_ms, status, ended_ms, bytes';
/** As an index of the schema has it. */
const REQUESTED = `status = 'Requested'`;

const COUNT_REQUESTED = statement<[requested: number]>(
  'count requested reports',
  `SELECT count(*) FROM report WHERE account_id = $1 AND ${REQUESTED}`,
);
const ADD = statement<[]>(
  'add report',
  `INSERT INTO report (account_id, report_id, requested_ms, status) VALUES ($1, $2, $3, 'Requested')`,
);
const READ = statement<ReportRecord>(
  'read report',
  `SELECT ${COLUMNS} FROM report WHERE account_id = $1 AND report_id = $2 AND requested_ms > 0`,
);
const LIST_REQUESTED = statement<ReportRecord>(
  'list requested reports',
  `SELECT ${COLUMNS} FROM report WHERE account_id = $1 AND ${REQUESTED}
   ORDER BY requested_ms, report_id LIMIT $2::bigint`,
);
const FIND = statement<[1]>(
  'find report',
  'SELECT 1 FROM report WHERE account_id = $1 AND report_id = $2 AND requested_ms > 0',
);
const END = statement<[1]>(
  'end report',
  `UPDATE report SET status = $3, bytes = $4, ended_ms = $5
   WHERE account_id = $1 AND report_id = $2 AND ${REQUESTED} RETURNING 1`,
);
const DROP = statement<[]>('drop report', 'DELETE FROM report WHERE account_id = $1 AND report_id = $2');
/** Not readable, not in work, and old enough for the retention sweep. */
const DISCARD = statement<[]>(
  'discard reports',
  `UPDATE report SET requested_ms = 0, status = 'Failed' WHERE account_id = $1 AND requested_ms > 0`,
);
const OLD = statement<ReportRecord>(
  'find old reports',
  `SELECT ${COLUMNS} FROM report WHERE requested_ms < $1 ORDER BY requested_ms LIMIT $2::bigint`,
);
const ALL_REQUESTED = statement<[accountId: number]>(
  'find accounts with requested reports',
  `SELECT DISTINCT account_id FROM report WHERE ${REQUESTED} ORDER BY account_id`,
);

/**
 * Announced first: the row of that work is what two who ask for a report at once queue at, so that the second counts the
 * first one's.
 */
export function addReport(
  database: Database,
  accountId: number,
  reportId: string,
  nowMs: number,
  waiting_max: number,
): Promise<'stored' | 'too_many'> {
  return inWriteTransaction<'stored' | 'too_many'>(database, async (connection) => {
    await announceWork(connection, REPORT_KIND, accountId, 0);
    const [counted] = await connection.run(COUNT_REQUESTED, [accountId]);
    if ((counted?.[0] ?? 0) >= waiting_max) return undone('too_many');
    await connection.run(ADD, [accountId, reportId, nowMs]);
    return kept('stored');
  });
}

export async function readReport(database: Database, accountId: number, reportId: string): Promise<Report | undefined> {
  const [row] = await database.readQuickly(READ, [accountId, reportId]);
  return row === undefined ? undefined : reportOf(row);
}

export async function listRequestedReports(
  connection: Connection,
  accountId: number,
  limit: number,
): Promise<Report[]> {
  return (await connection.run(LIST_REQUESTED, [accountId, limit])).map(reportOf);
}

export async function endReport(
  connection: Connection,
  { accountId, reportId }: Report,
  status: 'Ready' | 'Failed',
  bytes: number,
  nowMs: number,
): Promise<'stored' | 'repeated' | 'gone'> {
  if ((await connection.run(END, [accountId, reportId, status, bytes, nowMs])).length > 0) return 'stored';
  return (await connection.run(FIND, [accountId, reportId])).length > 0 ? 'repeated' : 'gone';
}

export async function listReportsBefore(connection: Connection, beforeMs: number, limit: number): Promise<Report[]> {
  return (await connection.run(OLD, [beforeMs, limit])).map(reportOf);
}

export async function dropReport(connection: Connection, accountId: number, reportId: string): Promise<void> {
  await connection.run(DROP, [accountId, reportId]);
}

export async function discardReports(connection: Connection, accountId: number): Promise<void> {
  await connection.run(DISCARD, [accountId]);
}

/** Of all accounts. */
export async function announceForgottenReports(connection: Connection): Promise<void> {
  const requested = await connection.run(ALL_REQUESTED);
  await announceMissing(
    connection,
    requested.map(([accountId]) => ({ kind: REPORT_KIND, accountId })),
  );
}

function reportOf([accountId, reportId, requestedMs, status, endedMs, bytes]: ReportRecord): Report {
  return { accountId, reportId, requestedMs, status, endedMs, bytes };
}
