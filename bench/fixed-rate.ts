/** Makes single calls at a fixed rate in a separate process, and measures their duration. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

export interface FixedRate {
  readonly url: string;
  readonly token: string;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** SKUs of a generated catalog, whose prices are set. */
  readonly seed: number;
  readonly skus: number;
}

export interface FixedRateResult {
  readonly requests: number;
  /** Measured from the scheduled time of each call, even if it was sent later. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly max_ms: number;
  /** How late the tool itself sent calls. This part of the times above comes from the machine. */
  readonly lateP99Ms: number;
  /** Number of responses other than 202. */
  readonly failures: number;
}

export async function runFixedRate(load: FixedRate): Promise<FixedRateResult> {
  const script = path.join(import.meta.dirname, 'fixed-rate-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(load)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`The load process ended with code ${code}.`);
  const result = JSON.parse(output) as FixedRateResult;
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} calls did not get 202.`);
  return result;
}
