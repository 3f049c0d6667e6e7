/** A complete server for a test: own database, free port, a clock that the test can move; closed afterwards. */
import { readSettings } from '../../src/config/settings.ts';
import { startOfferbook } from '../../src/main.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { createPlace, type StoreKind, type StorePlace } from './store-place.ts';

export interface TestServer {
  readonly url: string;
  readonly place: StorePlace;
  /** If METRICS_PORT is set. */
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
  let aheadMs = 0;
  const offerbook = await startOfferbook(
    readSettings({
      PORT: '0',
      DEMO_OFFERS: 'off',
      ...place,
      LOG_LEVEL: 'silent',
      REQUESTS_PER_MINUTE: '1000000',
      // Tests must not use the network; those about images have their own host.
      IMAGE_CHECK: 'off',
      ...settings,
    }),
    {
      demo: true,
      clock: { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs },
    },
  );
  return {
    url: offerbook.url,
    place,
    metricsUrl: offerbook.metricsUrl,
    passTime: (ms) => {
      aheadMs += ms;
    },
    async close() {
      await offerbook.close();
      await remove();
    },
  };
}
