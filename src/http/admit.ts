/**
 * Runs the checks that come before the body, in order: route, token or signed URL, suspended merchant, rate limit, SKU
 * id. The first failure becomes the response.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Person } from '../access/people.ts';
import type { RateDecision } from '../access/rate-limiter.ts';
import type { SessionFault } from '../access/sessions.ts';
import type { LinkFault } from '../access/signed-links.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import { decodeSkuId } from '../domain/sku-id.ts';
import type { Address } from './address.ts';
import { rateHeaders, rateLimitedAnswer } from './answers/rate-headers.ts';
import { isDryRun, readDryRun } from './dry-run.ts';
import {
  type AnyEndpoint,
  type BadAnswer,
  type Endpoint,
  type Known,
  type SignedEndpoint,
  SKU_PLACEHOLDER,
} from './endpoint.ts';
import type { PathRoute } from './path-route.ts';
import type { Services } from './services.ts';

export interface Admitted {
  readonly endpoint: AnyEndpoint;
  /** The decoded SKU id, or the raw value of another placeholder. */
  readonly value: string;
  readonly secondValue: string;
  readonly query: string;
  readonly session: Known | undefined;
  /** Set for portal calls. */
  readonly person: Person | undefined;
  /** The rate limit of the account; undefined for calls that do not count towards it. */
  readonly rate: RateDecision | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Admission = Admitted | BadAnswer;

interface Asking {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Returns synchronously if the token is cached, as for nearly every request, and the request can be counted immediately.
 * Otherwise resolves once the token is verified and the request counted.
 */
export function admit(services: Services, request: Asking, address: Address<PathRoute>): Awaitable<Admission> {
  const endpoint = address.route?.endpoints.get(request.method ?? '');
  if (endpoint === undefined) return noEndpoint(request, address.route);
  if (endpoint.access === 'open') return admitTo(endpoint, request, address, undefined, undefined);
  if (endpoint.access === 'signed') return admitLink(services, endpoint, request, address);

  const { authorization } = request.headers;
  const nowMs = services.context.nowMs();
  const known = services.sessions.known(authorization, nowMs);
  if (known !== undefined) return admitSession(services, endpoint, request, address, known);
  return services.sessions.verify(authorization, nowMs).then((verified) => {
    if (typeof verified === 'string') return { problems: [requestProblem(verified, TOKEN_TEXTS[verified])] };
    return admitSession(services, endpoint, request, address, verified);
  });
}

async function admitLink(
  services: Services,
  endpoint: SignedEndpoint,
  request: Asking,
  address: Address<PathRoute>,
): Promise<Admission> {
  const { value, query } = address;
  const account = await services.links.verify(endpoint.purpose, value, query, services.context.nowMs());
  if (typeof account === 'string') return { problems: [requestProblem(account, LINK_TEXTS[account])] };
  return admitSession(services, endpoint, request, address, { account });
}

function admitSession(
  services: Services,
  endpoint: Endpoint,
  request: Asking,
  address: Address<PathRoute>,
  session: Known,
): Awaitable<Admission> {
  const { accountId, suspended } = session.account;
  const nowMs = services.monotonicMs();
  const isDry = isDryRun(endpoint, address.query);
  const limiter = isDry ? services.dryRuns : services.requests;
  if (suspended) {
    const headers = rateHeaders({ ...limiter.peek(accountId, nowMs), isDryRun: isDry });
    return { problems: [merchantSuspended()], headers, of: session };
  }
  return whenThere(limiter.take(accountId, nowMs), (taken) => {
    const decision = isDry ? { ...taken, isDryRun: true } : taken;
    if (!decision.allowed) return { ...rateLimitedAnswer(decision), of: session };
    return admitTo(endpoint, request, address, session, decision);
  });
}

/** Runs the last checks of every call. */
export function admitTo(
  endpoint: AnyEndpoint,
  request: Asking,
  address: Address<PathRoute<AnyEndpoint>>,
  session: Known | undefined,
  rate: RateDecision | undefined,
  person?: Person,
): Admission {
  const refused = (problem: Problem): Admission => ({
    problems: [problem],
    headers: rate === undefined ? {} : rateHeaders(rate),
    of: session,
  });
  const read = readValue(endpoint, address);
  if ('problem' in read) return refused(read.problem);
  const dryRun = readDryRun(endpoint, address.query);
  if (typeof dryRun === 'object') return refused(dryRun);
  if (endpoint.requestBody !== undefined && isEncoded(request.headers['content-encoding'])) {
    const text = 'The body must be plain JSON without a Content-Encoding.';
    return refused(requestProblem('body_encoded', text));
  }
  const { secondValue, query } = address;
  return { endpoint, value: read.value, secondValue, query, session, person, rate };
}

/** Encoding names are case-insensitive, and an empty header means no encoding. */
function isEncoded(coding: string | undefined): boolean {
  return coding !== undefined && coding !== '' && coding.toLowerCase() !== 'identity';
}

const PATH_SHOWN_CHARACTERS_MAX = 100;

/** The message shows the path without its query, which may contain a signature. Node accepts only visible ASCII characters in paths. */
export function noEndpoint(
  { method = '', url = '' }: Pick<Asking, 'method' | 'url'>,
  route: Pick<PathRoute, 'allow'> | undefined,
): BadAnswer {
  if (route === undefined) {
    const path = url.replace(/[?#].*/, '');
    const shown = path.length > PATH_SHOWN_CHARACTERS_MAX ? `${path.slice(0, PATH_SHOWN_CHARACTERS_MAX)}…` : path;
    // A HEAD response has the same headers as GET, including the length, so the text must be the same.
    const text = `No such path: ${method === 'HEAD' ? 'GET' : method} ${shown}. Check it against /docs/api.`;
    return { problems: [requestProblem('route_not_found', text)] };
  }
  const text = `This path accepts only ${route.allow}.`;
  return { problems: [requestProblem('method_not_allowed', text)], headers: { allow: route.allow } };
}

export function merchantSuspended(): Problem {
  return requestProblem('merchant_suspended', 'The marketplace has suspended this merchant. Contact the marketplace.');
}

function readValue(
  endpoint: AnyEndpoint,
  address: Address<PathRoute<AnyEndpoint>>,
): { value: string } | { problem: Problem } {
  if (!endpoint.path.includes(SKU_PLACEHOLDER)) return { value: address.value };
  const decoded = decodeSkuId(address.value);
  return 'problem' in decoded ? decoded : { value: decoded.skuId };
}

export const LINK_TEXTS: Readonly<Record<LinkFault, string>> = {
  link_invalid: 'This signed URL is not valid. Use it exactly as you received it.',
  link_expired: 'This signed URL has expired. Request a new one.',
};

export const TOKEN_TEXTS: Readonly<Record<SessionFault, string>> = {
  token_missing:
    'The token is missing. Send the header "Authorization: Bearer <id_token>" with a token from POST /token.',
  token_invalid: 'The token is not valid. Request a new one with POST /token.',
  token_expired: 'The token has expired. Request a new one with POST /token.',
  token_revoked:
    'The API key that this token was issued for was replaced or revoked. Request a token with the current key.',
};
