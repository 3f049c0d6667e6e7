/** In charge of the keys that tokens are signed with, and of replacing them. */
import type { SigningKey } from '../port/settings.ts';
import { type Connection, statement } from './engine.ts';
import { type Ending, kept, undone } from './transactions.ts';

export interface NewSigningKey {
  readonly keyId: string;
  readonly secret: Uint8Array;
}

const LIST = statement<[keyId: string, secret: Buffer, createdMs: number, endsMs: number | null]>(
  'list signing keys',
  'SELECT key_id, secret, created_ms, ends_ms FROM signing_key ORDER BY number DESC',
);
const SHORTEN = statement<[]>('shorten signing keys', 'UPDATE signing_key SET ends_ms = LEAST(ends_ms, $1)');
const DROP_ENDED = statement<[one: number]>(
  'drop ended signing keys',
  'DELETE FROM signing_key WHERE ends_ms <= $1 RETURNING 1',
);
const INSERT = statement<[]>(
  'add signing key',
  'INSERT INTO signing_key (key_id, secret, created_ms) VALUES ($1, $2, $3)',
);

export async function listSigningKeys(connection: Connection): Promise<SigningKey[]> {
  return (await connection.run(LIST)).map(([keyId, secret, createdMs, endsMs]) => {
    return { keyId, secret: new Uint8Array(secret), createdMs, endsMs };
  });
}

/** A key that was replaced before keeps its end where that is earlier. */
export async function addSigningKey(
  connection: Connection,
  key: NewSigningKey,
  nowMs: number,
  previousEndMs: number,
): Promise<Ending<undefined>> {
  await connection.run(SHORTEN, [previousEndMs]);
  await dropEndedSigningKeys(connection, nowMs);
  return insertSigningKey(connection, key, nowMs);
}

/** Says how many. */
export async function dropEndedSigningKeys(connection: Connection, nowMs: number): Promise<number> {
  return (await connection.run(DROP_ENDED, [nowMs])).length;
}

export async function addFirstSigningKey(
  connection: Connection,
  key: NewSigningKey,
  nowMs: number,
): Promise<Ending<undefined>> {
  const keys = await listSigningKeys(connection);
  return keys.length > 0 ? undone(undefined) : insertSigningKey(connection, key, nowMs);
}

async function insertSigningKey(
  connection: Connection,
  { keyId, secret }: NewSigningKey,
  nowMs: number,
): Promise<Ending<undefined>> {
  await connection.run(INSERT, [keyId, secret, nowMs]);
  return kept(undefined);
}
