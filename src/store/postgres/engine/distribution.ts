/**
 * Distributes the tables over the nodes of a Citus database; does nothing on plain PostgreSQL. This is not a numbered migration,
 * because Citus may be installed later, when the tables already hold data.
 */
import { statement } from '../../shared/sql.ts';
import type { Connection } from './connection.ts';
import type { PooledConnection } from './pooled-connection.ts';

/**
 * Distribution column of each large table. The data of one account is together on one node. Data that the review shares between
 * accounts is distributed by the key that all its statements use.
 */
export const DISTRIBUTION_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['offer', 'account_id'],
  ['bulk_file', 'account_id'],
  ['report', 'account_id'],
  ['plan', 'account_id'],
  ['idempotency_key', 'account_id'],
  ['request_log', 'account_id'],
  ['author', 'account_id'],
  ['offer_history', 'account_id'],
  ['history_size', 'account_id'],
  ['offer_listing', 'account_id'],
  ['offer_count', 'account_id'],
  ['upcoming_failure', 'account_id'],
  ['event_batch', 'account_id'],
  ['event_feed', 'account_id'],
  ['shop_account', 'account_id'],
  ['shop_sku', 'account_id'],
  ['catalog', 'code'],
  ['catalog_user', 'code'],
  ['shop_offer', 'code'],
  ['shop_product', 'code'],
  ['shop_term', 'term'],
  ['shop_event', 'environment'],
  ['image', 'address_hash'],
  ['image_user', 'address_hash'],
  ['image_waiting', 'address_hash'],
]);

export const DISTRIBUTED_TABLES: readonly string[] = Object.freeze([...DISTRIBUTION_COLUMNS.keys()]);

/** Small tables, copied to every node. Each comes after the tables that it references. */
export const REFERENCE_TABLES: readonly string[] = Object.freeze([
  'merchant',
  'account',
  'credential',
  'fulfillment_node',
  'return_location',
  'signing_key',
  'portal_user',
  'one_time_link',
  'passkey',
  'portal_session',
  'pending_import',
  'pending_removal',
  'taxonomy',
  'taxonomy_part',
  'policy',
  'placeholder',
  'rule_change',
  'announced_change',
  'catalog_correction',
]);

const HAS_CITUS = statement<[boolean]>('find citus')`SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`;
/**
 * This statement and the next need Citus. Omits tables that Citus knows only because others reference them: method `n` without the
 * replication model `t` of reference tables.
 */
const LIST_DISTRIBUTED = statement<[table: string]>('list spread tables')`
  SELECT relname::text FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
  WHERE partmethod <> 'n' OR repmodel = 't'`;
const COUNT_WORKERS = statement<[workers: number]>('count workers')`
  SELECT count(*) FROM pg_dist_node WHERE groupid > 0 AND noderole = 'primary'`;

/** Returns 0 on plain PostgreSQL. */
export async function readWorkers(connection: Connection): Promise<number> {
  const [row] = await connection.run(HAS_CITUS);
  if (!row?.[0]) return 0;
  return (await connection.run(COUNT_WORKERS))[0]?.[0] ?? 0;
}

export const ACCOUNT_TABLES: readonly string[] = [...DISTRIBUTION_COLUMNS].flatMap(([table, column]) =>
  column === 'account_id' ? [table] : [],
);
/**
 * Sets the planner hint of the migrations on the shards, which do not inherit it. Runs at every start: an earlier start may have
 * been interrupted, and split shards are new tables. One command per node covers all its shards, which takes no longer than
 * commands for the shards of a single table. Citus hides shards by default.
 */
const EVERY_ACCOUNT_IS_LARGE = `SELECT run_command_on_all_nodes($command$
  DO $block$
    DECLARE shard regclass;
    BEGIN
      PERFORM set_config('citus.override_table_visibility', 'off', true);
      FOR shard IN SELECT attrelid::regclass FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relkind = 'r' AND relname ~ '^(${ACCOUNT_TABLES.join('|')})_[0-9]+$' AND attname = 'account_id'
          AND NOT coalesce(attoptions, '{}') @> '{n_distinct=1}'
      LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN account_id SET (n_distinct = 1)', shard);
      END LOOP;
    END $block$ $command$)`;

/**
 * Removes the rows that Citus left on the coordinator when it copied them to shards. Runs after all tables are distributed, because a table
 * is truncated together with the tables that reference it. Runs at every start, because an earlier start may have been interrupted.
 */
const DROP_OLD_ROWS = `SELECT truncate_local_data_after_distributing_table(spread.name::regclass)
  FROM unnest(ARRAY['${[...DISTRIBUTED_TABLES, ...REFERENCE_TABLES].join("', '")}']) AS spread (name)
  WHERE pg_relation_size(spread.name::regclass) > 0`;

/** Distributes the tables under the migration lock. If a run is interrupted, the next start continues it. */
export async function distribute(connection: Pick<PooledConnection, 'run' | 'runScript'>): Promise<void> {
  const [row] = await connection.run(HAS_CITUS);
  if (!row?.[0]) return;
  const distributed = new Set((await connection.run(LIST_DISTRIBUTED)).map(([table]) => table));
  // Citus accepts only one such statement per transaction.
  for (const table of REFERENCE_TABLES) {
    if (!distributed.has(table)) await connection.runScript(`SELECT create_reference_table('${table}')`);
  }
  for (const [table, column] of DISTRIBUTION_COLUMNS) {
    if (!distributed.has(table)) await connection.runScript(`SELECT create_distributed_table('${table}', '${column}')`);
  }
  await connection.runScript(DROP_OLD_ROWS);
  await connection.runScript(EVERY_ACCOUNT_IS_LARGE);
}
