/** Stores portal users, and the one-time links by which they set a password. */
import type { PortalRole } from '../../../domain/vocabulary/portal-roles.ts';
import type { OneTimeLink, PeopleStore, PortalUser } from '../../port/people.ts';
import { change, read, undone } from '../command.ts';
import { type Sql, statement } from '../sql.ts';

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
const MERCHANT = statement<[1]>('find merchant of portal user', 'SELECT 1 FROM merchant WHERE merchant_id = $1');
const INSERT = statement<[userId: number]>(
  'add portal user',
  'INSERT INTO portal_user (email, role, merchant_id, created_ms) VALUES ($1, $2, $3, $4) RETURNING user_id',
);
const USER_ID = statement<[userId: number]>('find portal user', 'SELECT user_id FROM portal_user WHERE email = $1');
const SET_ROLE = statement<[1]>(
  'set role of portal user',
  'UPDATE portal_user SET role = $2 WHERE email = $1 AND merchant_id IS NOT NULL RETURNING 1',
);
const INSERT_LINK = statement<[]>(
  'add link',
  'INSERT INTO one_time_link (token_hash, user_id, ends_ms) VALUES ($1, $2, $3)',
);
const DROP_LINKS = statement<[]>('drop links', 'DELETE FROM one_time_link WHERE user_id = $1 OR ends_ms <= $2');
const DROP_USER = statement<[]>('remove portal user', 'DELETE FROM portal_user WHERE user_id = $1');

export const listPortalUsers = read<PeopleStore['listPortalUsers']>(async (sql) => {
  const rows = await sql.run(LIST);
  return rows.map(([email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs]) => {
    return { email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs };
  });
});

export const readPortalUser = read<PeopleStore['readPortalUser']>(async (sql, email) => {
  const [row] = await sql.run(READ, [email]);
  return row && userOf(row);
});

export const readLink = read<PeopleStore['readLink']>(async (sql, tokenHash, nowMs) => {
  const [row] = await sql.run(OF_LINK, [tokenHash, nowMs]);
  return row && userOf(row);
});

export const addPortalUser = change<PeopleStore['addPortalUser']>(async (sql, user, link) => {
  const { email, role, merchantId, createdMs } = user;
  if ((await readPortalUser(sql, email)) !== undefined) return undone('exists');
  if (merchantId !== null && (await sql.run(MERCHANT, [merchantId])).length === 0) return undone('merchant_unknown');
  const [row] = await sql.run(INSERT, [email, role, merchantId, createdMs]);
  if (row === undefined) throw new Error('The inserted user has no id.');
  await insertLink(sql, row[0], link);
  return 'stored';
});

export const setMerchantRole = change<PeopleStore['setMerchantRole']>(async (sql, email, role) => {
  return (await sql.run(SET_ROLE, [email, role])).length > 0 ? 'stored' : undone('unknown');
});

export const removePortalUser = change<PeopleStore['removePortalUser']>(async (sql, email) => {
  const [row] = await sql.run(USER_ID, [email]);
  if (row === undefined) return undone('unknown');
  // With time 0, only the user's own links are dropped.
  await sql.run(DROP_LINKS, [row[0], 0]);
  await sql.run(DROP_USER, row);
  return 'stored';
});

export const replaceLink = change<PeopleStore['replaceLink']>(async (sql, email, link, nowMs) => {
  const [row] = await sql.run(USER_ID, [email]);
  if (row === undefined) return undone('unknown');
  await sql.run(DROP_LINKS, [row[0], nowMs]);
  await insertLink(sql, row[0], link);
  return 'stored';
});

async function insertLink(sql: Sql, userId: number, { tokenHash, endsMs }: OneTimeLink): Promise<void> {
  await sql.run(INSERT_LINK, [tokenHash, userId, endsMs]);
}

function userOf([email, role, merchantId, createdMs]: UserRow): PortalUser {
  return { email, role, merchantId, createdMs };
}
