/** In charge of a whole Offerbook for a test: own folder, free port, a clock that the test can move, gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSettings } from '../../src/config/settings.ts';
import { startOfferbook } from '../../src/main.ts';

export interface TestServer {
  readonly url: string;
  readonly dataDir: string;
  /** With METRICS_PORT. */
  readonly metricsUrl: string | undefined;
  /** Moves both clocks of the server ahead. */
  passTime(ms: number): void;
  close(): Promise<void>;
}

export async function startTestServer(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  let aheadMs = 0;
  const offerbook = await startOfferbook(
    readSettings({
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      REQUESTS_PER_MINUTE: '1000000',
      ...settings,
    }),
    {
      demo: true,
      clock: { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs },
    },
  );
  return {
    url: offerbook.url,
    dataDir,
    metricsUrl: offerbook.metricsUrl,
    passTime: (ms) => {
      aheadMs += ms;
    },
    async close() {
      await offerbook.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
