/**
 * In charge of Offerbooks that one case starts for itself: with settings of its own, again on the same folder, without
 * the demo, or changed from outside while they run. Each is gone when its function returns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSettings } from '../../src/config/settings.ts';
import { type StartOptions, startOfferbook } from '../../src/main.ts';
import type { SetupStore } from '../../src/store/port.ts';
import { openSqliteSetupStore } from '../../src/store/sqlite/open.ts';
import { ApiClient } from './api-client.ts';
import type { Spelling } from './spellings.ts';

/** A server of its own, in the spelling of the case. */
export async function withOwnServer(
  spelling: Spelling,
  settings: Readonly<Record<string, string>>,
  run: (own: ApiClient) => Promise<void>,
): Promise<void> {
  const own = await ApiClient.open(spelling, settings);
  try {
    await run(own);
  } finally {
    await own.server.close();
  }
}

export async function withFolder(run: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  try {
    await run(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts an Offerbook on the folder, as `serve` does; gives what it said and what the function returned. */
export async function withOfferbook<T>(
  dataDir: string,
  options: Partial<StartOptions> & { readonly settings?: Readonly<Record<string, string>> },
  run: (url: string) => Promise<T>,
): Promise<{ said: readonly string[]; result: T }> {
  const { settings = {}, ...rest } = options;
  const said: string[] = [];
  const offerbook = await startOfferbook(
    readSettings({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...settings }),
    { demo: false, say: (line) => said.push(line), ...rest },
  );
  try {
    return { said, result: await run(offerbook.url) };
  } finally {
    await offerbook.close();
  }
}

/** Changes the set-up from outside, as the command line does beside a running server. */
export async function withSetupStore<T>(dataDir: string, run: (store: SetupStore) => Promise<T>): Promise<T> {
  const store = await openSqliteSetupStore({ dataDir });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
