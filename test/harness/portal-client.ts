/** Portal client for a user of a given role, with short assertions. */
import assert from 'node:assert/strict';
import type { PortalRole } from '../../src/domain/vocabulary/portal-roles.ts';
import { type ApiAnswer, assertProblems } from './api-client.ts';
import { addPerson, type PortalBrowser } from './portal-browser.ts';
import type { TestServer } from './test-server.ts';

let count = 0;

export class PortalClient {
  readonly #browser: PortalBrowser;

  private constructor(browser: PortalBrowser) {
    this.#browser = browser;
  }

  /** Adds and signs in a user, of this merchant if the role needs one. */
  static async signIn(server: TestServer, role: PortalRole, merchantId?: string): Promise<PortalClient> {
    const email = `person-${++count}@portal.example`;
    return new PortalClient(await addPerson(server, email, role, role === 'operator' ? null : (merchantId ?? 'demo')));
  }

  /** The cookie of the session. */
  get cookie(): string {
    return this.#browser.cookie ?? '';
  }

  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    return this.#browser.send(method, path, body, headers);
  }

  /** Sends and asserts a 200. */
  async found<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body as T;
  }

  /** Sends and asserts 202 and no body. */
  async accepted(method: string, path: string, body?: unknown): Promise<void> {
    const { status, text } = await this.send(method, path, body);
    assert.deepEqual({ status, text }, { status: 202, text: '' });
  }

  /** Sends and asserts a refusal with exactly these problems, in this order. */
  async refused(
    method: string,
    path: string,
    body: unknown,
    problems: readonly (readonly [code: string, field: string, message: string])[],
    status = 400,
  ): Promise<void> {
    const expected = problems.map(([code, field, message]) => ({ code, field, message }));
    assertProblems(await this.send(method, path, body), expected, status);
  }
}
