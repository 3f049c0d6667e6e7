/**
 * In charge of which reports are to be made and what became of them. The writes run in the writer thread, inside a
 * transaction that is not their own, the reads in the reader thread.
 */
import { REPORT_KIND, type Report } from '../port/reports.ts';
import { ANNOUNCE, ANNOUNCE_MISSING } from '../shared/work/announcements.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { runStatement } from './sql.ts';

type ReportColumns = readonly [
  accountId: number,
  reportId: string,
  requestedMs: number,
  status: Report['status'],
  endedMs: number | null,
  bytes: number,
];

const COLUMNS = 'account_id, report_id, requested_ms, status, ended_ms, bytes';

/** One that was discarded is there for nobody but the sweep for retention. */
const OF_KEY = 'account_id = ? AND report_id = ? AND requested_ms > 0';

export class ReportWrites {
  readonly #connection: Connection;
  readonly #add;
  readonly #end;
  readonly #isThere;
  readonly #drop;
  readonly #waiting;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#add = query(
      connection,
      `INSERT INTO report (account_id, report_id, requested_ms, status) SELECT ?1, ?2, ?3, 'Requested'
       WHERE (SELECT count(*) FROM report WHERE account_id = ?1 AND status = 'Requested') < ?4`,
    );
    this.#end = query(
      connection,
      `UPDATE report SET status = ?3, bytes = ?4, ended_ms = ?5
       WHERE account_id = ?1 AND report_id = ?2 AND status = 'Requested'`,
    );
    this.#isThere = query<[1]>(connection, `SELECT 1 FROM report WHERE ${OF_KEY}`);
    this.#drop = query(connection, 'DELETE FROM report WHERE account_id = ? AND report_id = ?');
    this.#waiting = query<[accountId: number]>(
      connection,
      `SELECT DISTINCT account_id FROM report INDEXED BY report_requested WHERE status = 'Requested'`,
    );
  }

  addReport(accountId: number, reportId: string, nowMs: number, waiting_max: number): 'stored' | 'too_many' {
    if (this.#add.run(accountId, reportId, nowMs, waiting_max).changes === 0) return 'too_many';
    runStatement(this.#connection, ANNOUNCE, [REPORT_KIND, accountId, 0]);
    return 'stored';
  }

  endReport(
    accountId: number,
    reportId: string,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): 'stored' | 'repeated' | 'gone' {
    if (this.#end.run(accountId, reportId, status, bytes, nowMs).changes > 0) return 'stored';
    return this.#isThere.get(accountId, reportId) === undefined ? 'gone' : 'repeated';
  }

  dropReport(accountId: number, reportId: string): void {
    this.#drop.run(accountId, reportId);
  }

  announceForgotten(): void {
    for (const [accountId] of this.#waiting.all()) {
      runStatement(this.#connection, ANNOUNCE_MISSING, [REPORT_KIND, accountId]);
    }
  }
}

export class ReportReads {
  readonly #report;
  readonly #requested;
  readonly #aged;

  constructor(connection: Connection) {
    this.#report = query<ReportColumns>(connection, `SELECT ${COLUMNS} FROM report WHERE ${OF_KEY}`);
    this.#requested = query<ReportColumns>(
      connection,
      `SELECT ${COLUMNS} FROM report INDEXED BY report_requested WHERE account_id = ? AND status = 'Requested'
       ORDER BY requested_ms, report_id LIMIT ?`,
    );
    this.#aged = query<ReportColumns>(
      connection,
      `SELECT ${COLUMNS} FROM report WHERE requested_ms < ? ORDER BY requested_ms LIMIT ?`,
    );
  }

  readReport(accountId: number, reportId: string): Report | undefined {
    const row = this.#report.get(accountId, reportId);
    return row === undefined ? undefined : reportOf(row);
  }

  listRequestedReports(accountId: number, limit: number): Report[] {
    return this.#requested.all(accountId, limit).map(reportOf);
  }

  listReportsBefore(beforeMs: number, limit: number): Report[] {
    return this.#aged.all(beforeMs, limit).map(reportOf);
  }
}

function reportOf([accountId, reportId, requestedMs, status, endedMs, bytes]: ReportColumns): Report {
  return { accountId, reportId, requestedMs, status, endedMs, bytes };
}
