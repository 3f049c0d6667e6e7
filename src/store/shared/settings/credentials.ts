/** Stores, rolls and revokes the credential sets of accounts. */
import type { Credential } from '../../../domain/account.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { ALL_RIGHTS } from '../../../domain/setup/key-scopes.ts';
import type { SettingsStore } from '../../port/settings.ts';
import { change, read, undone } from '../command.ts';
import { addAccountEvent } from '../feed/event-rows.ts';
import { columnsOf } from '../records.ts';
import { firstOf, rowsOf, statement } from '../sql.ts';
import { CREDENTIAL_CODECS, insertCredential } from './rows.ts';

const CREDENTIAL = columnsOf<Credential>(CREDENTIAL_CODECS)(
  ...(['credentialId', 'accountId', 'name', 'user', 'salt', 'secretHash'] as const),
  ...(['createdMs', 'endsMs', 'lastUsedMs', 'scopes', 'skuPrefix', 'planLimits'] as const),
);
const SELECT_CREDENTIAL = `SELECT ${CREDENTIAL.list} FROM credential`;

const OF_USER = statement('read credential of user')`${SELECT_CREDENTIAL} WHERE user_name = $1`;
const OF_ID = statement('read credential')`${SELECT_CREDENTIAL} WHERE credential_id = $1`;
const OF_ACCOUNT = statement('list credentials')`
  ${SELECT_CREDENTIAL} WHERE account_id = $1 AND (ends_ms IS NULL OR ends_ms > $2) ORDER BY credential_id`;
const END_ALL = statement<[]>('end credentials')`
  UPDATE credential SET ends_ms = $2 WHERE account_id = $1 AND (ends_ms IS NULL OR (ends_ms > $2 AND $2 <= $3))`;
const END_ONE = statement<[]>('end credential')`
  UPDATE credential SET ends_ms = $3 WHERE account_id = $1 AND user_name = $2`;
const REVOKE = statement<[1]>('revoke credential')`
  DELETE FROM credential WHERE account_id = $1 AND user_name = $2 RETURNING 1`;
const DROP_ENDED = statement<[]>('drop ended credentials')`
  DELETE FROM credential WHERE account_id = $1 AND ends_ms <= $2`;

export const readCredentialOfUser = read<SettingsStore['readCredentialOfUser']>(firstOf(OF_USER, CREDENTIAL.of));
export const readCredential = read<SettingsStore['readCredential']>(firstOf(OF_ID, CREDENTIAL.of));
export const listCredentials = read<SettingsStore['listCredentials']>(rowsOf(OF_ACCOUNT, CREDENTIAL.of));

export const rollCredential = change<SettingsStore['rollCredential']>(
  async (sql, accountId, user, next, nowMs, overlapEndsMs) => {
    const sets = await listCredentials(sql, accountId, nowMs);
    const rolled = sets.find((set) => set.user === user);
    const ending = sets.filter(({ endsMs }) => endsMs !== null).length;
    if (user === null) await sql.run(END_ALL, [accountId, overlapEndsMs, nowMs]);
    else if (rolled?.endsMs !== null) return undone(rolled === undefined ? 'unknown' : 'ending');
    else if (overlapEndsMs > nowMs && ending >= LIMITS.credentials_per_account_max) return undone('full');
    else await sql.run(END_ONE, [accountId, user, overlapEndsMs]);
    await sql.run(DROP_ENDED, [accountId, nowMs]);
    const { name, scopes, skuPrefix, planLimits = null } = rolled ?? { ...ALL_RIGHTS, name: '' };
    const rights = { scopes, skuPrefix, planLimits };
    await insertCredential(sql, accountId, { ...next, name, ...rights, createdMs: nowMs, endsMs: null });
    const event = { type: 'key.rolled', user, nextUser: next.user, endsMs: overlapEndsMs } as const;
    await addAccountEvent(sql, accountId, event, nowMs);
    return 'stored';
  },
);

export const addCredential = change<SettingsStore['addCredential']>(async (sql, accountId, next, nowMs, sets_max) => {
  if ((await listCredentials(sql, accountId, nowMs)).length >= sets_max) return undone('full');
  await insertCredential(sql, accountId, { ...next, createdMs: nowMs, endsMs: null });
  return 'stored';
});

export const revokeCredential = change<SettingsStore['revokeCredential']>(async (sql, accountId, user) => {
  return (await sql.run(REVOKE, [accountId, user])).length > 0 ? 'stored' : undone('unknown');
});
