/** Stores portal users, the one-time links with which they set a password, and the activity log. */
import type { Act, ListedPortalUser, OneTimeLink, PeopleStore, PortalUser, RecordedAct } from '../../port/people.ts';
import { change, read, undone, write } from '../command.ts';
import { columnsOf } from '../records.ts';
import { hasMerchant } from '../settings/rows.ts';
import { dropSome, firstOf, insertStatement, rowsOf, type Sql, statement } from '../sql.ts';

export const USER = columnsOf<PortalUser>()('email', 'role', 'merchantId', 'createdMs');
const LISTED = columnsOf<ListedPortalUser>()(
  ...([
    'email',
    'role',
    'merchantId',
    'createdMs',
    'lastSignInMs',
    'providerSubject',
    'invitedUntilMs',
    'passkeys',
  ] as const),
);
const SELECT_USERS = `SELECT ${USER.list} FROM portal_user u`;

const LIST = statement('list portal users')`
  SELECT u.email, u.role, u.merchant_id, u.created_ms, u.last_sign_in_ms, u.provider_subject, max(l.ends_ms),
    (SELECT count(*) FROM passkey p WHERE p.user_id = u.user_id)
  FROM portal_user u LEFT JOIN one_time_link l ON l.user_id = u.user_id
  GROUP BY u.user_id, u.email, u.role, u.merchant_id, u.created_ms, u.last_sign_in_ms, u.provider_subject ORDER BY u.email`;
const READ = statement('read portal user')`${SELECT_USERS} WHERE u.email = $1`;
const OF_PROVIDER = statement('read user of provider')`${SELECT_USERS} WHERE u.provider_subject = $1`;
const INSERT_OF_PROVIDER = insertStatement('add user of provider', 'portal_user', [...USER.names, 'provider_subject']);
const SET_OF_PROVIDER = statement<[]>('change user of provider')`
  UPDATE portal_user SET email = $2, role = $3, merchant_id = $4 WHERE provider_subject = $1`;
const OF_LINK = statement('read portal user of link')`
  ${SELECT_USERS} JOIN one_time_link l ON l.user_id = u.user_id WHERE l.token_hash = $1 AND l.ends_ms > $2`;
const INSERT = insertStatement<[userId: number]>('add portal user', 'portal_user', USER.names, 'RETURNING user_id');
const USER_ID = statement<[userId: number, providerSubject: string | null]>('find portal user')`
  SELECT user_id, provider_subject FROM portal_user WHERE email = $1`;
const SET_ROLE = statement<[1]>('set role of portal user')`
  UPDATE portal_user SET role = $2 WHERE email = $1 AND merchant_id IS NOT NULL RETURNING 1`;
const INSERT_LINK = insertStatement('add link', 'one_time_link', ['token_hash', 'user_id', 'ends_ms']);
/** Drops the user's links, and all links that have expired at the given time; with time 0, only the user's links. */
export const DROP_LINKS = statement<[]>('drop links')`DELETE FROM one_time_link WHERE user_id = $1 OR ends_ms <= $2`;
const DROP_USER = statement<[]>('remove portal user')`DELETE FROM portal_user WHERE user_id = $1`;

export const listPortalUsers = read<PeopleStore['listPortalUsers']>(rowsOf(LIST, LISTED.of));
export const readPortalUser = read<PeopleStore['readPortalUser']>(firstOf(READ, USER.of));
export const readProviderUser = read<PeopleStore['readProviderUser']>(firstOf(OF_PROVIDER, USER.of));
export const readLink = read<PeopleStore['readLink']>(firstOf(OF_LINK, USER.of));

export const addPortalUser = change<PeopleStore['addPortalUser']>(async (sql, user, link) => {
  const { email, merchantId } = user;
  if ((await readPortalUser(sql, email)) !== undefined) return undone('exists');
  if (merchantId !== null && !(await hasMerchant(sql, merchantId))) return undone('merchant_unknown');
  const [row] = await sql.run(INSERT, USER.valuesOf(user));
  if (row === undefined) throw new Error('The inserted user has no id.');
  await insertLink(sql, row[0], link);
  return 'stored';
});

export const putProviderUser = change<PeopleStore['putProviderUser']>(async (sql, subject, user, act) => {
  const { email, role, merchantId } = user;
  const known = await readProviderUser(sql, subject);
  if (known?.email !== email && (await readPortalUser(sql, email)) !== undefined) return undone('exists');
  if (merchantId !== null && !(await hasMerchant(sql, merchantId))) return undone('merchant_unknown');
  if (known !== undefined) await sql.run(SET_OF_PROVIDER, [subject, email, role, merchantId]);
  else await sql.run(INSERT_OF_PROVIDER, [...USER.valuesOf(user), subject]);
  await addAct(sql, act);
  return 'stored';
});

export const setMerchantRole = change<PeopleStore['setMerchantRole']>(async (sql, email, role, by) => {
  if (!(await managesUsers(sql, by))) return undone('forbidden');
  const [row] = await sql.run(USER_ID, [email]);
  if (row !== undefined && row[1] !== null) return undone('of_provider');
  return (await sql.run(SET_ROLE, [email, role])).length > 0 ? 'stored' : undone('unknown');
});

export const removePortalUser = change<PeopleStore['removePortalUser']>(async (sql, email, by) => {
  if (!(await managesUsers(sql, by))) return undone('forbidden');
  const [row] = await sql.run(USER_ID, [email]);
  if (row === undefined) return undone('unknown');
  await sql.run(DROP_LINKS, [row[0], 0]);
  await sql.run(DROP_USER, [row[0]]);
  return 'stored';
});

export const replaceLink = change<PeopleStore['replaceLink']>(async (sql, email, link, nowMs) => {
  const [row] = await sql.run(USER_ID, [email]);
  if (row === undefined) return undone('unknown');
  if (row[1] !== null) return undone('of_provider');
  await sql.run(DROP_LINKS, [row[0], nowMs]);
  await insertLink(sql, row[0], link);
  return 'stored';
});

/** Whether this person may manage users. Read in the transaction: of two admins who remove each other, only one must succeed. */
async function managesUsers(sql: Sql, email: string | null): Promise<boolean> {
  const role = email === null ? 'operator' : (await readPortalUser(sql, email))?.role;
  return role === 'operator' || role === 'merchant-admin';
}

async function insertLink(sql: Sql, userId: number, { tokenHash, endsMs }: OneTimeLink): Promise<void> {
  await sql.run(INSERT_LINK, [tokenHash, userId, endsMs]);
}

const ACT_FIELDS = ['atMs', 'by', 'act', 'subject', 'detail'] as const;
const NEW_ACT = columnsOf<Act>()(...ACT_FIELDS);
const ACT = columnsOf<RecordedAct>()('actId', ...ACT_FIELDS);
const ADD_ACT = insertStatement('add act', 'operator_act', NEW_ACT.names);
const LIST_ACTS = statement('list acts')`
  SELECT ${ACT.list} FROM operator_act WHERE act_id < $1 AND ($3 = '' OR act = $3)
    AND ($4 = '' OR lower(made_by || ' ' || subject || ' ' || detail) LIKE lower($4) ESCAPE '!')
  ORDER BY act_id DESC LIMIT $2`;
const listMatchingActs = rowsOf(LIST_ACTS, ACT.of);

export const addAct = write<PeopleStore['addAct']>(async (sql, act) => {
  await sql.run(ADD_ACT, NEW_ACT.valuesOf(act));
});

export const listActs = read<PeopleStore['listActs']>((sql, before, limit, { act = '', text = '' } = {}) => {
  const pattern = text === '' ? '' : `%${text.replaceAll(/[!%_]/g, '!$&')}%`;
  return listMatchingActs(sql, before, limit, act, pattern);
});
export const dropActsBefore = write<PeopleStore['dropActsBefore']>(
  { lane: 'background' },
  dropSome('drop acts', 'operator_act', 'at_ms < $1 ORDER BY at_ms, act_id'),
);
