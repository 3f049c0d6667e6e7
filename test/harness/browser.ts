/** Finds and starts Chromium for tests, and opens pages that fail the test on script or console errors. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { availableParallelism, homedir, loadavg } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** How long an action, a page or an expected element may take. On a machine with more work than cores, up to four times as long. */
const WAIT_MS_MAX = 60_000;
const BUSY_FACTOR_MAX = 4;

/** Path of a Chromium, if it is not found automatically. */
const BROWSER_VARIABLE = 'TEST_BROWSER';

const COMMANDS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_APPS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function findBrowser(): string | undefined {
  const named = process.env[BROWSER_VARIABLE];
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const places = COMMANDS.flatMap((command) => folders.map((folder) => path.join(folder, command)));
  const found = [...places, ...MAC_APPS, ...playwrightBrowsers()].filter(isRunnable);
  return found.find(isHeadlessShell) ?? found[0];
}

/** Returns whether the file is Chromium's headless shell. */
function isHeadlessShell(file: string): boolean {
  return /headless.shell$/.test(file);
}

/**
 * Returns the value for the `skip` option of browser tests: the reason, or false if they can run. Throws if CI is set, because a skipped
 * run would look like a passed one.
 */
export function browserSkipped(): string | false {
  if (findBrowser() !== undefined) return false;
  const reason = `no Chromium was found: install one, or set ${BROWSER_VARIABLE}`;
  if (process.env.CI) throw new Error(`Tests must not be skipped where CI is set; ${reason}.`);
  return reason;
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('No browser found; the test should have been skipped.');
  // Chromium does not start as root with its sandbox, and CI machines run as root. It opens only this test's pages.
  return chromium.launch({ executablePath, chromiumSandbox: false, timeout: 120_000 });
}

/** Opens a page with its own cookies. Script and console errors fail the test at its end. */
export async function openPage(
  t: Pick<TestContext, 'after'>,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'America/New_York', ...options });
  const [load = 0] = loadavg();
  const busyFactor = Math.min(BUSY_FACTOR_MAX, Math.max(1, load / availableParallelism()));
  context.setDefaultTimeout(WAIT_MS_MAX * busyFactor);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // Chromium also logs refused requests, which the page handles itself.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  t.after(async () => {
    // A route handler that is still running would fail after the page has closed.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
    if (errors.length > 0) throw new Error(`The page logged errors:\n${errors.join('\n')}`);
  });
  return page;
}

/** Collects the page's failed requests to its own server, as `404 GET /path`. Other hosts have only images of offers. */
export function failedRequests(page: Page): ReadonlySet<string> {
  const failed = new Set<string>();
  let own: string | undefined;
  page.on('request', (request) => {
    own ??= new URL(request.url()).host;
  });
  page.on('response', (response) => {
    const { host, pathname } = new URL(response.url());
    if (host === own && response.status() >= 400) {
      failed.add(`${response.status()} ${response.request().method()} ${pathname}`);
    }
  });
  return failed;
}

/** Signs in on the sign-in page, to which the portal redirects visitors. */
export async function signInOn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account menu for/ }).waitFor();
}

/** Returns the browsers that Playwright installed. */
function playwrightBrowsers(): string[] {
  const folder = process.env.PLAYWRIGHT_BROWSERS_PATH ?? path.join(homedir(), '.cache/ms-playwright');
  try {
    return readdirSync(folder).flatMap((name) => [
      path.join(folder, name, 'chrome-linux/headless_shell'),
      path.join(folder, name, 'chrome-linux/chrome'),
    ]);
  } catch {
    return [];
  }
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
