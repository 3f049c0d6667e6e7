/**
 * In charge of what PostgreSQL's failures mean: which of them say that the store is unavailable, and which ask for
 * another attempt. Only SQLSTATEs count: texts are translated, and names of constraints differ between shards.
 */
import pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';

/** By SQLSTATE or by its class, the first two characters. */
const UNAVAILABLE: ReadonlyMap<string, string> = new Map([
  ['08', 'The connection to the database failed.'],
  ['28', 'The database refused the user or the password.'],
  ['3D', 'The database does not exist.'],
  ['53', 'The database has run out of disk, memory or connections.'],
  ['57', 'The database is stopping or starting.'],
  ['57014', 'The database stopped a statement that took too long.'],
  ['58', 'The disk of the database failed.'],
  ['25006', 'The database can only be read.'],
  ['25P03', 'The database ended a transaction that stood still.'],
  ['25P04', 'The database ended a transaction that took too long.'],
  ['40003', 'The database does not know what became of a write.'],
  ['40001', 'Others changed the same rows again and again.'],
  ['40P01', 'Others waited for the same rows again and again.'],
  ['55P03', 'Others hold a lock for longer than a call may wait.'],
  ['XX001', 'The database is damaged.'],
  ['XX002', 'An index of the database is damaged.'],
]);

/** Serialization failure and deadlock: PostgreSQL undid the whole transaction, which may simply be run again. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * No room on the disk, a database that can only be read, and a Citus coordinator that cannot reach a worker: the statement is
 * undone, the connection is sound. A write that meets these must not fail the reads that share its connection, since those can
 * be answered; and a worker that is away must not have the coordinator open connections again and again.
 */
const OF_STATEMENT_ONLY: ReadonlySet<string> = new Set(['25006', '53100', '08006']);

/** Undefined when the failure did not come from the server. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

export function isWorthAnotherTry(error: unknown): boolean {
  return AGAIN.has(sqlState(error) ?? '');
}

export function leavesConnection(error: unknown): boolean {
  return OF_STATEMENT_ONLY.has(sqlState(error) ?? '');
}

/** StoreUnavailableError where that is what the answer of the server means, else the error itself. */
export function storeError(error: unknown): unknown {
  const state = sqlState(error);
  if (state === undefined) return error;
  const meaning = UNAVAILABLE.get(state) ?? UNAVAILABLE.get(state.slice(0, 2));
  return meaning === undefined ? error : new StoreUnavailableError(meaning, { cause: error });
}

/** On a Citus: a connection to a worker that was cut off is reported as an internal error, since no server gave a code. */
export function clusterError(error: unknown): unknown {
  if (sqlState(error) !== 'XX000') return storeError(error);
  return new StoreUnavailableError('The connection to a node of the database failed.', { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'no answer in time',
};

/** For failures before a statement was sent, or of the connection itself. `host` is where it was to lead, with the port. */
export function unreachable(cause: unknown, host?: string): StoreUnavailableError {
  const mapped = storeError(cause);
  if (mapped instanceof StoreUnavailableError) return mapped;
  const { code = '', message = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? (message === '' ? code : message);
  const text = `The database${host === undefined ? '' : ` at ${host}`} cannot be reached${reason === '' ? '' : `: ${reason}`}.`;
  return new StoreUnavailableError(text, { cause });
}
