/**
 * In charge of Offerbooks that one case starts for itself: with settings of its own, again on the same store, without
 * the demo, or changed from outside while they run. Each is gone when its function returns.
 */
import { readSettings } from '../../src/config/settings.ts';
import { type StartOptions, startOfferbook } from '../../src/main.ts';
import { openSetupStore } from '../../src/store/open-store.ts';
import type { SetupStore } from '../../src/store/port.ts';
import { ApiClient } from './api-client.ts';
import type { StorePlace } from './store-place.ts';
import { tempFolder } from './temp-folder.ts';
import type { Variant } from './variants.ts';

/** A server of its own, in the variant of the case. */
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

/** Starts an Offerbook on the store, as `serve` does; gives what it said and what the function returned. */
export async function withOfferbook<T>(
  place: StorePlace,
  options: Partial<StartOptions> & { readonly settings?: Readonly<Record<string, string>> },
  run: (url: string) => Promise<T>,
): Promise<{ said: readonly string[]; result: T }> {
  const { settings = {}, ...rest } = options;
  const said: string[] = [];
  const offerbook = await startOfferbook(
    readSettings({ PORT: '0', LOG_LEVEL: 'silent', IMAGE_CHECK: 'off', ...place, ...settings }),
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

/** A folder of its own with a database that holds nothing. */
export async function databaseFolder(): Promise<string> {
  const DATA_DIR = await tempFolder();
  await withSetupStore({ DATA_DIR }, async () => {});
  return DATA_DIR;
}

/** Changes the setup from outside, as the command line does beside a running server. */
export async function withSetupStore<T>(place: StorePlace, run: (store: SetupStore) => Promise<T>): Promise<T> {
  const store = await openSetupStore(readSettings(place));
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
