/**
 * The time of tables that processes share, as an expression of SQL: on PostgreSQL the database's own, because the clocks of
 * machines differ. SQLite is sent its own expression in place of it (see sqlite/sql.ts).
 *
 * It is the time at which a statement began, and not that of each row: a time that is the same throughout a statement can
 * be looked up in an index. A statement that waited for a lock has a time in the past then, by which leases seem to last
 * longer and new ones are shorter; both are on the safe side.
 */
export const STORE_MS = 'CAST(floor(extract(epoch FROM statement_timestamp()) * 1000) AS bigint)';
