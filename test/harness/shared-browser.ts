/** Launches one browser for all test files of a process and closes it after the last test. Pages share no cookies (`openPage`). */
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';

let launched: Promise<Browser> | undefined;

after(async () => (await launched)?.close());

export function sharedBrowser(): Promise<Browser> {
  launched ??= launchBrowser();
  return launched;
}
