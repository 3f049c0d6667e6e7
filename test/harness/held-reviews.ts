/** Works on the database of a running server from outside: holds its reviews, and compares what it has stored. */
import { runSql } from './run-sql.ts';
import type { StorePlace } from './store-place.ts';
import { waitUntil } from './wait-until.ts';

const FAR_MS = 9_000_000_000_000;

/**
 * Waits until the reviews of the account are done, and then takes their lease forever, so that a status stays as it is right
 * after a write.
 */
export async function holdReviews(place: StorePlace, accountId: number): Promise<void> {
  await waitUntil('the end of the reviews', 60_000, async () => {
    const [fence] = await runSql(
      place,
      `INSERT INTO work_lease (kind, account_id, due_ms, holder, lease_ends_ms, fence)
       VALUES ('review', ${accountId}, 0, 'test', ${FAR_MS}, ${FAR_MS}) ON CONFLICT DO NOTHING RETURNING fence`,
    );
    return fence;
  });
  // A catalog change marks offers as due even while the lease is taken.
  await waitUntil('the end of the news', 60_000, async () => {
    const [count] = await runSql(place, 'SELECT count(*) FROM catalog_news');
    return Number(count) === 0 || undefined;
  });
}

/** Resumes the reviews that `holdReviews` holds. */
export async function releaseReviews(place: StorePlace): Promise<void> {
  await runSql(place, "UPDATE work_lease SET lease_ends_ms = 0 WHERE holder = 'test'");
}

/** Waits until the storefront has numbered the events of earlier writes. */
export function numberedEvents(place: StorePlace): Promise<true> {
  return waitUntil('the numbers of events', 60_000, async () => {
    const [unnumbered] = await runSql(place, 'SELECT count(*) FROM event_batch WHERE number IS NULL');
    return Number(unnumbered) === 0 || undefined;
  });
}

/**
 * Tables that change without a write: counts and the log of requests, last use of keys, the search index, which is updated after the
 * review, and what the storefront shows.
 */
const RESTLESS = /^(?:rate_counter|request_count|request_log|credential|word_change|offer_words.*|shop_.*)$/;

/** Returns the rows of every table, as text. */
export async function storedRows(place: StorePlace): Promise<Record<string, readonly string[]>> {
  const isPostgres = place.DATABASE_URL !== undefined;
  const tables = await runSql(
    place,
    isPostgres
      ? "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
      : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const rows: Record<string, readonly string[]> = {};
  for (const table of tables.map(String).filter((name) => !RESTLESS.test(name))) {
    const which = table === 'work_lease' ? " WHERE kind = 'review'" : '';
    const row = isPostgres ? 't::text' : await everyColumn(place, table);
    // The other columns change every few seconds, because the server reports that it is alive.
    const columns = table === 'setup_version' ? 'version' : row;
    rows[table] = (await runSql(place, `SELECT ${columns} FROM ${table} t${which}`)).map(String).sort();
  }
  return rows;
}

async function everyColumn(place: StorePlace, table: string): Promise<string> {
  const columns = await runSql(place, `SELECT name FROM pragma_table_info('${table}')`);
  return columns.map((name) => `quote("${name}")`).join(" || '|' || ");
}
