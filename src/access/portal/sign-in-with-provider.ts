/** Use case: a person signs in to the portal with the operator's OpenID provider, which decides role and merchant. */
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { userOfClaims } from '../../domain/setup/portal-user.ts';
import type { AccountDirectory } from '../account-directory.ts';
import { issueSession } from './portal-sessions.ts';
import { type SignedIn, type SignInContext, signedIn } from './sign-in.ts';
import type { BegunSignIn, SignInProvider } from './sign-in-provider.ts';

export interface ProviderContext extends SignInContext {
  readonly directory: Pick<AccountDirectory, 'signingKeys'>;
  /** Undefined if people sign in with passwords only. */
  readonly provider: SignInProvider | undefined;
}

export async function beginWithProvider(
  context: ProviderContext,
  body: SentBody,
  redirectUri: string,
): Promise<Outcome<BegunSignIn>> {
  const { provider, directory, nowMs } = context;
  if (provider === undefined) return refuseRequest('provider_off');
  const checked = context.checks.providerBegin(body);
  if (!checked.ok) return checked;
  const options = { redirectUri, asksAgain: checked.value.ask_again === true };
  const begun = await provider.begin(await directory.signingKeys(), options, nowMs());
  return begun === 'unavailable' ? refuseRequest('provider_unavailable', UNAVAILABLE) : accept(begun);
}

export async function signInWithProvider(
  context: ProviderContext,
  body: SentBody,
  cookie: string | undefined,
  redirectUri: string,
): Promise<Outcome<SignedIn>> {
  const { provider, directory, store } = context;
  if (provider === undefined) return refuseRequest('provider_off');
  const checked = context.checks.providerResponse(body);
  if (!checked.ok) return checked;
  const nowMs = context.nowMs();
  const keys = await directory.signingKeys();
  const claims = await provider.finish(keys, cookie, redirectUri, checked.value.query, nowMs);
  if (claims === 'unavailable') return refuseRequest('provider_unavailable', UNAVAILABLE);
  if (claims === 'failed') return refuseRequest('provider_sign_in_failed', FAILED);
  const claimed = userOfClaims(claims, provider.options.roleClaim);
  if (typeof claimed === 'string') return accountRefused(claimed);
  const subject = `${provider.options.issuer} ${claims.sub}`;
  const known = await store.readProviderUser(subject);
  const { email, role, merchantId } = claimed;
  const user = { ...claimed, createdMs: known?.createdMs ?? nowMs };
  if (known?.email !== email || known.role !== role || known.merchantId !== merchantId) {
    const detail = `${known === undefined ? 'new user' : `was ${known.email}, ${known.role}`}, role: ${role}`;
    const act = { atMs: nowMs, by: email, act: 'signInWithProvider', subject: merchantId ?? '', detail };
    const put = await store.putProviderUser(subject, user, act);
    if (put === 'exists')
      return accountRefused(`${email} is the address of another user here, who must be removed first.`);
    if (put === 'merchant_unknown')
      return accountRefused(`Your account belongs to merchant ${merchantId}, which does not exist.`);
  }
  const session = issueSession(nowMs, {
    lifetime_ms: LIMITS.provider_session_lifetime_seconds * 1000,
    // The provider may have let the person in without asking again.
    signedInMs: typeof claims.auth_time === 'number' ? Math.min(claims.auth_time * 1000, nowMs) : 0,
  });
  const begun = await store.addProviderSession(subject, session.stored, LIMITS.sessions_per_user_max);
  return begun === 'stored'
    ? accept(signedIn(user, session), checked.ignored)
    : refuseRequest('provider_sign_in_failed', FAILED);
}

function accountRefused(reason: string): Outcome<never> {
  return refuseRequest('provider_account_refused', `${reason} Ask the marketplace.`);
}

const UNAVAILABLE = 'The sign-in provider is not available. Sign in with a password, or retry later.';
const FAILED = 'The sign-in was not confirmed, or took too long. Start again.';
