/**
 * Use cases: add, list, remove and sign out portal users, change their roles, and create new password links. Operators
 * manage all users. A merchant's admins manage the users of their merchant and cannot see others.
 */
import type { SentBody } from '../../domain/body-text.ts';
import { isObject, isPresent } from '../../domain/check/compile.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { fieldProblem, type Problem, requestProblem } from '../../domain/problem.ts';
import { normalizeEmail } from '../../domain/setup/portal-user.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import type { ListedPortalUser, OneTimeLink, PortalUser } from '../../store/port/people.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { merchantUnknown, readWholeMerchant } from './merchant-accounts.ts';

/** Selects the users of one merchant, or all users. */
export type UsersOf = { readonly merchantId: string } | 'all';

/** The person who changes a user, and the users that this person sees. By default the command line, which sees all. */
interface UserChange {
  readonly by?: string;
  readonly of?: UsersOf;
}

export async function addPortalUser(
  context: SetupContext,
  body: SentBody,
  link: OneTimeLink,
  of: UsersOf = 'all',
): Promise<Outcome<PortalUser>> {
  const checked = context.checks.portalUser(of === 'all' ? body : withMerchant(body, of.merchantId));
  if (!checked.ok) return checked;
  const { email, role, merchant: merchantId = null } = checked.value;
  if (of !== 'all' && merchantId !== of.merchantId) {
    const problem =
      merchantId === null
        ? fieldProblem('not_allowed', ['role'], `must be one of ${MERCHANT_ROLES.join(', ')}`)
        : fieldProblem('not_allowed', ['merchant'], 'must be your own merchant, or absent');
    return refuse([problem], checked.ignored);
  }
  const merchant = merchantId === null ? accept(undefined) : await readWholeMerchant(context.store, merchantId);
  if (!merchant.ok) return merchant;
  const user = { email: normalizeEmail(email), role, merchantId, createdMs: context.nowMs() };
  switch (await context.store.people.addPortalUser(user, link)) {
    case 'stored':
      return accept(user, checked.ignored);
    case 'exists':
      return refuse([await takenProblem(context, user.email, of)]);
    case 'merchant_unknown':
      return refuse([merchantUnknown(merchantId ?? '')]);
  }
}

/** Returns a problem that does not reveal users of other merchants to a merchant's admin, or suggest a reset that would be refused. */
async function takenProblem(context: SetupContext, email: string, of: UsersOf): Promise<Problem> {
  const isSeen = (await findUser(context, email, of)) !== undefined || of === 'all';
  return isSeen
    ? fieldProblem('user_exists', ['email'], 'is already a user. Reset the password to get a new link')
    : fieldProblem('not_allowed', ['email'], 'cannot be added by you. Ask the marketplace');
}

/** Adds the caller's merchant to a body that names none, for roles that need one. */
function withMerchant(body: SentBody, merchantId: string): SentBody {
  if (!isObject(body.value) || isPresent(body.value.merchant) || body.value.role === 'operator') return body;
  return { ...body, value: { ...body.value, merchant: merchantId } };
}

export async function listPortalUsers(
  context: SetupContext,
  of: UsersOf = 'all',
): Promise<Outcome<readonly ListedPortalUser[]>> {
  const users = await context.store.people.listPortalUsers();
  return accept(of === 'all' ? users : users.filter(({ merchantId }) => merchantId === of.merchantId));
}

/** Stores a new password link and revokes the user's earlier links. */
export async function resetPortalUser(
  context: SetupContext,
  email: string,
  link: OneTimeLink,
  of: UsersOf = 'all',
): Promise<Outcome<PortalUser>> {
  const user = await findUser(context, email, of);
  const written = user && (await context.store.people.replaceLink(user.email, link, context.nowMs()));
  if (written === 'of_provider') return refuse([OF_PROVIDER]);
  return user !== undefined && written === 'stored' ? accept(user) : userUnknown(email);
}

/** Changes the role, which applies to open sessions immediately. */
export async function changePortalUserRole(
  context: SetupContext,
  email: string,
  body: SentBody,
  { by, of = 'all' }: UserChange,
): Promise<Outcome<PortalUser>> {
  const checked = context.checks.merchantRole(body);
  if (!checked.ok) return checked;
  const user = await findUser(context, email, of);
  if (user?.role === 'operator') {
    return refuse([fieldProblem('not_allowed', ['role'], 'cannot be changed for operators')], checked.ignored);
  }
  const written = user && (await context.store.people.setMerchantRole(user.email, checked.value.role, by ?? null));
  if (written === 'forbidden') return refuse([FORBIDDEN], checked.ignored);
  if (written === 'of_provider') return refuse([OF_PROVIDER], checked.ignored);
  if (user === undefined || written !== 'stored') return userUnknown(email);
  return accept({ ...user, role: checked.value.role }, checked.ignored);
}

/** Removes a user, and ends the user's sessions and links immediately. */
export async function removePortalUser(
  context: SetupContext,
  email: string,
  { by, of = 'all' }: UserChange = {},
): Promise<Outcome<PortalUser>> {
  const user = await findUser(context, email, of);
  const written = user && (await context.store.people.removePortalUser(user.email, by ?? null));
  if (written === 'forbidden') return refuse([FORBIDDEN]);
  return user !== undefined && written === 'stored' ? accept(user) : userUnknown(email);
}

/** Returns the number of ended sessions. */
export async function endPortalSessions(context: SetupContext, email: string): Promise<Outcome<number>> {
  const user = await findUser(context, email, 'all');
  return user === undefined ? userUnknown(email) : accept(await context.store.people.endSessions(user.email, null));
}

/** Returns the number of removed passkeys. */
export async function removePortalPasskeys(context: SetupContext, email: string): Promise<Outcome<number>> {
  const removed = await context.store.people.removePasskeys(normalizeEmail(email));
  return removed === undefined ? userUnknown(email) : accept(removed);
}

async function findUser({ store }: SetupContext, email: string, of: UsersOf): Promise<PortalUser | undefined> {
  const user = await store.people.readPortalUser(normalizeEmail(email));
  return of === 'all' || user?.merchantId === of.merchantId ? user : undefined;
}

const FORBIDDEN = requestProblem('forbidden_role', 'Your role no longer allows this. Reload the page.');

const OF_PROVIDER = requestProblem(
  'user_of_provider',
  'The sign-in provider manages this user: the role comes from there, and there is no password.',
);

function userUnknown<T>(email: string): Outcome<T> {
  return refuseRequest('user_unknown', `No portal user ${JSON.stringify(email)}.`);
}
