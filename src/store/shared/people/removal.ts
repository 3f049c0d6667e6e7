/** Statements of larger commands: links that have expired, and the portal users of a merchant that is erased. */
import { statement } from '../sql.ts';

export const DROP_ENDED_LINKS = statement<[one: number]>(
  'drop ended links',
  'DELETE FROM one_time_link WHERE ends_ms <= $1 RETURNING 1',
);

/** In this order. */
export const ERASE_PORTAL_USERS = [
  statement<[]>(
    'erase links of portal users',
    'DELETE FROM one_time_link WHERE user_id IN (SELECT user_id FROM portal_user WHERE merchant_id = $1)',
  ),
  statement<[]>('erase portal users', 'DELETE FROM portal_user WHERE merchant_id = $1'),
] as const;
