/**
 * Signs people in with the operator's OpenID provider: authorization code with PKCE. `openid-client` is loaded at the first sign-in.
 *
 * The server stores nothing until the provider has confirmed the sign-in. State, nonce and PKCE verifier are derived from a random value
 * in a cookie and a signing key, so the cookie alone reveals none of them, and every process can finish what another began.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { ClientAuth, Configuration } from 'openid-client';
import { LIMITS } from '../../domain/limits.ts';
import type { SigningKey } from '../../store/port/settings.ts';

const RANDOM_BYTES = 32;
const COOKIE = /^(\d{13})\.[\w-]{43}$/;
const CALL_SECONDS = 5;
/** The provider's error code. For a refused authorization, it is in the URL that the browser sends. */
const ERROR_CODE = /^[a-z_]{1,40}$/;

export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  readonly roleClaim: string;
  /** For the button on the sign-in page. */
  readonly name: string;
  readonly onFailure: (reason: string) => void;
}

export interface BegunSignIn {
  /** Where the browser goes next. */
  readonly url: string;
  readonly cookie: string;
}

/** `failed`: the provider did not confirm the sign-in, or it is not the one that this browser began. */
type ProviderFault = 'failed' | 'unavailable';

export interface ProviderClaims extends Readonly<Record<string, unknown>> {
  readonly sub: string;
}

export class SignInProvider {
  readonly options: ProviderOptions;
  #configuration: Promise<Configuration> | undefined;

  constructor(options: ProviderOptions) {
    this.options = options;
  }

  /** `redirectUri`: the page to which the provider returns the browser. `asksAgain`: the provider must ask who the person is. */
  async begin(
    keys: readonly SigningKey[],
    { redirectUri, asksAgain }: { readonly redirectUri: string; readonly asksAgain: boolean },
    nowMs: number,
  ): Promise<BegunSignIn | 'unavailable'> {
    const [key] = keys;
    if (key === undefined) throw new Error('There is no signing key.');
    const endsMs = nowMs + LIMITS.provider_sign_in_seconds * 1000;
    const cookie = `${endsMs}.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
    const { state, nonce, verifier } = secretsOf(key, cookie);
    try {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
      const url = buildAuthorizationUrl(await this.#discovered(), {
        redirect_uri: redirectUri,
        scope: this.options.scopes,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        // With `max_age`, the ID token must have `auth_time`.
        ...(asksAgain ? { prompt: 'login', max_age: '0' } : {}),
      });
      return { url: url.href, cookie };
    } catch (error) {
      this.options.onFailure(reasonOf(error));
      return 'unavailable';
    }
  }

  /** `query`: what the provider added to the redirect URI. */
  async finish(
    keys: readonly SigningKey[],
    cookie: string | undefined,
    redirectUri: string,
    query: string,
    nowMs: number,
  ): Promise<ProviderClaims | ProviderFault> {
    const returned = new URLSearchParams(query);
    const [, endsMs] = COOKIE.exec(cookie ?? '') ?? [];
    // The key may have been rolled since.
    const begun = keys.map((key) => secretsOf(key, cookie ?? '')).find(({ state }) => state === returned.get('state'));
    if (begun === undefined || nowMs >= Number(endsMs)) return 'failed';
    try {
      const { authorizationCodeGrant } = await import('openid-client');
      const tokens = await authorizationCodeGrant(await this.#discovered(), new URL(`${redirectUri}?${returned}`), {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.verifier,
        idTokenExpected: true,
      });
      return tokens.claims() ?? 'failed';
    } catch (error) {
      this.options.onFailure(reasonOf(error));
      return isRefusal(error) ? 'failed' : 'unavailable';
    }
  }

  /** Reads the provider's metadata once; again after a failure. */
  #discovered(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((error) => {
      this.#configuration = undefined;
      throw error;
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.options;
    const server = new URL(issuer);
    const authentication: ClientAuth = (as, ...rest) => {
      // Without the list, the standard says `client_secret_basic`.
      const isPost = as.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false;
      if (clientSecret === undefined) return client.None()(as, ...rest);
      return (isPost ? client.ClientSecretPost : client.ClientSecretBasic)(clientSecret)(as, ...rest);
    };
    const configuration = await client.discovery(server, clientId, undefined, authentication, {
      timeout: CALL_SECONDS,
      execute: [
        client.enableNonRepudiationChecks,
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
    // The library accepts any issuer at some hosts, such as the one of Microsoft for all tenants.
    const found = configuration.serverMetadata().issuer;
    if (URL.parse(found)?.href !== server.href) throw new Error(`The provider names another issuer: ${found}`);
    return configuration;
  }
}

function secretsOf({ secret }: SigningKey, cookie: string) {
  const derived = (name: string) =>
    createHmac('sha256', secret).update(`portal sign-in ${name}\n${cookie}`).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

/** Whether only this sign-in was refused, by the provider or by the check of its response, and not every sign-in. */
function isRefusal(error: unknown): boolean {
  const { name, code, error: refusal } = Object(error) as Partial<Record<string, unknown>>;
  if (name === 'ResponseBodyError') return refusal === 'invalid_grant';
  if (name === 'AuthorizationResponseError') return true;
  return name === 'ClientError' && !['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'].includes(String(code));
}

/** Contains nothing from the browser except an error code. */
function reasonOf(error: unknown): string {
  const { code, message, error: refusal, cause } = Object(error) as Partial<Record<string, unknown>>;
  const parts = [code, message, ERROR_CODE.test(String(refusal)) ? refusal : undefined, Object(cause).code];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(': ');
}
