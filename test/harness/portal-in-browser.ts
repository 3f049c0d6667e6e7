/** Sets up browser tests of the portal: a server, a browser, and an offer. */
import assert from 'node:assert/strict';
import { after, before, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { requestToken } from './api-client.ts';
import { openPage } from './browser.ts';
import { PortalBrowser, type SessionBody, waitToSee } from './portal-browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export const MUG = Object.freeze({
  product_title: 'Stoneware mug, 12 oz',
  brand: 'Potter & Sons',
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
  main_image_url: 'https://images.example/mug.jpg',
});

/** Starts a server and a browser before the tests of the calling suite, and closes the server afterwards. */
export function portalInBrowser(settings?: Readonly<Record<string, string>>): PortalInBrowser {
  const portal = new PortalInBrowser();
  before(() => portal.start(settings));
  after(() => portal.stop());
  return portal;
}

export class PortalInBrowser {
  #server: TestServer | undefined;
  #browser: Browser | undefined;
  /** By email. */
  readonly #sessions = new Map<string, PortalBrowser>();

  async start(settings: Readonly<Record<string, string>> | undefined): Promise<void> {
    this.#server = await startTestServer(settings);
    this.#browser = await sharedBrowser();
  }

  /** Stops the server, even if the start failed halfway. */
  async stop(): Promise<void> {
    await this.#server?.close();
  }

  get server(): TestServer {
    return started(this.#server);
  }

  get browser(): Browser {
    return started(this.#browser);
  }

  get url(): string {
    return this.server.url;
  }

  openPage(t: Pick<TestContext, 'after'>, options?: BrowserContextOptions): Promise<Page> {
    return openPage(t, this.browser, options);
  }

  /** Opens the page at the path below `/portal/` as a signed-in user. Pages of one user share a session until it is ended. */
  async signIn(
    page: Page,
    path: string,
    email: string = DEMO_PEOPLE.merchant,
    password: string = DEMO_PASSWORD,
  ): Promise<void> {
    let session = this.#sessions.get(email);
    if ((await session?.found<SessionBody>('/session'))?.person == null) {
      session = await PortalBrowser.signIn(this.url, email, password);
      this.#sessions.set(email, session);
    }
    const [name = '', value = ''] = session?.cookie?.split('=', 2) ?? [];
    const { hostname: domain } = new URL(this.url);
    const place = { domain, path: '/portal', httpOnly: true, sameSite: 'Strict' } as const;
    await page.context().addCookies([{ name, value, ...place }]);
    await page.goto(`${this.url}/portal/${path}`);
    await page.getByRole('button', { name: /^Account menu for/ }).waitFor();
  }

  /** Writes as a program of the demo merchant does in its test environment. */
  async call(method: string, path: string, body: unknown): Promise<void> {
    const answer = await this.#send(path, { method, body: JSON.stringify(body) });
    assert.equal(answer.status, 202, await answer.text());
  }

  /**
   * Uploads a mug, and bowls with the SKU ids `z-10`, `z-11` and so on, as the signed-in merchant. Waits until searches find them, which is
   * after their review, because pages read the results once.
   */
  async uploadOffers(bowls: number): Promise<void> {
    const merchant = await PortalBrowser.merchantOf(this.url);
    const put = async (sku: string, product_title: string) =>
      assert.equal((await merchant.put(`/test/merchant-skus/${sku}`, { ...MUG, product_title })).status, 202);
    await put('mug', MUG.product_title);
    await Promise.all(Array.from({ length: bowls }, (_, bowl) => put(`z-${bowl + 10}`, `Bowl ${bowl}`)));
    await waitToSee('the offers in searches', async () => {
      const search = (q: string) => merchant.found<{ offers: readonly unknown[] }>(`/test/offers?q=${q}&limit=200`);
      const found = await Promise.all(['stoneware', 'bowl'].map(search));
      return found.flatMap(({ offers }) => offers).length === bowls + 1 || undefined;
    });
  }

  async read(path: string): Promise<Record<string, unknown>> {
    return (await (await this.#send(path, {})).json()) as Record<string, unknown>;
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const token = await requestToken(this.url, 'test');
    return fetch(`${this.url}${path}`, { ...request, headers: { authorization: `Bearer ${token}` } });
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('Use it only in hooks and tests of the suite, after the start.');
  return part;
}
