// Builds the package into dist: the types of the calls, JavaScript, and declarations. Adds the license.

import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const run = (...args) =>
  execFileSync(process.execPath, args.map(at), { stdio: ['ignore', 'inherit', 'inherit'], cwd: at('client') });

rmSync(at('client/dist'), { recursive: true, force: true });
run('portal/scripts/api-types.mjs');
run('node_modules/typescript/bin/tsc');
copyFileSync(at('client/src/schema.d.ts'), at('client/dist/schema.d.ts'));
copyFileSync(at('LICENSE'), at('client/LICENSE'));
