/**
 * `npm run bench`: runs all benchmarks one after the other, and writes their tables into docs/operate/performance.md and README.md.
 * `--quick` takes at most three minutes on an idle machine. `--noisy` shows figures of a busy machine too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { NOISY } from './options.ts';
import { RESULTS } from './report.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false }, ...NOISY } });

/** Each benchmark with its options of a quick run; without them, it belongs to the full run only. */
const BENCHMARKS: readonly (readonly [script: string, quick?: readonly string[]])[] = [
  ['api.ts', ['--quick']],
  ['bulk.ts', ['--rows', '20000']],
  ['review.ts', ['--skus', '5000']],
  ['portal.ts', ['--skus', '2000']],
  ['postgres.ts'],
  ['offer-list.ts', ['--skus', '10000']],
  ['overload.ts'],
  ['scale.ts'],
];

rmSync(RESULTS, { recursive: true, force: true });
for (const [script, quick] of BENCHMARKS) {
  if (!options.quick || quick !== undefined) await run(script, options.quick ? quick : []);
}
await run('render.ts', undefined);

/** A benchmark that fails does not end the others; the page keeps its earlier figures. */
async function run(script: string, args: readonly string[] | undefined): Promise<void> {
  const startMs = performance.now();
  const noisy = options.noisy && args !== undefined ? ['--noisy'] : [];
  const child = spawn(process.execPath, [path.join('bench', script), ...(args ?? []), ...noisy], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  console.log(`\n${script}: ${((performance.now() - startMs) / 1000).toFixed(0)} s\n`);
  if (code === 0) return;
  console.error(`${script} failed.`);
  process.exitCode = 1;
}
