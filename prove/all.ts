/**
 * `npm run prove`: tries to break the server, one part after the other, and writes the figures into docs/project/proof.md. `--short` takes
 * about five minutes on an idle machine. It is not part of the tests, because it takes long and is random.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { runScript } from '../bench/run-scripts.ts';

const { values: options } = parseArgs({ options: { short: { type: 'boolean', default: false } } });

/** Each part with its options of a whole run and of a short one. */
const PARTS: readonly (readonly [script: string, whole: readonly string[], short: readonly string[]])[] = [
  ['kills.ts', ['--kills', '300'], ['--kills', '6']],
  ['kills.ts', ['--store', 'postgres', '--kills', '150'], ['--store', 'postgres', '--kills', '4']],
  ['kills.ts', ['--power-cuts', '--kills', '1000'], ['--power-cuts', '--kills', '6']],
  ['model.ts', ['--commands', '100000'], ['--commands', '2000', '--rounds', '100']],
  [
    'model.ts',
    ['--store', 'postgres', '--commands', '100000'],
    ['--store', 'postgres', '--commands', '1000', '--rounds', '100'],
  ],
  ['clients.ts', ['--calls', '300000'], ['--calls', '5000', '--seconds', '5']],
  ['hostile.ts', ['--requests', '300000'], ['--requests', '20000']],
];

for (const [script, whole, short] of PARTS) {
  if (script !== 'kills.ts' || !whole.includes('--power-cuts') || hasCompiler()) {
    await runScript(`prove/${script}`, options.short ? short : whole);
  } else console.error('The power cuts are left out: they need a C compiler, `cc`.');
}
await runScript('bench/render.ts', []);

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
