/** In charge of the server that bulk files are measured on: an empty store, the demo merchant, a session. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiSession } from '../src/client/api-session.ts';
import { BulkFiles } from '../src/client/bulk-files.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { type MeasuredServer, requestToken, startOfferbook } from './server-process.ts';

export interface BulkServer extends MeasuredServer {
  readonly files: BulkFiles;
  /** For calls that are made by other programs. */
  readonly token: string;
  /** Offers that the review has not looked at yet. */
  dueOffers(): Promise<number>;
  /** Resolves when the review is through with everything. */
  reviewed(): Promise<void>;
}

/** A figure is absent while the store does not answer in time, as right behind a large file. */
const LOOKS_MAX = 100;
const LOOK_MS = 200;

export async function startBulkServer(
  folder: string,
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<BulkServer> {
  const dataDir = path.join(folder, name);
  mkdirSync(dataDir);
  const metricsPort = await freePort();
  const server = await startOfferbook(dataDir, { METRICS_PORT: String(metricsPort), ...variables });
  const token = await requestToken(server.url);
  const figure = async (name: string): Promise<number> => {
    for (let look = 1; look <= LOOKS_MAX; look++) {
      const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1];
      if (found !== undefined) return Number(found);
      await pause(LOOK_MS);
    }
    throw new Error(`The server does not tell ${name}.`);
  };
  const dueOffers = () => figure('offerbook_review_due_offers');
  return {
    ...server,
    files: new BulkFiles(new ApiSession({ server: server.url, ...DEMO_CREDENTIALS.test })),
    token,
    dueOffers,
    async reviewed() {
      // A picture that was looked at makes its offers due again: it is gone from the queue when they are.
      while ((await figure('offerbook_images_waiting')) > 0 || (await dueOffers()) > 0) await pause(LOOK_MS);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
