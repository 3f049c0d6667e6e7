/** Defines the tests of all files that share this process; the files of `test/suites/` import it and hold nothing else. */
import path from 'node:path';
import { after } from 'node:test';
import { filesByProcess, ROOT } from './suites.ts';

// Some tests wait for unreferenced timers. In its own process, such a test ends in time. Here, the whole process would exit early.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

const files = filesByProcess().get(path.relative(ROOT, process.argv[1] ?? '')) ?? [];
for (const file of files) await import(path.join(ROOT, file));
