/**
 * Maps PostgreSQL errors: which mean that the store is unavailable, and which to retry. Uses SQLSTATE only, because messages are
 * translated and constraint names differ between shards.
 */
import pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';

/** Messages by SQLSTATE, or by its class (the first two characters). */
const UNAVAILABLE: ReadonlyMap<string, string> = new Map([
  ['08', 'The connection to the database failed.'],
  ['28', 'The database refused the user or the password.'],
  ['3D', 'The database does not exist.'],
  ['53', 'The database has run out of disk, memory or connections.'],
  ['57', 'The database is stopping or starting.'],
  ['57014', 'The database cancelled a statement that took too long.'],
  ['58', 'The disk of the database failed.'],
  ['25006', 'The database is read-only.'],
  ['25P03', 'The database ended an idle transaction.'],
  ['25P04', 'The database ended a transaction that took too long.'],
  ['40003', 'The database does not know whether a write was stored.'],
  ['40001', 'Concurrent writes kept changing the same rows.'],
  ['40P01', 'Concurrent writes kept deadlocking on the same rows.'],
  ['55P03', 'Another transaction held a lock for too long.'],
  ['XX001', 'The database is damaged.'],
  ['XX002', 'An index of the database is damaged.'],
]);

/** Serialization failure and deadlock: PostgreSQL rolled back the whole transaction. */
const RETRYABLE: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * Disk full, read-only database, and a Citus coordinator that cannot reach a worker: the statement is rolled back, but the
 * connection works. Reads that share it can still succeed, and an absent worker must not cause constant reconnects.
 */
const CONNECTION_USABLE: ReadonlySet<string> = new Set(['25006', '53100', '08006']);

/** Returns undefined if the error did not come from the server. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error) ?? '');
}

/** Whether the connection still works after this error. After most server errors, a new connection is safer. */
export function leavesConnectionUsable(error: unknown): boolean {
  return CONNECTION_USABLE.has(sqlState(error) ?? '');
}

/** Returns a StoreUnavailableError if the error means that the store is unavailable, else the error itself. */
export function storeError(error: unknown): unknown {
  const meaning = meaningOf(error);
  return meaning === undefined ? error : new StoreUnavailableError(meaning, { cause: error });
}

function meaningOf(error: unknown): string | undefined {
  const state = sqlState(error) ?? '';
  return UNAVAILABLE.get(state) ?? UNAVAILABLE.get(state.slice(0, 2));
}

/** Maps errors of a Citus cluster: Citus reports a lost connection to a worker as an internal error (XX000). */
export function clusterError(error: unknown): unknown {
  if (sqlState(error) !== 'XX000') return storeError(error);
  return new StoreUnavailableError('The connection to a database node failed.', { cause: error });
}

const UNTRUSTED = 'its certificate is not trusted; set sslrootcert in the URL to the path of its CA certificate';
/** By error code, or by message for errors without a code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was closed',
  ETIMEDOUT: 'no response in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string':
    'it needs a password, but the URL has none and PGPASSWORD is not set',
};

/** Reports an error of the connection itself, rather than of a statement. `address` is the host, port and name of the database. */
export function unreachable(cause: unknown, address?: string): StoreUnavailableError {
  const meaning = meaningOf(cause);
  const named = `The database${address === undefined ? '' : ` at ${address}`}`;
  if (meaning !== undefined)
    return new StoreUnavailableError(
      meaning.replace('The database', () => named),
      { cause },
    );
  const { code = '', message = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? REASONS[message] ?? (message === '' ? code : message);
  const text = `${named} cannot be reached${reason === '' ? '' : `: ${reason}`}.`;
  return new StoreUnavailableError(text, { cause });
}
