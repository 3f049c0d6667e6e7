/** Stores the last requests of each account, for its developers. */
import { LIMITS } from '../../../domain/limits.ts';
import type { LoggedGroup, LoggedRequest, NewLoggedRequest, RequestLogStore } from '../../port/traffic.ts';
import { snapshot, write } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { insertStatement, listsOf, rowsOf, rowsStatement, runOnly, type Statement, statement } from '../sql.ts';

/** How many requests are dropped at a time. This takes SQLite's writer a few milliseconds. */
const DROPPED_MAX = 2_000;
/** Maximum number of accounts with old requests per round of housekeeping. The next round handles the remaining accounts. */
const ACCOUNTS_MAX = 10_000;

/** Stores the codes with a space before and after each; '' if there are none. */
const CODES = {
  read: (text: string) => (text === '' ? [] : text.trim().split(' ')),
  write: (codes: readonly string[]) => (codes.length === 0 ? '' : ` ${codes.join(' ')} `),
};
const FIELDS = ['atMs', 'requestId', 'call', 'status', 'took_us', 'codes', 'skuId', 'user'] as const;
/** A request without its details. */
const REQUEST = columnsOf<LoggedRequest>({ codes: CODES })(...FIELDS);
const DETAILS = columnsOf<LoggedRequest>({ problems: JSON_TEXT })('url', 'problems', 'body');
const NEW_REQUEST = columnsOf<NewLoggedRequest>({ codes: CODES, problems: JSON_TEXT })(
  ...FIELDS,
  'unlogged',
  'url',
  'problems',
  'body',
);
const NO_DETAILS = { url: null, problems: null, body: null };
/** The requests that reads see. */
const KEPT = `FROM (
     SELECT ${REQUEST.list}, unlogged FROM request_log WHERE account_id = $1 AND at_ms >= $2
     ORDER BY at_ms DESC, request_id DESC LIMIT ${LIMITS.request_log_requests_max}
   ) kept`;

const ADD = insertStatement('add logged requests', 'request_log', ['account_id'], 'DO NOTHING', NEW_REQUEST.names);
const KEEPS_BODIES = statement<[logsBodies: 0 | 1]>('read whether bodies are logged')`
  SELECT logs_bodies FROM account WHERE account_id = $1`;
/** A LIKE pattern finds one of several codes. Empty texts match everything. */
const PAGE = statement('read logged requests')`
  SELECT ${REQUEST.list} ${KEPT}
  WHERE (at_ms, request_id) < ($3, $4) AND status BETWEEN $5 AND $6 AND ($7 = '' OR call = $7)
    AND codes LIKE $8 ESCAPE '!' AND ($9 = '' OR user_name = $9) AND ($10 = '' OR sku_id = $10 OR request_id = $10)
  ORDER BY at_ms DESC, request_id DESC LIMIT $11`;
const GROUP = columnsOf<LoggedGroup>({ codes: CODES })('call', 'user', 'codes', 'requests', 'unlogged');
const SUMMARY = statement('summarize logged requests')`
  SELECT call, user_name, codes, count(*), CAST(sum(unlogged) AS bigint) ${KEPT} GROUP BY call, user_name, codes`;
/** Reads details separately, because finding the page reads up to 10,000 rows. */
const READ_DETAILS = rowsStatement<[requestId: string, ...details: unknown[]]>('read details of logged requests')`
  SELECT l.request_id, l.url, l.problems, l.body FROM unnest($2::bigint[], $3::text[]) AS i (at_ms, request_id)
  JOIN request_log l ON l.account_id = $1 AND l.at_ms = i.at_ms AND l.request_id = i.request_id`;
const DROP_BODIES = statement<[]>('drop bodies of logged requests')`
  UPDATE request_log SET body = NULL WHERE account_id = $1 AND body IS NOT NULL`;
const OLD_ACCOUNTS = statement<[accountId: number]>('find accounts with old logged requests')`
  SELECT DISTINCT account_id FROM request_log WHERE at_ms < $1 LIMIT ${ACCOUNTS_MAX}`;
const BUSY_ACCOUNTS = statement<[accountId: number]>('find accounts with requests since a minute')`
  SELECT DISTINCT account_id FROM request_count WHERE minute >= $1`;
const DROP_OLD = dropStatement('drop old logged requests', 'AND at_ms < $2 ORDER BY at_ms');
const NEWEST_FIRST = 'ORDER BY at_ms DESC, request_id DESC';
const BEYOND_LIMIT = `OFFSET ${LIMITS.request_log_requests_max}`;
const DROP_BEYOND = dropStatement('drop logged requests beyond the limit', NEWEST_FIRST, BEYOND_LIMIT);

function dropStatement(name: string, which: string, offset = ''): Statement<[one: number]> {
  return statement(name)`
    DELETE FROM request_log WHERE account_id = $1 AND (at_ms, request_id) IN (
      SELECT at_ms, request_id FROM request_log WHERE account_id = $1 ${which} LIMIT ${DROPPED_MAX} ${offset})
    RETURNING 1`;
}

export const addRequestLog = write<RequestLogStore['addRequestLog']>(
  { account: true, slices: 1 },
  async (sql, accountId, requests) => {
    if (requests.length === 0) return;
    // Body logging may have been turned off since the requests were served.
    const hasBodies = requests.some(({ body }) => body !== null);
    const isOff = hasBodies && (await sql.run(KEEPS_BODIES, [accountId]))[0]?.[0] !== 1;
    const stored = isOff ? requests.map((request) => ({ ...request, body: null })) : requests;
    await sql.run(ADD, [accountId, ...NEW_REQUEST.listsOf(stored)]);
  },
);

export const readRequestLog = snapshot<RequestLogStore['readRequestLog']>(
  { account: true },
  async (sql, accountId, { sinceMs, after, limit, ...filter }) => {
    const rows = await sql.run(PAGE, [
      ...[accountId, sinceMs, after?.atMs ?? Number.MAX_SAFE_INTEGER, after?.requestId ?? ''],
      ...[filter.statusMin ?? 0, filter.statusMax ?? 999, filter.call ?? '', patternOf(filter.code)],
      ...[filter.user ?? '', filter.id ?? '', limit],
    ]);
    const requests = rows.map(REQUEST.of);
    const failed = requests.filter(({ status }) => status >= 400);
    const rowsOfFailed = await sql.run(READ_DETAILS, [accountId, ...listsOf(failed, 'atMs', 'requestId')]);
    const detailsOf = new Map(rowsOfFailed.map(([requestId, ...details]) => [requestId, DETAILS.of(details)]));
    return requests.map((request) => ({ ...request, ...(detailsOf.get(request.requestId) ?? NO_DETAILS) }));
  },
);

/** Escapes `_` and `%`. */
function patternOf(code: string | undefined): string {
  return code === undefined ? '%' : `% ${code.replaceAll(/[!%_]/g, '!$&')} %`;
}

export const summarizeRequestLog = snapshot<RequestLogStore['summarizeRequestLog']>(
  { account: true },
  rowsOf(SUMMARY, GROUP.of),
);

export const dropBodiesInRequestLog = write<RequestLogStore['dropBodiesInRequestLog']>(
  { account: true, lane: 'background' },
  runOnly(DROP_BODIES),
);

export const listLoggingAccounts = snapshot<RequestLogStore['listLoggingAccounts']>(
  async (sql, beforeMs, sinceMinute) => {
    const rows = [...(await sql.run(OLD_ACCOUNTS, [beforeMs])), ...(await sql.run(BUSY_ACCOUNTS, [sinceMinute]))];
    return [...new Set(rows.map(([accountId]) => accountId))];
  },
);

export const dropRequestLog = write<RequestLogStore['dropRequestLog']>(
  { account: true, lane: 'background' },
  async (sql, accountId, beforeMs) => {
    const old = await sql.run(DROP_OLD, [accountId, beforeMs]);
    const beyond = await sql.run(DROP_BEYOND, [accountId]);
    return old.length === DROPPED_MAX || beyond.length === DROPPED_MAX;
  },
);
