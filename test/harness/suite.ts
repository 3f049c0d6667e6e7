/** Defines the tests of all files that share this process; the files of `test/suites/` import it and hold nothing else. */
import path from 'node:path';
import { after } from 'node:test';
import { filesByProcess, ROOT } from './suites.ts';

// Some tests wait for unreferenced timers. Alone they end in time; here the whole process would end with them.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

const files = filesByProcess().get(path.relative(ROOT, process.argv[1] ?? '')) ?? [];
for (const file of files) await import(path.join(ROOT, file));
