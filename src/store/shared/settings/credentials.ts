/** Stores credential sets of accounts, and rolls them. */
import type { Credential, SettingsStore } from '../../port/settings.ts';
import { change, read } from '../command.ts';
import { statement } from '../sql.ts';
import { insertCredential } from './rows.ts';

type CredentialRow = [
  credentialId: number,
  accountId: number,
  user: string,
  salt: Uint8Array,
  secretHash: Uint8Array,
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
/** A set that was rolled before keeps an earlier end. */
const SHORTEN = statement<[]>(
  'shorten credentials',
  'UPDATE credential SET ends_ms = $2 WHERE account_id = $1 AND (ends_ms IS NULL OR ends_ms > $2)',
);
const DROP_ENDED = statement<[]>(
  'drop ended credentials',
  'DELETE FROM credential WHERE account_id = $1 AND ends_ms <= $2',
);

export const readCredentialOfUser = read<SettingsStore['readCredentialOfUser']>(async (sql, user) => {
  const [row] = await sql.run(OF_USER, [user]);
  return row && credentialOf(row);
});

export const readCredential = read<SettingsStore['readCredential']>(async (sql, credentialId) => {
  const [row] = await sql.run(OF_ID, [credentialId]);
  return row && credentialOf(row);
});

export const listCredentials = read<SettingsStore['listCredentials']>(async (sql, accountId, nowMs) => {
  return (await sql.run(OF_ACCOUNT, [accountId, nowMs])).map(credentialOf);
});

export const rollCredential = change<SettingsStore['rollCredential']>(
  async (sql, accountId, next, nowMs, overlapEndsMs) => {
    await sql.run(SHORTEN, [accountId, overlapEndsMs]);
    await sql.run(DROP_ENDED, [accountId, nowMs]);
    await insertCredential(sql, accountId, { ...next, createdMs: nowMs, endsMs: null });
  },
);

function credentialOf(row: CredentialRow): Credential {
  const [credentialId, accountId, user, salt, secretHash, createdMs, endsMs, lastUsedMs] = row;
  return {
    credentialId,
    accountId,
    user,
    // Copied, because servers cache credentials, and the driver's bytes are part of a larger buffer.
    salt: new Uint8Array(salt),
    secretHash: new Uint8Array(secretHash),
    createdMs,
    endsMs,
    lastUsedMs,
  };
}
