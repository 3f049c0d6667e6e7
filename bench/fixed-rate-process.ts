/** Sets prices at a fixed rate and prints the durations as JSON; see fixed-rate.ts. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Catalog } from '../src/catalog-generator/catalog.ts';
import type { FixedRate, FixedRateResult } from './fixed-rate.ts';
import { planOf } from './generated-files.ts';
import { scattered } from './lanes.ts';

const load = JSON.parse(process.argv[2] ?? '') as FixedRate;
const catalog = new Catalog(planOf(load.seed));
const next = scattered(load.skus);
/** Allows more connections than calls in flight, so that no call waits for one. */
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
/** Earlier calls are warm-up and do not count. */
const WARM_UP_SECONDS = 0.5;

const times: number[] = [];
const delays: number[] = [];
let failures = 0;

const startMs = performance.now();
const count = Math.round((load.seconds + WARM_UP_SECONDS) * load.requestsPerSecond);
const warmUp = Math.round(WARM_UP_SECONDS * load.requestsPerSecond);
const calls: Promise<void>[] = [];
for (let n = 0; n < count; ) {
  const dueMs = startMs + (n * 1000) / load.requestsPerSecond;
  const nowMs = performance.now();
  if (nowMs < dueMs) {
    await pause(Math.max(1, Math.floor(dueMs - nowMs)));
    continue;
  }
  calls.push(putPrice(dueMs, n >= warmUp));
  n++;
}
await Promise.all(calls);
agent.destroy();
const sorted = times.toSorted((one, other) => one - other);
const result: FixedRateResult = {
  requests: sorted.length,
  p50Ms: quantile(sorted, 0.5),
  p99Ms: quantile(sorted, 0.99),
  max_ms: sorted.at(-1) ?? Number.NaN,
  lateP99Ms: quantile(
    delays.toSorted((one, other) => one - other),
    0.99,
  ),
  failures,
};
process.stdout.write(JSON.stringify(result));

function putPrice(dueMs: number, counts: boolean): Promise<void> {
  const body = `{"price":${(next() % 9000) / 100 + 1}}`;
  const path = `/merchant-skus/${encodeURIComponent(catalog.skuId(next()))}/price`;
  const headers = { authorization: `Bearer ${load.token}`, 'content-length': body.length };
  if (counts) delays.push(performance.now() - dueMs);
  return new Promise((resolve, reject) => {
    const call = request(`${load.url}${path}`, { method: 'PUT', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode !== 202) failures++;
        if (counts) times.push(performance.now() - dueMs);
        resolve();
      });
    });
    call.once('error', reject);
    call.end(body);
  });
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
