/** A measured server that reports the backlog of its review. */
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type MeasuredServer, startOfferbook } from './server-process.ts';

export interface WatchedServer extends MeasuredServer {
  /** Offers not yet reviewed. */
  dueOffers(): Promise<number>;
  /** Resolves when the review has no backlog. */
  reviewed(): Promise<void>;
  /** Resolves when no client is connected. */
  connectionsClosed(): Promise<void>;
}

/** A metric is read this many times, because it is missing while the database does not respond, for example after a large file. */
const LOOKS_MAX = 100;
const LOOK_MS = 200;

export async function startWatched(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<WatchedServer> {
  const metricsPort = await freePort();
  const server = await startOfferbook(dataDir, { METRICS_PORT: String(metricsPort), ...variables });
  const figure = async (name: string): Promise<number> => {
    for (let look = 1; look <= LOOKS_MAX; look++) {
      const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1];
      if (found !== undefined) return Number(found);
      await pause(LOOK_MS);
    }
    throw new Error(`The server does not report ${name}.`);
  };
  const dueOffers = () => figure('offerbook_review_due_offers');
  return {
    ...server,
    dueOffers,
    async reviewed() {
      // Checks images first: a checked image makes its offers due before it leaves the queue.
      while ((await figure('offerbook_images_waiting')) > 0 || (await dueOffers()) > 0) await pause(LOOK_MS);
    },
    async connectionsClosed() {
      while ((await figure('offerbook_http_connections')) > 0) await pause(LOOK_MS);
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
