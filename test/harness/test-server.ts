/** Starts a complete server for a test, with its own database, a free port and a clock that the test can move. */
import { readSettings } from '../../src/config/settings.ts';
import { startOfferbook } from '../../src/main.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { PROFILE_SPELLING } from './spellings.ts';
import { createPlace, type StoreKind, type StorePlace } from './store-place.ts';
import { PROFILE_VARIABLE } from './variants.ts';

export interface TestServer {
  readonly url: string;
  readonly place: StorePlace;
  /** Set if METRICS_PORT is set. */
  readonly metricsUrl: string | undefined;
  /** Advances both clocks of the server. */
  passTime(ms: number): void;
  close(): Promise<void>;
}

export async function startTestServer(
  settings: Readonly<Record<string, string>> = {},
  store: StoreKind = 'sqlite',
): Promise<TestServer> {
  const { place, remove } = await createPlace(store, createReadyDatabase);
  let ahead_ms = 0;
  const offerbook = await startOfferbook(
    readSettings({
      PORT: '0',
      DEMO_OFFERS: 'off',
      ...place,
      LOG_LEVEL: 'silent',
      REQUESTS_PER_MINUTE: '1000000',
      // Tests must not use the network. Tests of images have their own host.
      IMAGE_CHECK: 'off',
      ...(process.env[PROFILE_VARIABLE] ? PROFILE_SPELLING.settings : {}),
      ...settings,
    }),
    {
      demo: true,
      clock: { nowMs: () => Date.now() + ahead_ms, monotonicMs: () => performance.now() + ahead_ms },
    },
  );
  return {
    url: offerbook.url,
    place,
    metricsUrl: offerbook.metricsUrl,
    passTime: (ms) => {
      ahead_ms += ms;
    },
    async close() {
      await offerbook.close();
      await remove();
    },
  };
}
