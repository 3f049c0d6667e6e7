/**
 * Runs the checks that come before the body, in order: route, token or signed URL, suspended merchant, rate limit, what the API key may
 * do, the value in the path, which is decoded here. The first failure becomes the response.
 */
import type { IncomingMessage } from 'node:http';
import type { RateLimiter } from '../access/rates/rate-limiter.ts';
import type { SessionFault } from '../access/tokens/sessions.ts';
import type { LinkFault } from '../access/tokens/signed-links.ts';
import { type Account, isMarketplace } from '../domain/account.ts';
import { type Awaitable, whenThere } from '../domain/awaitable.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import { type KeyRights, missingScopes, NO_SCOPE, SCOPE, scopeMissing } from '../domain/setup/key-scopes.ts';
import { decodeSkuId } from '../domain/sku-id.ts';
import { hasForbiddenCharacter } from '../domain/text/text-rules.ts';
import { rateLimitedAnswer } from './answers/rate-headers.ts';
import {
  type AnyEndpoint,
  type BadAnswer,
  type Caller,
  type MerchantEndpoint,
  needsKey,
  type SignedEndpoint,
  SKU_PLACEHOLDER,
} from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { PathRoute } from './path-route.ts';
import type { Services } from './services.ts';

/**
 * Returns synchronously if the token is cached, as for nearly every request, and the request can be counted immediately.
 * Otherwise resolves once the token is verified and the request counted. Returns the response to a refused request.
 */
export function admit(exchange: Exchange): Awaitable<BadAnswer | undefined> {
  const { endpoint, services, message, address, headers } = exchange;
  if (endpoint === undefined) return noEndpoint(message, address.route);
  if (endpoint.access === 'open') return admitTo(exchange, endpoint);
  if (endpoint.access === 'signed') return admitLink(exchange, endpoint);

  const nowMs = services.context.nowMs();
  const known = services.sessions.known(headers.authorization, nowMs);
  if (known !== undefined) return admitSession(exchange, endpoint, known);
  return services.sessions.verify(headers.authorization, nowMs).then((verified) => {
    if (typeof verified === 'string') return { problems: [requestProblem(verified, TOKEN_TEXTS[verified])] };
    return admitSession(exchange, endpoint, verified);
  });
}

async function admitLink(exchange: Exchange, endpoint: SignedEndpoint): Promise<BadAnswer | undefined> {
  const { services, address, query } = exchange;
  const account = await services.links.verify(endpoint.purpose, address.value, query, services.context.nowMs());
  if (typeof account === 'string') return { problems: [requestProblem(account, LINK_TEXTS[account])] };
  return admitSession(exchange, endpoint, { account });
}

function admitSession(exchange: Exchange, endpoint: AnyEndpoint, session: Caller): Awaitable<BadAnswer | undefined> {
  const { services, isDryRun } = exchange;
  const { accountId, suspended } = session.account;
  exchange.session = session;
  const nowMs = services.monotonicMs();
  const limiter = isDryRun ? services.dryRuns : requestLimiter(services, session.account);
  if (suspended) {
    exchange.rate = { ...limiter.peek(accountId, nowMs), isDryRun };
    return { problems: [merchantSuspended()] };
  }
  const refused = session.key && refuseKey(session.key, endpoint, exchange);
  if (refused !== undefined) {
    // Not counted, so that a key with few rights cannot use up the limit of the merchant's other keys.
    const peeked = { ...limiter.peek(accountId, nowMs), isDryRun };
    if (!peeked.allowed) return rateLimitedAnswer(peeked);
    exchange.rate = peeked;
    return { problems: [refused] };
  }
  return whenThere(limiter.take(accountId, nowMs), (taken) => {
    const decision = isDryRun ? { ...taken, isDryRun } : taken;
    if (!decision.allowed) return rateLimitedAnswer(decision);
    exchange.rate = decision;
    return admitTo(exchange, endpoint);
  });
}

export function requestLimiter(services: Services, account: Account): RateLimiter<number> {
  return isMarketplace(account) ? services.marketplaceRequests : services.requests;
}

/** Runs the last checks of every call. */
export function admitTo(exchange: Exchange, endpoint: AnyEndpoint): BadAnswer | undefined {
  const { dryRun, headers } = exchange;
  const problem = readPath(exchange, endpoint);
  if (problem !== undefined) return { problems: [problem] };
  if (typeof dryRun === 'object') return { problems: [dryRun] };
  if (endpoint.requestBody === undefined || !isEncoded(headers['content-encoding'])) return undefined;
  return { problems: [requestProblem('body_encoded', 'The body must be plain JSON without a Content-Encoding.')] };
}

/** Encoding names are case-insensitive, and an empty header means no encoding. */
function isEncoded(coding: string | undefined): boolean {
  return coding !== undefined && coding !== '' && coding.toLowerCase() !== 'identity';
}

/** Ids that are not the server's own, so that they may need an encoding. */
const ENCODED_PLACEHOLDER = /\{(?:fulfillment_node_id|product_code)\}/;

const PATH_SHOWN_CHARACTERS_MAX = 100;

/** The message shows the path without its query, which may contain a signature. Node accepts only visible ASCII characters in paths. */
export function noEndpoint(
  { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
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
  return requestProblem('merchant_suspended');
}

/** Scopes whose calls change offers, unless they only read. */
const CHANGES_OFFERS = SCOPE.listing | SCOPE.price | SCOPE.stock | SCOPE.files;

/** Checks the scopes of the key, its limits for plans, then its SKU prefix. An invalid SKU id is left to `readPath`. */
export function refuseKey(
  key: KeyRights,
  endpoint: AnyEndpoint,
  { address, isDryRun }: Pick<Exchange, 'isDryRun'> & { readonly address: Pick<Exchange['address'], 'value'> },
): Problem | undefined {
  if (!needsKey(endpoint)) return undefined;
  const { needs } = endpoint;
  const { scopes, skuPrefix, planLimits = null } = key;
  if ((scopes & needs) !== needs) return scopeMissing(missingScopes(key, needs));
  const mayChangeOffers = endpoint.method !== 'GET' && (needs & CHANGES_OFFERS) !== NO_SCOPE && !isDryRun;
  if (planLimits !== null && mayChangeOffers) return requestProblem('plan_required');
  if (skuPrefix === '' || endpoint.access === 'marketplace' || endpoint.concerns === 'no_offers') return undefined;
  if (!allowsPrefix(endpoint)) return skuOutsidePrefix('This call concerns several SKUs, but the API key', skuPrefix);
  const decoded = decodeSkuId(address.value);
  if ('problem' in decoded || decoded.skuId.startsWith(skuPrefix)) return undefined;
  return skuOutsidePrefix('The API key', skuPrefix);
}

/** Returns whether a key with a SKU prefix may make the call, for its own SKUs. */
export function allowsPrefix({ concerns, path }: MerchantEndpoint): boolean {
  return concerns === 'no_offers' || (concerns === undefined && path.includes(SKU_PLACEHOLDER));
}

export function skuOutsidePrefix(subject: string, skuPrefix: string): Problem {
  const text = `${subject} can only use SKU ids that begin with ${JSON.stringify(skuPrefix)}.`;
  return requestProblem('sku_outside_prefix', text);
}

/** Decodes what the path names. */
function readPath(exchange: Exchange, { path, access }: AnyEndpoint): Problem | undefined {
  const raw = (exchange.portal ?? exchange.address).value;
  if (path.includes(SKU_PLACEHOLDER)) {
    const decoded = decodeSkuId(raw);
    if ('problem' in decoded) return decoded.problem;
    exchange.skuId = decoded.skuId;
    return undefined;
  }
  const isOfApi = access === 'merchant' || access === 'open' || access === 'signed';
  // The other ids of the API are the server's own, and never need an encoding.
  const isPlain = !raw.includes('%') || (isOfApi && !ENCODED_PLACEHOLDER.test(path));
  const text = isPlain ? raw : decodedText(raw);
  // A node id or product code that cannot be decoded matches none.
  exchange.targetId = text ?? raw;
  if (text !== undefined || isOfApi) return undefined;
  return requestProblem('query_invalid', 'The path must be percent-encoded UTF-8 without NUL.');
}

function decodedText(raw: string): string | undefined {
  try {
    const text = decodeURIComponent(raw);
    return hasForbiddenCharacter(text) ? undefined : text;
  } catch {
    return undefined;
  }
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
