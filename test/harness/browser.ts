/** In charge of the browser of tests: which one there is, and pages in it whose complaints are kept. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Names a Chromium to test with, where it is not found by itself. */
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
  return [...places, ...MAC_APPS, ...playwrightsOwn()].find(isRunnable);
}

/**
 * The reason for which tests in a browser are skipped, or false where they run: an option of `describe` and `test`. Throws on
 * a build server, where a skipped run would look like a passed one.
 */
export function browserSkipped(): string | false {
  if (findBrowser() !== undefined) return false;
  const reason = `no Chromium was found: install one, or set ${BROWSER_VARIABLE}`;
  if (process.env.CI) throw new Error(`Tests must not be skipped where CI is set; ${reason}.`);
  return reason;
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('There is no browser; the test should have been skipped.');
  // As root, which test machines run as, Chromium starts only without its sandbox. It opens pages of this test alone.
  return chromium.launch({ executablePath, chromiumSandbox: false, timeout: 120_000 });
}

/** A page of a person of its own: no cookie is shared with others. What it complains of fails the test at its end. */
export async function openPage(
  t: Pick<TestContext, 'after'>,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'America/New_York', ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // What the server refuses is shown by the page; the browser tells of it too.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  t.after(async () => {
    // A route that is still answered would fail after the test, because its page is gone.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
    if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`);
  });
  return page;
}

/** By the page for it, from wherever the portal has sent the visitor. */
export async function signInOn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Browsers that playwright installed for itself. */
function playwrightsOwn(): string[] {
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
