/** POST /token, GET /authcheck */
import { issueToken } from '../../access/tokens/issue-token.ts';
import { TokenBody } from '../../domain/bodies/token.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { NO_SCOPE } from '../../domain/setup/key-scopes.ts';
import { requestLimiter } from '../admit.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { rateHeaders, rateLimitedAnswer } from '../answers/rate-headers.ts';
import type { MerchantEndpoint, OpenEndpoint } from '../endpoint.ts';

export const postToken: OpenEndpoint = {
  id: 'createToken',
  method: 'POST',
  path: '/token',
  access: 'open',
  tag: 'Token',
  summary: 'Exchange your API key for a token',
  description: `Send the token on every other call as \`Authorization: Bearer <id_token>\`. It is valid for ${LIMITS.token_lifetime_seconds / 3600} hours.`,
  requestBody: TokenBody,
  answer: Type.Object({
    id_token: Type.String({ description: 'The token.' }),
    token_type: Type.String({ description: 'Always `Bearer`.' }),
    expires_on: Type.String({ format: 'date-time', description: 'When the token expires.' }),
  }),
  failures: [429],
  async handle({ services, body, ip }) {
    const monotonicMs = services.monotonicMs();
    const caller = { address: ip, wallMs: services.context.nowMs(), monotonicMs };
    const outcome = await issueToken(services.tokenContext, body, caller);
    if ('throttled' in outcome) {
      const whose = outcome.throttled.by === 'user' ? 'for this user' : 'from this address';
      const text = `Too many wrong secrets ${whose}. Retry after the number of seconds in Retry-After.`;
      return {
        problems: [requestProblem('too_many_failures', text)],
        headers: { 'retry-after': String(outcome.throttled.reset_seconds) },
      };
    }
    if (!outcome.ok) return outcome;
    const { token, expiresSeconds, account, by } = outcome.value;
    const decision = await requestLimiter(services, account).take(account.accountId, services.monotonicMs());
    const of = { account, by };
    if (!decision.allowed) return { ...rateLimitedAnswer(decision), of };
    const json = JSON.stringify({
      id_token: token,
      token_type: 'Bearer',
      expires_on: new Date(expiresSeconds * 1000).toISOString().replace('.000Z', 'Z'),
    });
    return {
      status: 200,
      json,
      headers: { ...rateHeaders(decision), ...NOT_KEPT },
      ignored: outcome.ignored,
      of,
    };
  },
};

export const getAuthcheck: MerchantEndpoint = {
  id: 'checkToken',
  method: 'GET',
  path: '/authcheck',
  access: 'merchant',
  needs: NO_SCOPE,
  concerns: 'no_offers',
  tag: 'Token',
  summary: 'Check a token',
  description:
    'Counts as a request. Use it to test your API key, not before every call: a call with an invalid token says so itself.',
  answer: Type.String({ description: 'A fixed text.' }),
  handle: () => ({ status: 200, json: '"This message is authorized."' }),
};
