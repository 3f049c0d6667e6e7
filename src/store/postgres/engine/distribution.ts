/**
 * In charge of spreading the tables over the nodes of a Citus database; on plain PostgreSQL there is nothing to do.
 * Not part of the numbered migrations, because the extension may come later, to tables that hold data already.
 */

import { statement } from '../../shared/sql.ts';
import type { Connection, HeldConnection } from './connection.ts';

/**
 * By which column the rows of the large tables are spread. Merchants' data: those of one account are together on one node.
 * What the review shares between accounts: each by its own key, by which alone it is reached.
 */
export const DISTRIBUTION_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['offer', 'account_id'],
  ['bulk_file', 'account_id'],
  ['report', 'account_id'],
  ['author', 'account_id'],
  ['offer_history', 'account_id'],
  ['offer_listing', 'account_id'],
  ['offer_count', 'account_id'],
  ['catalog', 'code'],
  ['catalog_user', 'code'],
  ['image', 'address_hash'],
  ['image_user', 'address_hash'],
  ['image_waiting', 'address_hash'],
]);

export const DISTRIBUTED_TABLES: readonly string[] = Object.freeze([...DISTRIBUTION_COLUMNS.keys()]);

/** Small and read everywhere: a copy on each node. Each stands behind those that it refers to. */
export const REFERENCE_TABLES: readonly string[] = Object.freeze([
  'merchant',
  'account',
  'credential',
  'fulfillment_node',
  'return_location',
  'signing_key',
  'portal_user',
  'one_time_link',
  'portal_session',
  'operator_act',
  'pending_import',
  'pending_removal',
  'taxonomy',
  'taxonomy_part',
  'policy',
  'placeholder',
  'catalog_correction',
]);

const findCitus = statement<[present: boolean]>(
  'find citus',
  `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`,
);
/**
 * Not sent before Citus was found: its catalog is not there without it. Tables that it only knows because others refer
 * to them (method `n` without the replication model `t` of reference tables) are not spread yet.
 */
const listSpread = statement<[table: string]>(
  'list spread tables',
  `SELECT relname::text FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
   WHERE partmethod <> 'n' OR repmodel = 't'`,
);

const countWorkers = statement<[workers: number]>(
  'count workers',
  `SELECT count(*) FROM pg_dist_node WHERE groupid > 0 AND noderole = 'primary'`,
);

/** Workers of a Citus; 0 on plain PostgreSQL. */
export async function readWorkers(connection: Connection): Promise<number> {
  const [row] = await connection.run(findCitus);
  if (!row?.[0]) return 0;
  return (await connection.run(countWorkers))[0]?.[0] ?? 0;
}

const OF_ACCOUNTS = [...DISTRIBUTION_COLUMNS].flatMap(([table, column]) => (column === 'account_id' ? [table] : []));
/**
 * Told to the planner by the migrations, but not taken along to the shards. At every start: the one that spread a table may
 * have been cut off before this, and shards that were split since are new tables. One command for each node, which finds the
 * shards that lack it: commands for the shards of one table took as long as this for all of them. Citus hides shards unless told otherwise.
 */
const EVERY_ACCOUNT_IS_LARGE = `SELECT run_command_on_all_nodes($command$
  DO $block$
    DECLARE shard regclass;
    BEGIN
      PERFORM set_config('citus.override_table_visibility', 'off', true);
      FOR shard IN SELECT attrelid::regclass FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relkind = 'r' AND relname ~ '^(${OF_ACCOUNTS.join('|')})_[0-9]+$' AND attname = 'account_id'
          AND NOT coalesce(attoptions, '{}') @> '{n_distinct=1}'
      LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN account_id SET (n_distinct = 1)', shard);
      END LOOP;
    END $block$ $command$)`;

/**
 * Citus copies the rows of a table to its shards and leaves the old ones on the disk of the first node, where nobody sees
 * them. Behind all tables: a table that others refer to is emptied together with them. At every start, as above.
 */
const DROP_OLD_ROWS = `SELECT truncate_local_data_after_distributing_table(spread.name::regclass)
  FROM unnest(ARRAY['${[...DISTRIBUTED_TABLES, ...REFERENCE_TABLES].join("', '")}']) AS spread (name)
  WHERE pg_relation_size(spread.name::regclass) > 0`;

/** Runs under the lock of the migrations. A run that was cut off is taken up by the next one where it stopped. */
export async function distribute(connection: HeldConnection): Promise<void> {
  const [row] = await connection.run(findCitus);
  if (!row?.[0]) return;
  const spread = new Set((await connection.run(listSpread)).map(([table]) => table));
  // A call for each table: Citus wants no other statement beside one in its transaction, and moves the rows along.
  for (const table of REFERENCE_TABLES) {
    if (!spread.has(table)) await connection.runScript(`SELECT create_reference_table('${table}')`);
  }
  for (const [table, column] of DISTRIBUTION_COLUMNS) {
    if (!spread.has(table)) await connection.runScript(`SELECT create_distributed_table('${table}', '${column}')`);
  }
  await connection.runScript(DROP_OLD_ROWS);
  await connection.runScript(EVERY_ACCOUNT_IS_LARGE);
}
