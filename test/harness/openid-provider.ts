/** A small OpenID provider for tests, over real HTTP: discovery, authorization, token and keys. Each step can be made to misbehave. */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT_ID = 'offerbook-test';
export const CLIENT_SECRET = 'a secret of the client with & and %';

type Claims = Readonly<Record<string, unknown>>;

interface Grant {
  readonly redirectUri: string;
  readonly nonce: string;
  readonly challenge: string;
}

export class OpenidProvider {
  /** The person who is signed in at the provider. */
  claims: Claims = { sub: 'u-1', email: 'ann@corp.example', roles: ['operator'] };
  /** Replaces claims of the ID token, for responses that must be refused. */
  forged: Claims = {};
  /** Replaces fields of the metadata. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** Sent instead of a code, such as `access_denied`. */
  refusal: string | undefined;
  /** Whether every code counts as expired. */
  isExpired = false;
  /** Whether the signature is made with another key than the published one. */
  isForged = false;
  readonly #server = createServer((message, response) => void this.#answer(message, response));
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #otherKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #grants = new Map<string, Grant>();
  url = '';

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The settings of a server that uses the provider. */
  get settings(): Readonly<Record<string, string>> {
    return {
      OIDC_ISSUER: this.url,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_NAME: 'Corp ID',
    };
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(message.url ?? '', this.url);
    const sendJson = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/.well-known/openid-configuration') return void sendJson(200, this.#metadata());
    if (pathname === '/authorize') {
      return void response.writeHead(302, { location: this.#authorize(searchParams) }).end();
    }
    if (pathname === '/jwks') {
      const jwk = this.#keys.publicKey.export({ format: 'jwk' });
      return void sendJson(200, { keys: [{ ...jwk, kid: 'one', alg: 'ES256', use: 'sig' }] });
    }
    if (pathname !== '/token') return void sendJson(404, {});
    const parts = await message.toArray();
    const token = this.#token(new URLSearchParams(Buffer.concat(parts).toString()), message.headers.authorization);
    sendJson('error' in token ? 400 : 200, token);
  }

  #metadata() {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      ...this.metadata,
    };
  }

  /** Returns the URL to which the browser is redirected. */
  #authorize(asked: URLSearchParams): string {
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    if (asked.get('prompt') === 'login') this.claims = { ...this.claims, auth_time: Math.floor(Date.now() / 1000) };
    if (this.refusal !== undefined) {
      back.searchParams.set('error', this.refusal);
    } else {
      const code = randomUUID();
      this.#grants.set(code, {
        redirectUri: asked.get('redirect_uri') ?? '',
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
      });
      back.searchParams.set('code', code);
    }
    return back.href;
  }

  #token(sent: URLSearchParams, authorization: string | undefined) {
    if (!isClient(sent, authorization)) return { error: 'invalid_client' };
    const grant = this.#grants.get(sent.get('code') ?? '');
    this.#grants.delete(sent.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== sent.get('redirect_uri') || this.isExpired) {
      return { error: 'invalid_grant' };
    }
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: this.#idToken(grant.nonce) };
  }

  #idToken(nonce: string): string {
    const seconds = Math.floor(Date.now() / 1000);
    const standard = { iss: this.url, aud: CLIENT_ID, iat: seconds, exp: seconds + 300, nonce };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const text = `${encode({ alg: 'ES256', kid: 'one' })}.${encode({ ...standard, ...this.claims, ...this.forged })}`;
    const { privateKey: key } = this.isForged ? this.#otherKeys : this.#keys;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }
}

/** The secret is form-encoded in the header, and in the body. */
function isClient(sent: URLSearchParams, authorization: string | undefined): boolean {
  const basic = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64').toString();
  const [id, secret] =
    basic === '' ? [sent.get('client_id'), sent.get('client_secret')] : formDecoded(basic.split(':'));
  return id === CLIENT_ID && secret === CLIENT_SECRET;
}

function formDecoded(parts: readonly string[]): string[] {
  return parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
}
