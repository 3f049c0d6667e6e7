/** In charge of portal users and of the one-time links by which they set a password. */
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { ListedPortalUser, OneTimeLink, PortalUser } from '../port/people.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

type UserRow = [email: string, role: PortalRole, merchantId: string | null, createdMs: number];

const SELECT_USERS = 'SELECT u.email, u.role, u.merchant_id, u.created_ms FROM portal_user u';

export function listPortalUsers(connection: Connection): ListedPortalUser[] {
  return query<[...UserRow, lastSignInMs: number | null, invitedUntilMs: number | null]>(
    connection,
    `SELECT u.email, u.role, u.merchant_id, u.created_ms, u.last_sign_in_ms,
       (SELECT max(l.ends_ms) FROM one_time_link l WHERE l.user_id = u.user_id)
     FROM portal_user u ORDER BY u.email`,
  )
    .all()
    .map(([email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs]) => {
      return { email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs };
    });
}

export function readPortalUser(connection: Connection, email: string): PortalUser | undefined {
  const row = query<UserRow>(connection, `${SELECT_USERS} WHERE u.email = ?`).get(email);
  return row && userOf(row);
}

export function addPortalUser(
  connection: Connection,
  { email, role, merchantId, createdMs }: PortalUser,
  link: OneTimeLink,
): 'stored' | 'exists' | 'merchant_unknown' {
  if (readPortalUser(connection, email) !== undefined) return 'exists';
  if (merchantId !== null && !hasMerchant(connection, merchantId)) return 'merchant_unknown';
  query(connection, 'INSERT INTO portal_user (email, role, merchant_id, created_ms) VALUES (?, ?, ?, ?)').run(
    email,
    role,
    merchantId,
    createdMs,
  );
  insertLink(connection, email, link);
  return 'stored';
}

export function removePortalUser(connection: Connection, email: string): 'stored' | 'unknown' {
  query(connection, 'DELETE FROM one_time_link WHERE user_id = (SELECT user_id FROM portal_user WHERE email = ?)').run(
    email,
  );
  const { changes } = query(connection, 'DELETE FROM portal_user WHERE email = ?').run(email);
  return changes === 0 ? 'unknown' : 'stored';
}

export function replaceLink(
  connection: Connection,
  email: string,
  link: OneTimeLink,
  nowMs: number,
): 'stored' | 'unknown' {
  if (readPortalUser(connection, email) === undefined) return 'unknown';
  query(
    connection,
    `DELETE FROM one_time_link
     WHERE ends_ms <= ? OR user_id = (SELECT user_id FROM portal_user WHERE email = ?)`,
  ).run(nowMs, email);
  insertLink(connection, email, link);
  return 'stored';
}

export function readLink(connection: Connection, tokenHash: Uint8Array, nowMs: number): PortalUser | undefined {
  const row = query<UserRow>(
    connection,
    `${SELECT_USERS} JOIN one_time_link l ON l.user_id = u.user_id WHERE l.token_hash = ? AND l.ends_ms > ?`,
  ).get(tokenHash, nowMs);
  return row && userOf(row);
}

/** Says how many. */
export function dropEndedLinks(connection: Connection, nowMs: number): number {
  return Number(query(connection, 'DELETE FROM one_time_link WHERE ends_ms <= ?').run(nowMs).changes);
}

export function erasePortalUsers(connection: Connection, merchantId: string): void {
  query(
    connection,
    'DELETE FROM one_time_link WHERE user_id IN (SELECT user_id FROM portal_user WHERE merchant_id = ?)',
  ).run(merchantId);
  query(connection, 'DELETE FROM portal_user WHERE merchant_id = ?').run(merchantId);
}

function insertLink(connection: Connection, email: string, { tokenHash, endsMs }: OneTimeLink): void {
  query(
    connection,
    `INSERT INTO one_time_link (token_hash, user_id, ends_ms)
     SELECT ?, user_id, ? FROM portal_user WHERE email = ?`,
  ).run(tokenHash, endsMs, email);
}

function hasMerchant(connection: Connection, merchantId: string): boolean {
  return query<[1]>(connection, 'SELECT 1 FROM merchant WHERE merchant_id = ?').get(merchantId) !== undefined;
}

function userOf([email, role, merchantId, createdMs]: UserRow): PortalUser {
  return { email, role, merchantId, createdMs };
}
