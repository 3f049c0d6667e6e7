/**
 * In charge of what time it is for tables that processes share: the database's own, because machines do not agree on it.
 *
 * The time at which a statement began, and not that of each row: a time that is the same throughout a statement can be
 * looked up in an index. A statement that waited for a lock has a time in the past then, by which leases seem to last
 * longer and new ones are shorter; both are on the safe side.
 */
export const STORE_MS = 'floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint';
