/** In charge of people's passwords and of their sessions in the portal. */
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { NewSession, PortalUser, SessionRotation, StoredSession } from '../port/people.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { readLink } from './portal-users.ts';

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

/** Of the user with the e-mail address that is the parameter in its place. */
const USER_ID = '(SELECT user_id FROM portal_user WHERE email = ?)';

export function readPasswordHash(connection: Connection, email: string): string | null | undefined {
  const find = query<[string | null]>(connection, 'SELECT password_hash FROM portal_user WHERE email = ?');
  return find.get(email)?.[0];
}

export function useLink(
  connection: Connection,
  tokenHash: Uint8Array,
  passwordHash: string,
  session: NewSession | null,
  nowMs: number,
): PortalUser | undefined {
  const user = readLink(connection, tokenHash, nowMs);
  if (user === undefined) return undefined;
  setPassword(connection, user.email, passwordHash);
  if (session !== null) beginSession(connection, user.email, session);
  return user;
}

export function changePassword(
  connection: Connection,
  email: string,
  from: string,
  to: string,
  session: NewSession,
): 'stored' | 'changed' {
  if (readPasswordHash(connection, email) !== from) return 'changed';
  setPassword(connection, email, to);
  beginSession(connection, email, session);
  return 'stored';
}

export function addSession(
  connection: Connection,
  email: string,
  passwordHash: string,
  session: NewSession,
  sessions_max: number,
): 'stored' | 'changed' {
  if (readPasswordHash(connection, email) !== passwordHash) return 'changed';
  beginSession(connection, email, session);
  query(
    connection,
    `DELETE FROM portal_session WHERE token_hash IN (
       SELECT token_hash FROM portal_session WHERE user_id = ${USER_ID}
       ORDER BY issued_ms DESC, token_hash LIMIT -1 OFFSET ?)`,
  ).run(email, sessions_max);
  return 'stored';
}

export function readSession(connection: Connection, tokenHash: Uint8Array, nowMs: number): StoredSession | undefined {
  const row = query<SessionRow>(
    connection,
    `SELECT s.session_id, s.issued_ms, s.idle_ends_ms, s.ends_ms, s.next_nonce,
       u.email, u.role, u.merchant_id, u.created_ms
     FROM portal_session s JOIN portal_user u ON u.user_id = s.user_id
     WHERE s.token_hash = ? AND s.ends_ms > ? AND s.idle_ends_ms > ?`,
  ).get(tokenHash, nowMs, nowMs);
  if (row === undefined) return undefined;
  const [sessionId, issuedMs, idleEndsMs, endsMs, nextNonce, email, role, merchantId, createdMs] = row;
  return { sessionId, issuedMs, idleEndsMs, endsMs, nextNonce, user: { email, role, merchantId, createdMs } };
}

export function extendSession(connection: Connection, tokenHash: Uint8Array, idleEndsMs: number): void {
  query(connection, 'UPDATE portal_session SET idle_ends_ms = ? WHERE token_hash = ?').run(idleEndsMs, tokenHash);
}

export function rotateSession(
  connection: Connection,
  tokenHash: Uint8Array,
  { tokenHash: nextHash, nonce, issuedMs, idleEndsMs, overlapEndsMs }: SessionRotation,
): 'rotated' | 'overtaken' {
  const { changes } = query(
    connection,
    `INSERT INTO portal_session (token_hash, session_id, user_id, issued_ms, idle_ends_ms, ends_ms)
     SELECT ?, session_id, user_id, ?, ?, ends_ms FROM portal_session WHERE token_hash = ? AND next_nonce IS NULL`,
  ).run(nextHash, issuedMs, idleEndsMs, tokenHash);
  if (changes === 0) return 'overtaken';
  query(connection, 'UPDATE portal_session SET next_nonce = ?, ends_ms = min(ends_ms, ?) WHERE token_hash = ?').run(
    nonce,
    overlapEndsMs,
    tokenHash,
  );
  return 'rotated';
}

export function endSession(connection: Connection, sessionId: string): void {
  query(connection, 'DELETE FROM portal_session WHERE session_id = ?').run(sessionId);
}

/** Says how many; two tokens of one session are one. */
export function endSessions(connection: Connection, email: string, exceptSessionId: string | null): number {
  const ended = query<[string]>(
    connection,
    `DELETE FROM portal_session WHERE user_id = ${USER_ID} AND session_id IS NOT ? RETURNING session_id`,
  ).all(email, exceptSessionId);
  return new Set(ended.map(([sessionId]) => sessionId)).size;
}

export function dropEndedSessions(connection: Connection, nowMs: number): number {
  const drop = query(connection, 'DELETE FROM portal_session WHERE ends_ms <= ? OR idle_ends_ms <= ?');
  return Number(drop.run(nowMs, nowMs).changes);
}

function setPassword(connection: Connection, email: string, passwordHash: string): void {
  query(connection, 'UPDATE portal_user SET password_hash = ? WHERE email = ?').run(passwordHash, email);
  query(connection, `DELETE FROM one_time_link WHERE user_id = ${USER_ID}`).run(email);
  query(connection, `DELETE FROM portal_session WHERE user_id = ${USER_ID}`).run(email);
}

function beginSession(
  connection: Connection,
  email: string,
  { tokenHash, sessionId, issuedMs, idleEndsMs, endsMs }: NewSession,
): void {
  query(
    connection,
    `INSERT INTO portal_session (token_hash, session_id, user_id, issued_ms, idle_ends_ms, ends_ms)
     VALUES (?, ?, ${USER_ID}, ?, ?, ?)`,
  ).run(tokenHash, sessionId, email, issuedMs, idleEndsMs, endsMs);
  query(connection, 'UPDATE portal_user SET last_sign_in_ms = ? WHERE email = ?').run(issuedMs, email);
}
