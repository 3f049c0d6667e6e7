/** In charge of the keys that tokens are signed with, and of replacing them. */
import type { SigningKey } from '../port/settings.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

export interface NewSigningKey {
  readonly keyId: string;
  readonly secret: Uint8Array;
}

export function listSigningKeys(connection: Connection): SigningKey[] {
  return query<[keyId: string, secret: Uint8Array, createdMs: number, endsMs: number | null]>(
    connection,
    'SELECT key_id, secret, created_ms, ends_ms FROM signing_key ORDER BY number DESC',
  )
    .all()
    .map(([keyId, secret, createdMs, endsMs]) => ({ keyId, secret, createdMs, endsMs }));
}

/** A key that was replaced before keeps its end where that is earlier. */
export function addSigningKey(connection: Connection, key: NewSigningKey, nowMs: number, previousEndMs: number): void {
  query(connection, 'UPDATE signing_key SET ends_ms = min(ifnull(ends_ms, ?1), ?1)').run(previousEndMs);
  dropEndedSigningKeys(connection, nowMs);
  insertSigningKey(connection, key, nowMs);
}

/** Says how many. */
export function dropEndedSigningKeys(connection: Connection, nowMs: number): number {
  return Number(query(connection, 'DELETE FROM signing_key WHERE ends_ms <= ?').run(nowMs).changes);
}

export function addFirstSigningKey(connection: Connection, key: NewSigningKey, nowMs: number): void {
  if (query<[1]>(connection, 'SELECT 1 FROM signing_key').get() === undefined) insertSigningKey(connection, key, nowMs);
}

function insertSigningKey(connection: Connection, { keyId, secret }: NewSigningKey, nowMs: number): void {
  query(connection, 'INSERT INTO signing_key (key_id, secret, created_ms) VALUES (?, ?, ?)').run(keyId, secret, nowMs);
}
