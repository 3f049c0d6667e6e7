/** The checks of a database's health that both engines share. */
import { type Finding, fail, ok, warn } from '../../domain/health.ts';
import { unfinishedCopyText } from '../port/copy.ts';
import { copyMarkOf, READ_COPY_MARK } from './moves/copy-store.ts';
import { listMerchants } from './settings/merchants.ts';
import { type Sql, statement } from './sql.ts';

const CLOCK_SLACK_MS = 60_000;

const LATEST = statement<[ms: number | null]>('check latest time')`
  SELECT max(ms) FROM (SELECT max(created_ms) AS ms FROM signing_key UNION ALL SELECT max(created_ms) FROM merchant
    UNION ALL SELECT max(created_ms) FROM credential) AS latest`;

export function newerSchemaText(version: number, known: number): string {
  return `The schema has version ${version}, but this release supports only up to ${known}. Run the newer release.`;
}

/** `version` is 0 for an empty database; `known` is the newest version of this program. */
export function schemaFinding(version: number, known: number): Finding {
  if (version === 0) {
    return fail(
      'schema',
      'The database is empty: it has no Offerbook tables yet. "offerbook serve", "merchant add", "import" and "copy" create ' +
        'them. If it should have data, check DATABASE_URL and DATA_DIR.',
    );
  }
  if (version > known) return fail('schema', newerSchemaText(version, known));
  return ok(
    'schema',
    version < known ? `Version ${version}; the next start upgrades it to ${known}.` : `Version ${version}, the newest.`,
  );
}

/** Checks a database whose tables this program knows. */
export async function inspectTables(sql: Sql, nowMs: number): Promise<Finding[]> {
  return [await inspectTimes(sql, nowMs), await inspectCopy(sql), await inspectMoves(sql)];
}

/** If the clock was set back, tokens and old keys stay valid for too long. */
async function inspectTimes(sql: Sql, nowMs: number): Promise<Finding> {
  const check = 'data timestamps';
  const latestMs = (await sql.run(LATEST))[0]?.[0] ?? 0;
  if (latestMs <= nowMs + CLOCK_SLACK_MS) return ok(check, 'No timestamp is in the future.');
  const text = `Account settings were changed at ${new Date(latestMs).toISOString()}, which is in the future. Correct this machine's clock.`;
  return fail(check, text);
}

async function inspectCopy(sql: Sql): Promise<Finding> {
  const source = copyMarkOf(await sql.run(READ_COPY_MARK))?.source;
  return source === undefined ? ok('copy', 'No unfinished copy.') : fail('copy', unfinishedCopyText(source));
}

async function inspectMoves(sql: Sql): Promise<Finding> {
  const texts = (await listMerchants(sql)).flatMap(({ merchantId, unfinished }) =>
    unfinished === null ? [] : [`${unfinished} of ${merchantId}`],
  );
  if (texts.length === 0) return ok('moves', 'No unfinished imports or removals.');
  const advice = 'if it is not running now, run "offerbook import" again, or "offerbook merchant remove"';
  return warn('moves', `Unfinished: ${texts.join(', ')}; ${advice}.`);
}
