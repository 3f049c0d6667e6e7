/** In charge of portal users and of the one-time links by which they set a password. */
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { ListedPortalUser, OneTimeLink, PortalUser } from '../port/people.ts';
import { type Connection, statement } from './engine.ts';
import { hasMerchant } from './merchants.ts';
import { type Ending, kept, undone } from './transactions.ts';

type UserRow = [email: string, role: PortalRole, merchantId: string | null, createdMs: number];

const SELECT_USERS = 'SELECT u.email, u.role, u.merchant_id, u.created_ms FROM portal_user u';

const LIST = statement<[...UserRow, lastSignInMs: number | null, invitedUntilMs: number | null]>(
  'list portal users',
  `SELECT u.email, u.role, u.merchant_id, u.created_ms, u.last_sign_in_ms, max(l.ends_ms)
   FROM portal_user u LEFT JOIN one_time_link l ON l.user_id = u.user_id
   GROUP BY u.user_id, u.email, u.role, u.merchant_id, u.created_ms, u.last_sign_in_ms ORDER BY u.email`,
);
const READ = statement<UserRow>('read portal user', `${SELECT_USERS} WHERE u.email = $1`);
const OF_LINK = statement<UserRow>(
  'read portal user of link',
  `${SELECT_USERS} JOIN one_time_link l ON l.user_id = u.user_id WHERE l.token_hash = $1 AND l.ends_ms > $2`,
);
const INSERT = statement<[userId: number]>(
  'add portal user',
  'INSERT INTO portal_user (email, role, merchant_id, created_ms) VALUES ($1, $2, $3, $4) RETURNING user_id',
);
const USER_ID = statement<[userId: number]>('find portal user', 'SELECT user_id FROM portal_user WHERE email = $1');
const USER_IDS = statement<[userId: number]>(
  'find portal users of merchant',
  'SELECT user_id FROM portal_user WHERE merchant_id = $1',
);
const INSERT_LINK = statement<[]>(
  'add link',
  'INSERT INTO one_time_link (token_hash, user_id, ends_ms) VALUES ($1, $2, $3)',
);
const DROP_LINKS = statement<[]>(
  'drop links',
  'DELETE FROM one_time_link WHERE user_id = ANY($1::bigint[]) OR ends_ms <= $2',
);
const DROP_ENDED_LINKS = statement<[one: number]>(
  'drop ended links',
  'DELETE FROM one_time_link WHERE ends_ms <= $1 RETURNING 1',
);
const DROP_USER = statement<[]>('remove portal user', 'DELETE FROM portal_user WHERE user_id = $1');
const DROP_USERS = statement<[]>('erase portal users', 'DELETE FROM portal_user WHERE merchant_id = $1');

export async function listPortalUsers(connection: Connection): Promise<ListedPortalUser[]> {
  const rows = await connection.run(LIST);
  return rows.map(([email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs]) => {
    return { email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs };
  });
}

export async function readPortalUser(connection: Connection, email: string): Promise<PortalUser | undefined> {
  const [row] = await connection.run(READ, [email]);
  return row && userOf(row);
}

export async function addPortalUser(
  connection: Connection,
  { email, role, merchantId, createdMs }: PortalUser,
  link: OneTimeLink,
): Promise<Ending<'stored' | 'exists' | 'merchant_unknown'>> {
  if ((await readPortalUser(connection, email)) !== undefined) return undone('exists');
  if (merchantId !== null && !(await hasMerchant(connection, merchantId))) return undone('merchant_unknown');
  const [row] = await connection.run(INSERT, [email, role, merchantId, createdMs]);
  if (row === undefined) throw new Error('An inserted user has a number.');
  await insertLink(connection, row[0], link);
  return kept('stored');
}

export async function removePortalUser(connection: Connection, email: string): Promise<Ending<'stored' | 'unknown'>> {
  const [row] = await connection.run(USER_ID, [email]);
  if (row === undefined) return undone('unknown');
  await dropLinks(connection, row);
  await connection.run(DROP_USER, row);
  return kept('stored');
}

export async function replaceLink(
  connection: Connection,
  email: string,
  link: OneTimeLink,
  nowMs: number,
): Promise<Ending<'stored' | 'unknown'>> {
  const [row] = await connection.run(USER_ID, [email]);
  if (row === undefined) return undone('unknown');
  await connection.run(DROP_LINKS, [row, nowMs]);
  await insertLink(connection, row[0], link);
  return kept('stored');
}

export async function readLink(
  connection: Connection,
  tokenHash: Uint8Array,
  nowMs: number,
): Promise<PortalUser | undefined> {
  const [row] = await connection.run(OF_LINK, [tokenHash, nowMs]);
  return row && userOf(row);
}

/** Says how many. */
export async function dropEndedLinks(connection: Connection, nowMs: number): Promise<number> {
  return (await connection.run(DROP_ENDED_LINKS, [nowMs])).length;
}

export async function erasePortalUsers(connection: Connection, merchantId: string): Promise<void> {
  const userIds = (await connection.run(USER_IDS, [merchantId])).map(([userId]) => userId);
  await dropLinks(connection, userIds);
  await connection.run(DROP_USERS, [merchantId]);
}

async function dropLinks(connection: Connection, userIds: readonly number[]): Promise<void> {
  // No link has ended before the year 1970: only those of the users go.
  await connection.run(DROP_LINKS, [userIds, 0]);
}

async function insertLink(connection: Connection, userId: number, { tokenHash, endsMs }: OneTimeLink): Promise<void> {
  await connection.run(INSERT_LINK, [tokenHash, userId, endsMs]);
}

function userOf([email, role, merchantId, createdMs]: UserRow): PortalUser {
  return { email, role, merchantId, createdMs };
}
