/** Sets prices of a generated catalog at a fixed rate, to measure the effect of other work on single calls. */
import { type Clients, runClients } from './clients.ts';

const PRICES_PER_SECOND = 500;
/** Enough that no request waits for a connection. */
const CONNECTIONS = 256;

export interface PriceTimes {
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Why the times do not count, if any request failed. */
  readonly invalid: string | undefined;
}

let sentBefore = 0;

export async function putPrices(
  load: Pick<Clients, 'server' | 'token' | 'seed' | 'skus' | 'seconds'>,
): Promise<PriceTimes> {
  const { takenP99Ms, takenMaxMs, refused, skipped, lost, sent } = await runClients({
    ...load,
    method: 'PUT',
    path: '/merchant-skus/{sku}/price',
    body: '{"price":{value}.25}',
    sentBefore,
    connections: CONNECTIONS,
    requestsPerSecond: PRICES_PER_SECOND,
    warmUp_seconds: 0.5,
  });
  sentBefore = sent;
  const failed = Object.values(refused).reduce((sum, count) => sum + count, skipped + lost);
  return {
    p99Ms: takenP99Ms ?? Number.NaN,
    maxMs: takenMaxMs ?? Number.NaN,
    invalid: failed === 0 ? undefined : `${failed} requests failed`,
  };
}
