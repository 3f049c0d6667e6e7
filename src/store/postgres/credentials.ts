/** In charge of the credential sets of the accounts, and of replacing them. */
import type { Credential, NewCredential } from '../port/settings.ts';
import { type Connection, statement } from './engine.ts';
import { type Ending, kept } from './transactions.ts';

type CredentialRow = [
  credentialId: number,
  accountId: number,
  user: string,
  salt: Buffer,
  secretHash: Buffer,
  createdMs: number,
  endsMs: number | null,
  lastUsedMs: number | null,
];

const SELECT_CREDENTIAL = `
  SELECT credential_id, account_id, user_name, salt, secret_hash, created_ms, ends_ms, last_used_ms FROM credential`;

const OF_USER = statement<CredentialRow>('read credential of user', `${SELECT_CREDENTIAL} WHERE user_name = $1`);
const OF_ID = statement<CredentialRow>('read credential', `${SELECT_CREDENTIAL} WHERE credential_id = $1`);
const OF_ACCOUNT = statement<CredentialRow>(
  'list credentials',
  `${SELECT_CREDENTIAL} WHERE account_id = $1 AND (ends_ms IS NULL OR ends_ms > $2) ORDER BY credential_id`,
);
const INSERT = statement<[]>(
  'add credential',
  `INSERT INTO credential (account_id, user_name, salt, secret_hash, created_ms, ends_ms)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
/** LEAST looks past null: a set that is already on its way out keeps its end where that is earlier. */
const SHORTEN = statement<[]>(
  'shorten credentials',
  'UPDATE credential SET ends_ms = LEAST(ends_ms, $2) WHERE account_id = $1',
);
const DROP_ENDED = statement<[]>(
  'drop ended credentials',
  'DELETE FROM credential WHERE account_id = $1 AND ends_ms <= $2',
);
const DROP_ALL_ENDED = statement<[one: number]>(
  'drop all ended credentials',
  'DELETE FROM credential WHERE ends_ms <= $1 RETURNING 1',
);

export async function credentialOfUser(connection: Connection, user: string): Promise<Credential | undefined> {
  const [row] = await connection.run(OF_USER, [user]);
  return row && credentialOf(row);
}

export async function credentialOfId(connection: Connection, credentialId: number): Promise<Credential | undefined> {
  const [row] = await connection.run(OF_ID, [credentialId]);
  return row && credentialOf(row);
}

/** Those that still work at `nowMs`. */
export async function credentialsOfAccount(
  connection: Connection,
  accountId: number,
  nowMs: number,
): Promise<Credential[]> {
  return (await connection.run(OF_ACCOUNT, [accountId, nowMs])).map(credentialOf);
}

export async function hasUser(connection: Connection, user: string): Promise<boolean> {
  return (await connection.run(OF_USER, [user])).length > 0;
}

export async function insertCredential(
  connection: Connection,
  accountId: number,
  credential: NewCredential & { readonly createdMs: number; readonly endsMs?: number | null },
): Promise<void> {
  const { user, salt, secretHash, createdMs, endsMs = null } = credential;
  await connection.run(INSERT, [accountId, user, salt, secretHash, createdMs, endsMs]);
}

export async function rollCredential(
  connection: Connection,
  accountId: number,
  next: NewCredential,
  nowMs: number,
  overlapEndsMs: number,
): Promise<Ending<undefined>> {
  await connection.run(SHORTEN, [accountId, overlapEndsMs]);
  await connection.run(DROP_ENDED, [accountId, nowMs]);
  await insertCredential(connection, accountId, { ...next, createdMs: nowMs });
  return kept(undefined);
}

/** Says how many. */
export async function dropEndedCredentials(connection: Connection, nowMs: number): Promise<number> {
  return (await connection.run(DROP_ALL_ENDED, [nowMs])).length;
}

function credentialOf(row: CredentialRow): Credential {
  const [credentialId, accountId, user, salt, secretHash, createdMs, endsMs, lastUsedMs] = row;
  return {
    credentialId,
    accountId,
    user,
    // Copied, so that what is kept of it does not keep the driver's whole buffer.
    salt: new Uint8Array(salt),
    secretHash: new Uint8Array(secretHash),
    createdMs,
    endsMs,
    lastUsedMs,
  };
}
