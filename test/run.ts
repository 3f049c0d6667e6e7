/** Runs all tests, or with `--quick` only the suites api, project and units, without PostgreSQL (see harness/suites.ts). */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { QUICK_VARIABLE } from '../src/store/postgres/testing/availability.ts';
import { globalSetup, globalTeardown } from './harness/global-setup.ts';
import report from './harness/reporter.ts';
import { ALONE, processesOf, ROOT, SUITES } from './harness/suites.ts';

/** More processes than cores, because many tests wait for timers, other processes or a browser. Twice as many is a guess. */
const CONCURRENCY = 2 * availableParallelism();
/** Applies to each test and each file. The slowest file needs 132 seconds of CPU time, and gets a fifth of a core on a busy machine. */
const TEST_MS_MAX = 1_200_000;

const isQuick = process.argv.includes('--quick');
if (isQuick) process.env[QUICK_VARIABLE] = '1';
const alone = isQuick ? [] : Object.keys(ALONE);
const suites = SUITES.filter((suite) => suite.isQuick || !isQuick).flatMap(processesOf);

await globalSetup();
try {
  const events = run({
    cwd: ROOT,
    files: [...alone, ...suites].map((file) => path.join(ROOT, file)),
    concurrency: CONCURRENCY,
    timeout: TEST_MS_MAX,
    execArgv: ['--import', path.join(ROOT, 'test/harness/ends-after-tests.ts')],
  });
  events.on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1;
  });
  await pipeline(events, report, process.stdout, { end: false });
} finally {
  await globalTeardown();
}
