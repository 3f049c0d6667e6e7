/** Runs one load with autocannon and prints the result as JSON; see load.ts. */
import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.ts';

const load = JSON.parse(process.argv[2] ?? '') as Load;
let n = 0;
const result = await autocannon({
  url: load.url,
  connections: load.connections,
  duration: load.seconds,
  requests: [
    {
      method: load.method,
      headers: { authorization: `Bearer ${load.token}`, 'content-type': 'application/json' },
      ...(load.body === undefined ? {} : { body: load.body }),
      setupRequest: (request) => {
        n = (n * 1_103_515_245 + 12_345) % 2_147_483_648;
        const headers = load.hasKeys ? { ...request.headers, 'idempotency-key': randomUUID() } : request.headers;
        return { ...request, headers, path: load.path.replace('{n}', String(n % load.skus)) };
      },
    },
  ],
});
if (result.non2xx + result.errors + result.timeouts > 0) throw new Error(`autocannon saw failures: ${result.non2xx}`);
const summary: LoadResult = {
  requestsPerSecond: result.requests.average,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
};
process.stdout.write(JSON.stringify(summary));
