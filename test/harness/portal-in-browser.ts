/** Gives tests of the portal in a real browser what they begin with: a server, a browser, and an offer to look at. */
import { after, before, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { openPage, signInOn } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export const MUG = Object.freeze({
  product_title: 'Stoneware mug, 12 oz',
  brand: 'Potter & Sons',
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
  main_image_url: 'https://images.example/mug.jpg',
});

/** For the tests of the suite that calls it: both are there from its first hook on; the server is closed after it. */
export function portalInBrowser(settings?: Readonly<Record<string, string>>): PortalInBrowser {
  const portal = new PortalInBrowser();
  before(() => portal.start(settings));
  after(() => portal.stop());
  return portal;
}

export class PortalInBrowser {
  #server: TestServer | undefined;
  #browser: Browser | undefined;

  async start(settings: Readonly<Record<string, string>> | undefined): Promise<void> {
    this.#server = await startTestServer(settings);
    this.#browser = await sharedBrowser();
  }

  /** Also where the start failed half-way. */
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

  /** On the way to the page at the path, below `/portal/`. */
  async signIn(
    page: Page,
    path: string,
    email: string = DEMO_PEOPLE.merchant,
    password: string = DEMO_PASSWORD,
  ): Promise<void> {
    await page.goto(`${this.url}/portal/${path}`);
    await signInOn(page, email, password);
  }
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('It is there in hooks and tests of the suite, not before.');
  return part;
}
