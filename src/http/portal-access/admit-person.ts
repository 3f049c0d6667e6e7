/**
 * Runs the checks before a portal call, in order: route, session, role, CSRF token, passkey, suspended
 * merchant, fresh sign-in, rate limit, SKU id. The first failure becomes the response. A read with the CSRF token of another session is refused before the role is
 * checked.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { clientNetwork } from '../../access/client-network.ts';
import { isPasskeyDue } from '../../access/portal/passkeys.ts';
import type { Person } from '../../access/portal/portal-sessions.ts';
import { asViewer } from '../../access/portal/viewed-merchant.ts';
import type { Environment, Merchant } from '../../domain/account.ts';
import { authorOfPerson } from '../../domain/author.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { Address } from '../address.ts';
import { admitTo, merchantSuspended, noEndpoint } from '../admit.ts';
import { rateLimitedAnswer } from '../answers/rate-headers.ts';
import type { BadAnswer, Caller } from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import type { Services } from '../services.ts';
import { isChange, type PortalCallEndpoint, type PortalRoute, rolesFor } from './portal-addresses.ts';
import { SESSION_COOKIE, VIEW_COOKIE } from './session-cookie.ts';

/** Values of `Sec-Fetch-Site` for requests of the portal's own pages. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Returns the response to a refused request. */
export async function admitPerson(exchange: Exchange, { route }: Address<PortalRoute>): Promise<BadAnswer | undefined> {
  const { services, message, headers } = exchange;
  const endpoint = route?.endpoints.get(message.method ?? '');
  if (endpoint === undefined) return noEndpoint(message, route);
  const token = SESSION_COOKIE.read(headers.cookie);
  const found = token === undefined ? undefined : await findSession(exchange, token);
  if (found !== undefined && 'throttled' in found) return rateLimitedAnswer(found.throttled);
  exchange.signedIn =
    found && (await asViewer(services.portal.directory, found.person, VIEW_COOKIE.read(headers.cookie)));
  const refused = await admitFound(exchange, endpoint, route?.environment);
  if (refused === 'not_signed_in') return { problems: [token === undefined ? SESSION_MISSING : SESSION_ENDED] };
  if (found?.nextToken !== undefined) exchange.addedHeaders = SESSION_COOKIE.set(found.nextToken, services.publicUrl());
  return refused;
}

function findSession(exchange: Exchange, token: string) {
  const { portal, context, monotonicMs } = exchange.services;
  const client = () => clientNetwork(exchange.ip);
  return portal.sessions.find(token, client, { nowMs: context.nowMs(), monotonicMs: monotonicMs() });
}

async function admitFound(
  exchange: Exchange,
  endpoint: PortalCallEndpoint,
  environment: Environment | undefined,
): Promise<BadAnswer | 'not_signed_in' | undefined> {
  const { services, headers, signedIn: person } = exchange;
  const changes = isChange(endpoint);
  const roles = rolesFor(endpoint);
  if (roles === undefined) {
    if (changes && isFromElsewhere(headers, services.publicUrl())) return { problems: [CSRF_INVALID] };
  } else {
    if (person === undefined) return 'not_signed_in';
    // The page was loaded in another user's session, so it would show this data under the wrong name.
    if (!changes && isOfAnotherSession(headers, person)) return { problems: [SESSION_MOVED] };
    if (person.isViewing && !isForViewing(endpoint, person)) return { problems: [VIEWING] };
    if (!roles.includes(person.role)) return { problems: [forbiddenRole(person, roles)] };
    if (changes && !isOwnChange(headers, person, services.publicUrl())) return { problems: [CSRF_INVALID] };
    const isBeforePasskey = endpoint.access === 'person' && endpoint.beforePasskey;
    if (!isBeforePasskey && isPasskeyDue(services.portal.signIn, person)) return { problems: [PASSKEY_REQUIRED] };
    const merchant = await merchantOf(services, person);
    // The user was removed since the session was read.
    if (merchant === undefined) return 'not_signed_in';
    if (changes && merchant !== 'none' && merchant.suspended && !isOfOneself(endpoint)) {
      return { problems: [merchantSuspended()] };
    }
    if (isStale(exchange, endpoint, person)) return { problems: [SIGN_IN_NOT_FRESH] };
    exchange.session = await knownAccount(services, person, merchant, environment);
  }
  const sender = person?.email ?? clientNetwork(exchange.ip);
  const decision = await services.portal.requests.take(sender, services.monotonicMs());
  if (!decision.allowed) return rateLimitedAnswer(decision);
  exchange.rate = decision;
  return admitTo(exchange, endpoint);
}

function isOwnChange(headers: IncomingHttpHeaders, person: Person, publicUrl: string): boolean {
  return hasOwnToken(headers, person) && !isFromElsewhere(headers, publicUrl);
}

/**
 * Browsers send the origin of a request. Programs do not, but another site cannot make them send requests. A page that
 * was opened under another name of this server, such as `localhost`, counts as its own.
 */
function isFromElsewhere(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string' && !OWN_SITES.has(site)) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  const from = URL.parse(origin);
  return from === null || (from.host !== host && from.origin !== new URL(publicUrl).origin);
}

/** Reads need no CSRF token, because a download link sends none. */
function isOfAnotherSession(headers: IncomingHttpHeaders, person: Person): boolean {
  return headers['x-csrf-token'] !== undefined && !hasOwnToken(headers, person);
}

function hasOwnToken(headers: IncomingHttpHeaders, { csrfToken }: Person): boolean {
  const given = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const expected = Buffer.from(csrfToken);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** So a session that was left open, or whose cookie was stolen, creates no key and no user. */
function isStale(exchange: Exchange, endpoint: PortalCallEndpoint, { signedInMs }: Person): boolean {
  const { freshSignIn_ms } = exchange.services.portal;
  if (!endpoint.needsFreshSignIn || freshSignIn_ms === 0) return false;
  if (endpoint.access === 'person' && endpoint.isRecorded?.(exchange) === false) return false;
  return exchange.services.context.nowMs() - signedInMs > freshSignIn_ms;
}

function isOfOneself(endpoint: PortalCallEndpoint): boolean {
  return endpoint.access === 'person' && endpoint.ofOneself === true;
}

/**
 * An operator who views as a merchant may read what a viewer of the merchant reads, and end the view or the session.
 */
function isForViewing(endpoint: PortalCallEndpoint, { role }: Person): boolean {
  if (isChange(endpoint)) return endpoint.access === 'person' && endpoint.endsView === true;
  return rolesFor(endpoint)?.includes(role) === true;
}

/** Returns `none` for operators. */
function merchantOf({ portal }: Services, { merchantId }: Person): Awaitable<Merchant | 'none' | undefined> {
  return merchantId === null ? 'none' : portal.directory.merchant(merchantId);
}

/** Returns undefined for calls that concern no account. */
async function knownAccount(
  { portal }: Services,
  { email }: Person,
  merchant: Merchant | 'none',
  environment: Environment | undefined,
): Promise<Caller | undefined> {
  if (environment === undefined || merchant === 'none') return undefined;
  const account = await portal.directory.account(merchant.accounts[environment]);
  return account && { account, by: authorOfPerson(email) };
}

function forbiddenRole({ role }: Person, roles: readonly PortalRole[]): Problem {
  const text = `Your role (${role}) does not allow this. Required role: ${roles.join(' or ')}.`;
  return requestProblem('forbidden_role', text);
}

const PASSKEY_REQUIRED = requestProblem(
  'passkey_required',
  'Your account needs a passkey. Add one, or sign in with it, before you continue.',
);
const SESSION_MISSING = requestProblem('session_missing', 'You are not signed in. Sign in first.');
const SESSION_ENDED = requestProblem('session_ended', 'Your session has ended. Sign in again.');
const SIGN_IN_NOT_FRESH = requestProblem(
  'sign_in_not_fresh',
  'Your sign-in is too long ago for this change. Confirm that it is you, then repeat the change.',
);
const VIEWING = requestProblem('viewing_as_merchant');
const CSRF_INVALID = requestProblem(
  'csrf_invalid',
  'The X-CSRF-Token header is missing or wrong, or the request came from another site. Reload the page.',
);
const SESSION_MOVED = requestProblem(
  'csrf_invalid',
  'The X-CSRF-Token header belongs to another session. Reload the page.',
);
