/** Announces work on unfinished files and reports, and discards those of an account, within other transactions. */
import type { FileType } from '../../../domain/vocabulary/file-types.ts';
import { fileKind, REPORT_KIND } from '../../port/files.ts';
import { type Sql, statement } from '../sql.ts';
import { announceMissing, announceWork } from '../work.ts';
import { UNFINISHED } from './file-row.ts';

const TYPES = statement<[type: FileType]>(
  'list types of unfinished files',
  `SELECT DISTINCT type FROM bulk_file WHERE account_id = $1 AND ${UNFINISHED} ORDER BY type`,
);
const ALL = statement<[accountId: number, type: FileType]>(
  'find accounts with unfinished files',
  `SELECT DISTINCT account_id, type FROM bulk_file WHERE ${UNFINISHED} ORDER BY account_id, type`,
);
const ALL_REPORTS = statement<[accountId: number]>(
  'find accounts with requested reports',
  `SELECT DISTINCT account_id FROM report WHERE status = 'Requested' ORDER BY account_id`,
);

/**
 * Makes files and reports unreadable, stops their processing, and makes them old enough for the retention sweep to delete them.
 * Waits for a slice that is being written; no row of these files is written afterwards.
 */
const DISCARD_FILES_AND_REPORTS = [
  statement<[]>(
    'discard files',
    `UPDATE bulk_file SET created_ms = 0, bytes = NULL, number = NULL, status = NULL, name = NULL, error_excerpt = '[]',
       ignored_fields = '[]' WHERE account_id = $1 AND created_ms > 0`,
  ),
  statement<[]>(
    'discard reports',
    `UPDATE report SET requested_ms = 0, status = 'Failed' WHERE account_id = $1 AND requested_ms > 0`,
  ),
] as const;

export async function discardFilesAndReports(sql: Sql, accountId: number): Promise<void> {
  for (const discard of DISCARD_FILES_AND_REPORTS) await sql.run(discard, [accountId]);
}

/** Some of them may have waited for a file that has ended. In order of type, so that concurrent calls do not deadlock. */
export async function announceUnfinished(sql: Sql, accountId: number): Promise<void> {
  for (const [type] of await sql.run(TYPES, [accountId])) await announceWork(sql, fileKind(type), accountId, 0);
}

/** Covers all accounts whose announcement was lost. */
export async function announceForgottenFilesAndReports(sql: Sql): Promise<void> {
  const files = await sql.run(ALL);
  const reports = await sql.run(ALL_REPORTS);
  await announceMissing(sql, [
    ...files.map(([accountId, type]) => ({ kind: fileKind(type), accountId })),
    ...reports.map(([accountId]) => ({ kind: REPORT_KIND, accountId })),
  ]);
}
