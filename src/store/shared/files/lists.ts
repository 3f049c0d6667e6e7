/** Reads records of bulk files. */
import type { KeptFile } from '../../../domain/bulk-files.ts';
import type { FileStore } from '../../port/files.ts';
import { read, snapshot } from '../command.ts';
import { columnsOf } from '../records.ts';
import { firstOf, isFound, numberOf, rowsOf, statement } from '../sql.ts';
import { COLUMNS, fileOf, OF_KEY, UNFINISHED } from './file-row.ts';

const SUBMITTED = 'account_id = $1 AND number IS NOT NULL';

/** `$3` is the searched text or '', `$4` the pattern for names, and `$5` whether files are only validated; null: all files. */
const LISTED = `${SUBMITTED} AND created_ms > $2
   AND ($3 = '' OR lower($3) = file_id OR lower(name) LIKE lower($4) ESCAPE '!')
   AND coalesce($5, validate_only) = validate_only`;

const READ = statement('read file')`SELECT ${COLUMNS} FROM bulk_file WHERE ${OF_KEY} AND number IS NOT NULL`;
const LIST = statement('list files')`
  SELECT ${COLUMNS} FROM bulk_file WHERE ${LISTED} ORDER BY number DESC LIMIT $6 OFFSET $7`;
const COUNT = statement<[total: number]>('count files')`SELECT count(*) FROM bulk_file WHERE ${LISTED}`;
/** Comparing `created_ms` and `type` makes SQLite use the indexes of waiting files instead of reading all files of the account. */
const SUM_WAITING = statement<[bytes: number]>('sum waiting files')`
  SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM (
    SELECT bytes FROM bulk_file WHERE account_id = $1 AND number IS NULL AND created_ms > 0
    UNION ALL
    SELECT bytes FROM bulk_file WHERE account_id = $1 AND type > '' AND ${UNFINISHED}
  ) waiting`;
const LIST_UNFINISHED = statement('list unfinished files')`
  SELECT ${COLUMNS} FROM bulk_file WHERE account_id = $1 AND type = $2 AND ${UNFINISHED} ORDER BY number LIMIT $3`;
const HAS_UNFINISHED = statement<[1]>('find unfinished file')`
  SELECT 1 FROM bulk_file
  WHERE account_id = $1 AND type = $2 AND number < $3 AND ${UNFINISHED} AND phase <> 'waiting'
    AND validate_only = 0 LIMIT 1`;
const HAS_EARLIER = statement<[1]>('find earlier file since')`
  SELECT 1 FROM bulk_file
  WHERE account_id = $1 AND number IS NOT NULL AND number < $2 AND (ended_ms IS NULL OR received_ms >= $3)
    AND validate_only = 0 LIMIT 1`;
const isUnfinishedBefore = isFound(HAS_UNFINISHED);
/** Failed files: files without a single applied row. */
const REJECTED = statement('list rejected files of all accounts')`
  SELECT ${COLUMNS} FROM bulk_file
  WHERE created_ms > $1 AND status = 'Processed with errors' AND rows_failed >= rows_processed AND validate_only = 0
  ORDER BY created_ms DESC LIMIT $2`;
const KEPT = columnsOf<KeptFile>()('kind', 'accountId', 'id');
/** Only a cancelled file keeps its list of deferred rows. */
const KEPT_BEYOND = statement('list kept files beyond the limit')`
  SELECT kind, CAST($1 AS bigint), id FROM (
    SELECT kind, id, made_ms, bytes, sum(bytes) OVER (ORDER BY made_ms DESC, id) AS bytes_so_far FROM (
      SELECT 'file' AS kind, file_id AS id, created_ms AS made_ms,
        bytes + error_bytes + retry_bytes + CASE WHEN status = 'Cancelled' THEN deferred_bytes ELSE 0 END AS bytes
      FROM bulk_file WHERE ${SUBMITTED} AND ended_ms IS NOT NULL
      UNION ALL
      SELECT 'report', report_id, requested_ms, bytes FROM report
      WHERE account_id = $1 AND status = 'Ready' AND ended_ms > $3
    ) kept
  ) counted WHERE bytes_so_far - bytes >= $2 ORDER BY made_ms, id LIMIT $4`;
const OLD_FILES = statement('find old files')`
  SELECT 'file', account_id, file_id FROM bulk_file WHERE created_ms < $1 ORDER BY created_ms LIMIT $2`;
const OLD_REPORTS = statement('find old reports')`
  SELECT 'report', account_id, report_id FROM report WHERE requested_ms < $1 ORDER BY requested_ms LIMIT $2`;
/** `+` keeps both planners from using the index on age, which would read submitted files too. */
const OLD_UPLOADS = statement('find old uploads')`
  SELECT 'file', account_id, file_id FROM bulk_file
  WHERE number IS NULL AND +created_ms > 0 AND +created_ms < $1 LIMIT $2`;

export const readFile = read<FileStore['readFile']>({ gate: 'quick' }, firstOf(READ, fileOf));

export const listFiles = snapshot<FileStore['listFiles']>(
  { account: true },
  async (sql, accountId, { madeAfterMs, offset, limit, search = '', validateOnly }) => {
    const pattern = `%${search.replaceAll(/[!%_]/g, '!$&')}%`;
    const listed = [accountId, madeAfterMs, search, pattern, validateOnly === undefined ? null : Number(validateOnly)];
    const [files, [counted]] = await Promise.all([sql.run(LIST, [...listed, limit, offset]), sql.run(COUNT, listed)]);
    return { files: files.map(fileOf), total: counted?.[0] ?? 0 };
  },
);

export const readWaitingBytes = snapshot<FileStore['readWaitingBytes']>({ account: true }, numberOf(SUM_WAITING));
export const listUnfinishedFiles = read<FileStore['listUnfinishedFiles']>(rowsOf(LIST_UNFINISHED, fileOf));

export const listRejectedFiles = read<FileStore['listRejectedFiles']>(rowsOf(REJECTED, fileOf));

export const hasUnfinishedBefore = read<FileStore['hasUnfinishedBefore']>(async (sql, accountId, types, number) => {
  // One after the other: for a list of types, SQLite would not use the index.
  for (const type of types) if (await isUnfinishedBefore(sql, accountId, type, number)) return true;
  return false;
});

export const hasEarlierSince = read<FileStore['hasEarlierSince']>(isFound(HAS_EARLIER));

export const listKeptBeyond = snapshot<FileStore['listKeptBeyond']>({ account: true }, rowsOf(KEPT_BEYOND, KEPT.of));

export const listKeptBefore = snapshot<FileStore['listKeptBefore']>(async (sql, beforeMs, uploadsBeforeMs, limit) => {
  const [files, uploads, reports] = await Promise.all([
    sql.run(OLD_FILES, [beforeMs, limit]),
    sql.run(OLD_UPLOADS, [uploadsBeforeMs, limit]),
    sql.run(OLD_REPORTS, [beforeMs, limit]),
  ]);
  return [...files, ...uploads, ...reports].map(KEPT.of);
});
