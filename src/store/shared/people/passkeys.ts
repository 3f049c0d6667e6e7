/** Stores passkeys of portal users, and begins sessions with them. */
import type { OwnPasskeys, Passkey, PeopleStore } from '../../port/people.ts';
import { read, undone, write } from '../command.ts';
import { BYTES, columnsOf } from '../records.ts';
import { insertStatement, isFound, runOnly, type Sql, statement } from '../sql.ts';
import { endSessions, insertNewest } from './sessions.ts';
import { addAct, USER } from './users.ts';

const PASSKEY = columnsOf<Passkey>({ publicKey: BYTES })(
  ...(['credentialId', 'name', 'publicKey', 'counter', 'createdMs', 'lastUsedMs'] as const),
);
const LIST = PASSKEY.names.map((name) => `p.${name}`).join(', ');
const OWNER = USER.names.map((name) => `u.${name}`).join(', ');

const READ_OWN = statement<[number, number, string | null, ...unknown[]]>('read passkeys of user')`
  SELECT u.user_id, u.needs_passkey, u.provider_subject, ${LIST}
  FROM portal_user u LEFT JOIN passkey p ON p.user_id = u.user_id
  WHERE u.email = $1 ORDER BY p.created_ms, p.credential_id`;
const READ = statement<readonly unknown[]>('read passkey')`
  SELECT ${LIST}, ${OWNER} FROM passkey p JOIN portal_user u ON u.user_id = p.user_id WHERE p.credential_id = $1`;
/** Locks the user's row, so that of two concurrent changes the second sees the first. */
const LOCK_USER = statement<[userId: number, needsPasskey: number]>('lock user of passkeys')`
  UPDATE portal_user SET needs_passkey = needs_passkey WHERE email = $1 RETURNING user_id, needs_passkey`;
const IDS = statement<[credentialId: string]>('list ids of passkeys')`
  SELECT credential_id FROM passkey WHERE user_id = $1`;
const INSERT = insertStatement('add passkey', 'passkey', [...PASSKEY.names, 'user_id']);
const NOTE_USED_IN = statement<[]>('note passkey of session')`
  UPDATE portal_session SET is_by_password = 0 WHERE session_id = $1`;
const USE = statement<[userId: number]>('use passkey')`
  UPDATE passkey SET counter = $2, last_used_ms = $3
  WHERE credential_id = $1 AND coalesce(last_used_ms, created_ms) < $4 AND (counter < $2 OR (counter = 0 AND $2 = 0))
  RETURNING user_id`;
const NOTE_SIGN_IN = statement<[]>('note sign-in with passkey')`
  UPDATE portal_user SET last_sign_in_ms = $2 WHERE user_id = $1`;
const DROP = statement<[]>('remove passkey')`DELETE FROM passkey WHERE credential_id = $1`;
const DROP_OF_USER = statement<[]>('remove passkeys of user')`DELETE FROM passkey WHERE user_id = $1`;
const SET_NEEDS = statement<[]>('set whether user needs passkey')`
  UPDATE portal_user SET needs_passkey = $2 WHERE user_id = $1`;

const isKnown = isFound(READ);
const setNeeds = runOnly(SET_NEEDS);

export const readOwnPasskeys = read<PeopleStore['readOwnPasskeys']>(async (sql, email) => {
  const rows = await sql.run(READ_OWN, [email]);
  const [first] = rows;
  if (first === undefined) return undefined;
  const [userId, needsPasskey, providerSubject] = first;
  const passkeys = rows.map((row) => row.slice(3)).filter(([credentialId]) => credentialId !== null);
  const own: OwnPasskeys = {
    userId,
    needsPasskey: needsPasskey === 1,
    isOfProvider: providerSubject !== null,
    passkeys: passkeys.map(PASSKEY.of),
  };
  return own;
});

export const readPasskey = read<PeopleStore['readPasskey']>(async (sql, credentialId) => {
  const [row] = await sql.run(READ, [credentialId]);
  return row && { passkey: PASSKEY.of(row), user: USER.of(row.slice(PASSKEY.names.length)) };
});

export const addPasskey = write<PeopleStore['addPasskey']>(async (sql, email, passkey, sessionId, passkeys_max) => {
  const user = await lockUser(sql, email);
  if (user === undefined) return undone('user_unknown');
  if (user.ids.length >= passkeys_max) return undone('full');
  if (await isKnown(sql, passkey.credentialId)) return undone('exists');
  await sql.run(INSERT, [...PASSKEY.valuesOf(passkey), user.userId]);
  await sql.run(NOTE_USED_IN, [sessionId]);
  return 'stored';
});

export const addPasskeySession = write<PeopleStore['addPasskeySession']>(
  async (sql, credentialId, { counter, usedMs, challengeMs }, session, sessions_max, act) => {
    const [row] = await sql.run(USE, [credentialId, counter, usedMs, challengeMs]);
    if (row === undefined) return undone('refused');
    await sql.run(NOTE_SIGN_IN, [row[0], session.issuedMs]);
    await insertNewest(sql, row[0], session, sessions_max);
    if (act !== null) await addAct(sql, act);
    return 'stored';
  },
);

export const removePasskey = write<PeopleStore['removePasskey']>(async (sql, email, credentialId, isNeeded) => {
  const user = await lockUser(sql, email);
  if (!user?.ids.includes(credentialId)) return undone('unknown');
  if (user.ids.length === 1 && (isNeeded || user.needsPasskey)) return undone('last');
  await sql.run(DROP, [credentialId]);
  return 'stored';
});

export const removePasskeys = write<PeopleStore['removePasskeys']>(async (sql, email) => {
  const user = await lockUser(sql, email);
  if (user === undefined) return undone(undefined);
  await sql.run(DROP_OF_USER, [user.userId]);
  await setNeeds(sql, user.userId, 0);
  await endSessions(sql, email, null);
  return user.ids.length;
});

export const setNeedsPasskey = write<PeopleStore['setNeedsPasskey']>(async (sql, email, needs) => {
  const user = await lockUser(sql, email);
  if (user === undefined || (needs && user.ids.length === 0)) return undone('none');
  await setNeeds(sql, user.userId, Number(needs));
  return 'stored';
});

async function lockUser(sql: Sql, email: string) {
  const [user] = await sql.run(LOCK_USER, [email]);
  if (user === undefined) return undefined;
  const [userId, needsPasskey] = user;
  const ids = (await sql.run(IDS, [userId])).map(([credentialId]) => credentialId);
  return { userId, needsPasskey: needsPasskey === 1, ids };
}
