/**
 * Starts servers for one case: with its own settings, again on the same database, without the demo, or with settings changed from outside.
 * Each is closed when its function returns.
 */
import { readSettings } from '../../src/config/settings.ts';
import { type StartOptions, startOfferbook } from '../../src/main.ts';
import { openSetupStore } from '../../src/store/open-store.ts';
import type { SetupStore } from '../../src/store/port.ts';
import { ApiClient } from './api-client.ts';
import type { StorePlace } from './store-place.ts';
import { tempFolder } from './temp-folder.ts';
import type { Variant } from './variants.ts';

/** Starts a separate server in the variant of the case. */
export async function withOwnServer(
  variant: Variant,
  settings: Readonly<Record<string, string>>,
  run: (own: ApiClient) => Promise<void>,
): Promise<void> {
  const own = await ApiClient.open(variant, settings);
  try {
    await run(own);
  } finally {
    await own.server.close();
  }
}

/** Starts a server on the database, as `serve` does; returns its output and the result of the function. */
export async function withOfferbook<T>(
  place: StorePlace,
  options: Partial<StartOptions> & { readonly settings?: Readonly<Record<string, string>> },
  run: (url: string) => Promise<T>,
): Promise<{ said: readonly string[]; result: T }> {
  const { settings = {}, ...rest } = options;
  const said: string[] = [];
  const offerbook = await startOfferbook(
    readSettings({ PORT: '0', DEMO_OFFERS: 'off', LOG_LEVEL: 'silent', IMAGE_CHECK: 'off', ...place, ...settings }),
    {
      demo: false,
      say: (line) => said.push(line),
      ...rest,
    },
  );
  try {
    return { said, result: await run(offerbook.url) };
  } finally {
    await offerbook.close();
  }
}

/** Creates a folder with an empty database. */
export async function databaseFolder(): Promise<string> {
  const DATA_DIR = await tempFolder();
  await withSetupStore({ DATA_DIR }, async () => {});
  return DATA_DIR;
}

/** Changes account settings from outside, as the command line does alongside a running server. */
export async function withSetupStore<T>(place: StorePlace, run: (store: SetupStore) => Promise<T>): Promise<T> {
  const store = await openSetupStore(readSettings(place));
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
