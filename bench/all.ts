/**
 * `npm run bench`: runs all benchmarks one after the other, and writes their tables into docs/operate/performance.md and README.md.
 * `--quick` takes at most three minutes on an idle machine. `--noisy` shows figures of a busy machine too.
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NOISY } from './options.ts';
import { RESULTS } from './report.ts';
import { runScript } from './run-scripts.ts';

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
  const noisy = options.noisy ? ['--noisy'] : [];
  if (!options.quick) await runScript(`bench/${script}`, noisy);
  else if (quick !== undefined) await runScript(`bench/${script}`, [...quick, ...noisy]);
}
await runScript('bench/render.ts', []);
