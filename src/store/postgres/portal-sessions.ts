/** In charge of people's passwords and of their sessions in the portal. */
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { NewSession, PortalUser, SessionRotation, StoredSession } from '../port/people.ts';
import { type Connection, statement } from './engine.ts';
import { readLink } from './portal-users.ts';
import { type Ending, kept, undone } from './transactions.ts';

type SessionRow = [
  sessionId: string,
  issuedMs: number,
  idleEndsMs: number,
  endsMs: number,
  nextNonce: Uint8Array | null,
  email: string,
  role: PortalRole,
  merchantId: string | null,
  createdMs: number,
];

const PASSWORD = statement<[passwordHash: string | null]>(
  'read password',
  'SELECT password_hash FROM portal_user WHERE email = $1',
);
/** Takes the row, so that of two who change a password at once the second sees the first. */
const SET_PASSWORD = statement<[userId: number]>(
  'set password',
  'UPDATE portal_user SET password_hash = $2 WHERE email = $1 RETURNING user_id',
);
const CHANGE_PASSWORD = statement<[userId: number]>(
  'change password',
  'UPDATE portal_user SET password_hash = $3 WHERE email = $1 AND password_hash = $2 RETURNING user_id',
);
/** As above: a password that is being changed is waited for. */
const NOTE_SIGN_IN = statement<[userId: number]>(
  'note sign-in',
  'UPDATE portal_user SET last_sign_in_ms = $3 WHERE email = $1 AND password_hash = $2 RETURNING user_id',
);
const INSERT = statement<[]>(
  'add session',
  `INSERT INTO portal_session (token_hash, session_id, user_id, issued_ms, idle_ends_ms, ends_ms)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);
const DROP_OLDEST = statement<[]>(
  'drop oldest sessions',
  `DELETE FROM portal_session WHERE token_hash IN (
     SELECT token_hash FROM portal_session WHERE user_id = $1 ORDER BY issued_ms DESC, token_hash OFFSET $2)`,
);
const READ = statement<SessionRow>(
  'read session',
  `SELECT s.session_id, s.issued_ms, s.idle_ends_ms, s.ends_ms, s.next_nonce,
     u.email, u.role, u.merchant_id, u.created_ms
   FROM portal_session s JOIN portal_user u ON u.user_id = s.user_id
   WHERE s.token_hash = $1 AND s.ends_ms > $2 AND s.idle_ends_ms > $2`,
);
const EXTEND = statement<[]>('extend session', 'UPDATE portal_session SET idle_ends_ms = $2 WHERE token_hash = $1');
const REPLACE = statement<[sessionId: string, userId: number]>(
  'replace session token',
  `UPDATE portal_session SET next_nonce = $2, ends_ms = LEAST(ends_ms, $3)
   WHERE token_hash = $1 AND next_nonce IS NULL RETURNING session_id, user_id`,
);
const ENDS = statement<[endsMs: number]>(
  'read end of session',
  'SELECT ends_ms FROM portal_session WHERE token_hash = $1',
);
const END = statement<[]>('end session', 'DELETE FROM portal_session WHERE session_id = $1');
const END_OF_USER = statement<[sessionId: string]>(
  'end sessions of user',
  `DELETE FROM portal_session
   WHERE user_id = (SELECT user_id FROM portal_user WHERE email = $1) AND session_id IS DISTINCT FROM $2
   RETURNING session_id`,
);
const END_ALL = statement<[]>('end all sessions of user', 'DELETE FROM portal_session WHERE user_id = $1');
const DROP_LINKS = statement<[]>('drop links of user', 'DELETE FROM one_time_link WHERE user_id = $1');
const DROP_ENDED = statement<[one: number]>(
  'drop ended sessions',
  'DELETE FROM portal_session WHERE ends_ms <= $1 OR idle_ends_ms <= $1 RETURNING 1',
);

export async function readPasswordHash(connection: Connection, email: string): Promise<string | null | undefined> {
  const [row] = await connection.run(PASSWORD, [email]);
  return row?.[0];
}

export async function useLink(
  connection: Connection,
  tokenHash: Uint8Array,
  passwordHash: string,
  session: NewSession | null,
  nowMs: number,
): Promise<Ending<PortalUser | undefined>> {
  const found = await readLink(connection, tokenHash, nowMs);
  if (found === undefined) return undone(undefined);
  const [row] = await connection.run(SET_PASSWORD, [found.email, passwordHash]);
  // Another may have used the link, or removed the user, while this one waited for the row.
  const user = await readLink(connection, tokenHash, nowMs);
  if (row === undefined || user === undefined) return undone(undefined);
  await endWaysIn(connection, row[0]);
  if (session !== null) await beginSession(connection, user.email, passwordHash, session);
  return kept(user);
}

export async function changePassword(
  connection: Connection,
  email: string,
  from: string,
  to: string,
  session: NewSession,
): Promise<Ending<'stored' | 'changed'>> {
  const [row] = await connection.run(CHANGE_PASSWORD, [email, from, to]);
  if (row === undefined) return undone('changed');
  await endWaysIn(connection, row[0]);
  await beginSession(connection, email, to, session);
  return kept('stored');
}

export async function addSession(
  connection: Connection,
  email: string,
  passwordHash: string,
  session: NewSession,
  sessions_max: number,
): Promise<Ending<'stored' | 'changed'>> {
  const userId = await beginSession(connection, email, passwordHash, session);
  if (userId === undefined) return undone('changed');
  await connection.run(DROP_OLDEST, [userId, sessions_max]);
  return kept('stored');
}

export async function readSession(
  connection: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<StoredSession | undefined> {
  const [row] = await connection.run(READ, [tokenHash, nowMs]);
  if (row === undefined) return undefined;
  const [sessionId, issuedMs, idleEndsMs, endsMs, nextNonce, email, role, merchantId, createdMs] = row;
  return { sessionId, issuedMs, idleEndsMs, endsMs, nextNonce, user: { email, role, merchantId, createdMs } };
}

export async function extendSession(connection: Connection, tokenHash: Uint8Array, idleEndsMs: number): Promise<void> {
  await connection.run(EXTEND, [tokenHash, idleEndsMs]);
}

export async function rotateSession(
  connection: Connection,
  tokenHash: Uint8Array,
  { tokenHash: nextHash, nonce, issuedMs, idleEndsMs, overlapEndsMs }: SessionRotation,
): Promise<Ending<'rotated' | 'overtaken'>> {
  const [end] = await connection.run(ENDS, [tokenHash]);
  const [row] = await connection.run(REPLACE, [tokenHash, nonce, overlapEndsMs]);
  if (end === undefined || row === undefined) return undone('overtaken');
  const [sessionId, userId] = row;
  await connection.run(INSERT, [nextHash, sessionId, userId, issuedMs, idleEndsMs, end[0]]);
  return kept('rotated');
}

export async function endSession(connection: Connection, sessionId: string): Promise<Ending<undefined>> {
  await twice(() => connection.run(END, [sessionId]));
  return kept(undefined);
}

/** Says how many; two tokens of one session are one. */
export async function endSessions(
  connection: Connection,
  email: string,
  exceptSessionId: string | null,
): Promise<Ending<number>> {
  const ended = await twice(() => connection.run(END_OF_USER, [email, exceptSessionId]));
  return kept(new Set(ended.map(([sessionId]) => sessionId)).size);
}

export async function dropEndedSessions(connection: Connection, nowMs: number): Promise<number> {
  return (await connection.run(DROP_ENDED, [nowMs])).length;
}

/** The number of the user; undefined where the password is another one. */
async function beginSession(
  connection: Connection,
  email: string,
  passwordHash: string,
  { tokenHash, sessionId, issuedMs, idleEndsMs, endsMs }: NewSession,
): Promise<number | undefined> {
  const [row] = await connection.run(NOTE_SIGN_IN, [email, passwordHash, issuedMs]);
  if (row === undefined) return undefined;
  await connection.run(INSERT, [tokenHash, sessionId, row[0], issuedMs, idleEndsMs, endsMs]);
  return row[0];
}

async function endWaysIn(connection: Connection, userId: number): Promise<void> {
  await connection.run(DROP_LINKS, [userId]);
  await twice(() => connection.run(END_ALL, [userId]));
}

/**
 * A token may be replaced while its row is waited for: the first statement then ends the old one, and does not see the new
 * one, which was not there when it began.
 */
async function twice<T>(end: () => Promise<readonly T[]>): Promise<readonly T[]> {
  const first = await end();
  return [...first, ...(await end())];
}
