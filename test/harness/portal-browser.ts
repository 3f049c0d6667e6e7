/** Client for the portal's calls over real HTTP, with cookie and CSRF token like its pages. */
import assert from 'node:assert/strict';
import { issueLink } from '../../src/access/portal/one-time-link.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { parseExactJson, stringifyExactJson } from '../../src/domain/int64.ts';
import type { PortalRole } from '../../src/domain/vocabulary/portal-roles.ts';
import type { ApiAnswer } from './api-client.ts';
import { withSetupStore } from './own-server.ts';
import type { TestServer } from './test-server.ts';
import { waitUntil } from './wait-until.ts';

const YEAR_MS = 31_536_000_000;
const SEEN_MS_MAX = 60_000;
const REST_MS_MAX = 500;

export const PERSON_PASSWORD = 'a long enough password';

/** Response of `GET /session`. */
export interface SessionBody {
  readonly person: {
    readonly email: string;
    readonly role: PortalRole;
    readonly merchant: { readonly id: string; readonly name: string; readonly suspended: boolean } | null;
  } | null;
  readonly csrf_token: string | null;
}

export class PortalBrowser {
  readonly url: string;
  /** `name=value`, as last set by the server; undefined if unset or removed. */
  cookie: string | undefined;
  /** Sent with `cookie`. */
  passkeyCookie: string | undefined;
  csrfToken: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** Signs in a demo user, or one with the password of `addPerson`. */
  static async signIn(url: string, email: string, password: string): Promise<PortalBrowser> {
    const client = new PortalBrowser(url);
    client.#begin(await client.post('/session', { email, password }));
    return client;
  }

  static merchantOf(url: string): Promise<PortalBrowser> {
    return PortalBrowser.signIn(url, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
  }

  static operatorOf(url: string): Promise<PortalBrowser> {
    return PortalBrowser.signIn(url, DEMO_PEOPLE.operator, DEMO_PASSWORD);
  }

  /** Sets the password with a link, which also signs in. */
  static async byLink(url: string, token: string, password = PERSON_PASSWORD): Promise<PortalBrowser> {
    const client = new PortalBrowser(url);
    client.#begin(await client.post('/links/password', { token, password }));
    return client;
  }

  /** Returns the same session as in another tab. */
  copy(): PortalBrowser {
    const other = new PortalBrowser(this.url);
    other.cookie = this.cookie;
    other.passkeyCookie = this.passkeyCookie;
    other.csrfToken = this.csrfToken;
    return other;
  }

  /** `path` is below `/portal/api`; `body` is sent as JSON, bytes and text unchanged. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const payload = body === undefined || isRaw ? body : stringifyExactJson(body);
    const cookies = [this.cookie, this.passkeyCookie].filter((cookie) => cookie !== undefined);
    const response = await fetch(`${this.url}/portal/api${path}`, {
      method,
      headers: {
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        ...(this.csrfToken === undefined ? {} : { 'x-csrf-token': this.csrfToken }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body_ = isJson && text !== '' ? (parseExactJson(text) as unknown) : undefined;
    return { status: response.status, headers: response.headers, text, body: body_ };
  }

  get(path: string): Promise<ApiAnswer> {
    return this.send('GET', path);
  }

  put(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.send('PUT', path, body);
  }

  post(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.send('POST', path, body);
  }

  delete(path: string): Promise<ApiAnswer> {
    return this.send('DELETE', path);
  }

  /** Reads and asserts a 200. */
  async found<T = Record<string, unknown>>(path: string): Promise<T> {
    const answer = await this.get(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as T;
  }

  #begin(answer: ApiAnswer): void {
    assert.equal(answer.status, 200, answer.text);
    this.csrfToken = (answer.body as SessionBody).csrf_token ?? undefined;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    // Tests of the operator's view send this cookie themselves.
    if (pair.startsWith('offerbook_view=')) return;
    if (pair.startsWith('offerbook_passkey=')) this.passkeyCookie = pair;
    else this.cookie = attributes.includes('Max-Age=0') ? undefined : pair;
  }
}

/** Adds a user from outside, as the command line does, and signs in. */
export async function addPerson(
  server: Pick<TestServer, 'url' | 'place'>,
  email: string,
  role: PortalRole,
  merchantId: string | null = role === 'operator' ? null : 'demo',
): Promise<PortalBrowser> {
  // The link expires far in the future, because the test may have moved the clock of the server.
  const { token, stored } = issueLink(Date.now() + YEAR_MS);
  const user = { email, role, merchantId, createdMs: Date.now() };
  assert.equal(await withSetupStore(server.place, (store) => store.people.addPortalUser(user, stored)), 'stored');
  return PortalBrowser.byLink(server.url, token);
}

/**
 * Waits for something to appear in the portal. Polls with growing intervals, because a user may send 600 requests per minute,
 * and the awaited event may need some of them.
 */
export function waitToSee<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  return waitUntil(what, SEEN_MS_MAX, look, (waited_ms) => Math.min(20 + waited_ms / 10, REST_MS_MAX));
}
