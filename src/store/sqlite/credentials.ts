/** In charge of the credential sets of the accounts, and of replacing them. */
import type { Credential, NewCredential } from '../port/settings.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

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

export class CredentialReads {
  readonly #ofUser;
  readonly #ofId;
  readonly #ofAccount;

  constructor(connection: Connection) {
    this.#ofUser = query<CredentialRow>(connection, `${SELECT_CREDENTIAL} WHERE user_name = ?`);
    this.#ofId = query<CredentialRow>(connection, `${SELECT_CREDENTIAL} WHERE credential_id = ?`);
    this.#ofAccount = query<CredentialRow>(
      connection,
      `${SELECT_CREDENTIAL} WHERE account_id = ? AND (ends_ms IS NULL OR ends_ms > ?) ORDER BY credential_id`,
    );
  }

  ofUser(user: string): Credential | undefined {
    const row = this.#ofUser.get(user);
    return row && credentialOf(row);
  }

  ofId(credentialId: number): Credential | undefined {
    const row = this.#ofId.get(credentialId);
    return row && credentialOf(row);
  }

  ofAccount(accountId: number, nowMs: number): Credential[] {
    return this.#ofAccount.all(accountId, nowMs).map(credentialOf);
  }
}

export function insertCredential(
  connection: Connection,
  accountId: number,
  { user, salt, secretHash }: NewCredential,
  createdMs: number,
  endsMs: number | null = null,
): void {
  query(
    connection,
    'INSERT INTO credential (account_id, user_name, salt, secret_hash, created_ms, ends_ms) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(accountId, user, salt, secretHash, createdMs, endsMs);
}

/** A set that is already on its way out keeps its end where that is earlier: a later roll never prolongs it. */
export function rollCredential(
  connection: Connection,
  accountId: number,
  next: NewCredential,
  nowMs: number,
  overlapEndsMs: number,
): void {
  query(connection, 'UPDATE credential SET ends_ms = min(ifnull(ends_ms, ?1), ?1) WHERE account_id = ?2').run(
    overlapEndsMs,
    accountId,
  );
  query(connection, 'DELETE FROM credential WHERE account_id = ? AND ends_ms <= ?').run(accountId, nowMs);
  insertCredential(connection, accountId, next, nowMs);
}

/** Says how many. */
export function dropEndedCredentials(connection: Connection, nowMs: number): number {
  return Number(query(connection, 'DELETE FROM credential WHERE ends_ms <= ?').run(nowMs).changes);
}

function credentialOf(row: CredentialRow): Credential {
  const [credentialId, accountId, user, salt, secretHash, createdMs, endsMs, lastUsedMs] = row;
  return { credentialId, accountId, user, salt, secretHash, createdMs, endsMs, lastUsedMs };
}
