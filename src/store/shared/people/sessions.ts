/** Stores passwords and sessions of portal users. */
import type { NewSession, PeopleStore, StoredSession } from '../../port/people.ts';
import { read, undone, write } from '../command.ts';
import { columnsOf, FLAG } from '../records.ts';
import { dropSome, firstOf, insertStatement, runOnly, type Sql, statement, type WriteSql } from '../sql.ts';
import { DROP_LINKS, readLink, USER } from './users.ts';

const SESSION = columnsOf<StoredSession>({ isByPassword: FLAG, needsPasskey: FLAG })(
  ...(['sessionId', 'issuedMs', 'signedInMs', 'idleEndsMs', 'endsMs', 'nextNonce'] as const),
  ...(['isByPassword', 'needsPasskey'] as const),
);

const PASSWORD = statement<[passwordHash: string | null]>('read password')`
  SELECT password_hash FROM portal_user WHERE email = $1`;
/** Locks the row, so that the second of two concurrent password changes sees the first. */
const SET_PASSWORD = statement<[userId: number]>('set password')`
  UPDATE portal_user SET password_hash = $2 WHERE email = $1 RETURNING user_id`;
const CHANGE_PASSWORD = statement<[userId: number]>('change password')`
  UPDATE portal_user SET password_hash = $3 WHERE email = $1 AND password_hash = $2 RETURNING user_id`;
/** Locks the user's row, so that it waits for a concurrent password change. */
const NOTE_SIGN_IN = statement<[userId: number]>('note sign-in')`
  UPDATE portal_user SET last_sign_in_ms = $3 WHERE email = $1 AND password_hash = $2 RETURNING user_id`;
const NOTE_PROVIDER_SIGN_IN = statement<[userId: number]>('note sign-in with provider')`
  UPDATE portal_user SET last_sign_in_ms = $2 WHERE provider_subject = $1 RETURNING user_id`;
const NEW_SESSION = columnsOf<NewSession & { readonly userId: number }>({ isByPassword: FLAG })(
  ...(['tokenHash', 'sessionId', 'userId', 'issuedMs', 'signedInMs', 'idleEndsMs', 'endsMs', 'isByPassword'] as const),
);
const INSERT = insertStatement('add session', 'portal_session', NEW_SESSION.names);
const DROP_OLDEST = statement<[]>('drop oldest sessions')`
  DELETE FROM portal_session WHERE user_id = $1 AND session_id NOT IN (
    SELECT session_id FROM portal_session WHERE user_id = $1 AND next_nonce IS NULL
    ORDER BY issued_ms DESC, token_hash LIMIT $2)`;
const READ = statement<readonly unknown[]>('read session')`
  SELECT ${SESSION.list}, ${USER.list}
  FROM portal_session s JOIN portal_user u ON u.user_id = s.user_id
  WHERE s.token_hash = $1 AND s.ends_ms > $2 AND s.idle_ends_ms > $2`;
const EXTEND = statement<[]>('extend session')`UPDATE portal_session SET idle_ends_ms = $2 WHERE token_hash = $1`;
const REPLACE = statement<[sessionId: string, userId: number]>('replace session token')`
  UPDATE portal_session SET next_nonce = $2, ends_ms = CASE WHEN ends_ms < $3 THEN ends_ms ELSE $3 END
  WHERE token_hash = $1 AND next_nonce IS NULL RETURNING session_id, user_id`;
const KEPT = columnsOf<NewSession>({ isByPassword: FLAG })('endsMs', 'signedInMs', 'isByPassword');
const READ_KEPT = statement('read what a token keeps')`
  SELECT ${KEPT.list} FROM portal_session WHERE token_hash = $1`;
const END = statement<[]>('end session')`DELETE FROM portal_session WHERE session_id = $1`;
const END_OF_USER = statement<[sessionId: string]>('end sessions of user')`
  DELETE FROM portal_session
  WHERE user_id = (SELECT user_id FROM portal_user WHERE email = $1) AND session_id IS DISTINCT FROM $2
  RETURNING session_id`;
const ENDED = 'ends_ms <= $1 OR idle_ends_ms <= $1 ORDER BY token_hash';

export const readPasswordHash = read<PeopleStore['readPasswordHash']>(
  firstOf(PASSWORD, ([passwordHash]) => passwordHash),
);

export const useLink = write<PeopleStore['useLink']>(async (sql, tokenHash, passwordHash, session, nowMs) => {
  const found = await readLink(sql, tokenHash, nowMs);
  if (found === undefined) return undone(undefined);
  const [row] = await sql.run(SET_PASSWORD, [found.email, passwordHash]);
  // Another process may have used the link, or removed the user, while this one waited for the row.
  const user = await readLink(sql, tokenHash, nowMs);
  if (row === undefined || user === undefined) return undone(undefined);
  await endLinksAndSessions(sql, user.email, row[0]);
  if (session !== null) await beginSession(sql, user.email, passwordHash, session);
  return user;
});

export const changePassword = write<PeopleStore['changePassword']>(async (sql, email, from, to, session) => {
  const [row] = await sql.run(CHANGE_PASSWORD, [email, from, to]);
  if (row === undefined) return undone('changed');
  await endLinksAndSessions(sql, email, row[0]);
  await beginSession(sql, email, to, session);
  return 'stored';
});

export const addSession = write<PeopleStore['addSession']>(async (sql, email, passwordHash, session, sessions_max) => {
  const userId = await beginSession(sql, email, passwordHash, session);
  if (userId === undefined) return undone('changed');
  await sql.run(DROP_OLDEST, [userId, sessions_max]);
  return 'stored';
});

export const addProviderSession = write<PeopleStore['addProviderSession']>(
  async (sql, subject, session, sessions_max) => {
    const [row] = await sql.run(NOTE_PROVIDER_SIGN_IN, [subject, session.issuedMs]);
    if (row === undefined) return undone('changed');
    await insertNewest(sql, row[0], session, sessions_max);
    return 'stored';
  },
);

export const readSession = read<PeopleStore['readSession']>(
  firstOf(READ, (row) => ({ ...SESSION.of(row), user: USER.of(row.slice(SESSION.names.length)) })),
);

export const extendSession = write<PeopleStore['extendSession']>(runOnly(EXTEND));

export const rotateSession = write<PeopleStore['rotateSession']>(async (sql, tokenHash, next) => {
  const [kept] = await sql.run(READ_KEPT, [tokenHash]);
  const [row] = await sql.run(REPLACE, [tokenHash, next.nonce, next.overlapEndsMs]);
  if (kept === undefined || row === undefined) return undone('overtaken');
  const [sessionId, userId] = row;
  await sql.run(INSERT, NEW_SESSION.valuesOf({ ...next, ...KEPT.of(kept), sessionId, userId }));
  return 'rotated';
});

export const endSession = write<PeopleStore['endSession']>(async (sql, sessionId) => {
  await twice(() => sql.run(END, [sessionId]));
});

export const endSessions = write<PeopleStore['endSessions']>(async (sql, email, exceptSessionId) => {
  const ended = await twice(() => sql.run(END_OF_USER, [email, exceptSessionId]));
  // Two tokens of one session count once.
  return new Set(ended.map(([sessionId]) => sessionId)).size;
});

export const dropEndedSessions = write<PeopleStore['dropEndedSessions']>(
  { lane: 'background' },
  dropSome('drop ended sessions', 'portal_session', ENDED),
);

/** Returns the id of the user, or undefined if the password differs. */
async function beginSession(
  sql: Sql,
  email: string,
  passwordHash: string,
  session: NewSession,
): Promise<number | undefined> {
  const [row] = await sql.run(NOTE_SIGN_IN, [email, passwordHash, session.issuedMs]);
  if (row === undefined) return undefined;
  await insertSession(sql, row[0], session);
  return row[0];
}

/** Adds the session, and ends the oldest beyond `sessions_max`. */
export async function insertNewest(sql: Sql, userId: number, session: NewSession, sessions_max: number): Promise<void> {
  await insertSession(sql, userId, session);
  await sql.run(DROP_OLDEST, [userId, sessions_max]);
}

async function insertSession(sql: Sql, userId: number, session: NewSession): Promise<void> {
  await sql.run(INSERT, NEW_SESSION.valuesOf({ ...session, userId }));
}

async function endLinksAndSessions(sql: WriteSql, email: string, userId: number): Promise<void> {
  await sql.run(DROP_LINKS, [userId, 0]);
  await endSessions(sql, email, null);
}

/** Runs a delete twice: on PostgreSQL, a token may be replaced while the first delete waits for its row, and misses the new one. */
async function twice<T>(end: () => Promise<readonly T[]>): Promise<readonly T[]> {
  const first = await end();
  return [...first, ...(await end())];
}
