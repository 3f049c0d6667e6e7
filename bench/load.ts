/**
 * Generates load with wrk if it is installed (it leaves a whole core to the server), otherwise with autocannon. Every request
 * uses another SKU, so that no cache of one row improves the figures.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'PUT' | 'PATCH';
  /** `{n}` is replaced by a number below `skus`. */
  readonly path: string;
  readonly body?: string;
  readonly token: string;
  readonly skus: number;
  readonly seconds: number;
  readonly connections: number;
  /** Whether each request has its own `Idempotency-Key`. */
  readonly hasKeys?: boolean;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const LOAD_TOOL: 'wrk' | 'autocannon' =
  spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'autocannon';

export function runLoad(load: Load): Promise<LoadResult> {
  return LOAD_TOOL === 'wrk' ? runWrk(load) : runAutocannon(load);
}

async function runWrk(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
  try {
    const script = path.join(folder, 'load.lua');
    writeFileSync(script, wrkScript(load));
    const args = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--latency', '-s', script, load.url];
    // Runs asynchronously, so that the parent can serve at the same time. wrk reports at its end.
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let report = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      report += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    // wrk counts responses over 2 s as timeouts. They are not failures, and p99 shows them.
    if (code !== 0 || /Non-2xx|Socket errors: (?!connect 0, read 0, write 0)/.test(report))
      throw new Error(`wrk saw failures:\n${report}`);
    return {
      requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
      p50Ms: wrkMilliseconds(report, '50%'),
      p99Ms: wrkMilliseconds(report, '99%'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function wrkScript({ method, path: template, body, token, skus, hasKeys }: Load): string {
  const [before = '', after = ''] = template.split('{n}');
  return `
wrk.method = ${JSON.stringify(method)}
wrk.headers["Authorization"] = "Bearer ${token}"
wrk.headers["Content-Type"] = "application/json"
${body === undefined ? '' : `wrk.body = ${luaString(body)}`}
local n = 0
local count = 0
request = function()
  n = (n * 1103515245 + 12345) % 2147483648
${hasKeys ? `  count = count + 1\n  wrk.headers["Idempotency-Key"] = "${randomUUID()}-" .. count` : ''}
  return wrk.format(nil, ${JSON.stringify(before)} .. (n % ${skus}) .. ${JSON.stringify(after)})
end
`;
}

function luaString(text: string): string {
  return `[==[${text}]==]`;
}

function wrkMilliseconds(report: string, percentile: string): number {
  const [, number, unit] = new RegExp(`${percentile}\\s+([\\d.]+)(us|ms|s)`).exec(report) ?? [];
  const factor = { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'];
  return Number(number) * factor;
}

/** Runs in a separate process, because the parent's event loop has other work. */
async function runAutocannon(load: Load): Promise<LoadResult> {
  const worker = path.join(import.meta.dirname, 'autocannon-process.ts');
  const output = execFileSync(process.execPath, [worker, JSON.stringify(load)], { encoding: 'utf8' });
  return JSON.parse(output) as LoadResult;
}
