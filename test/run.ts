/**
 * Runs the usual tests; with `--full` the long ones; with `--quick` those usual tests of the suites api, project and units that need neither
 * PostgreSQL nor a browser, and few servers (see harness/suites.ts).
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { QUICK_VARIABLE } from '../src/store/postgres/testing/availability.ts';
import { globalSetup, globalTeardown } from './harness/global-setup.ts';
import report from './harness/reporter.ts';
import { SCOPE_VARIABLE } from './harness/scope.ts';
import { filesAlone, filesByProcess, processesOf, ROOT, SUITES } from './harness/suites.ts';

/** More processes than cores, because many tests wait for timers, other processes or a browser. Twice as many is a guess. */
const CONCURRENCY = 2 * availableParallelism();
/** Applies to each test and each file. The slowest file needs 132 seconds of CPU time, and gets a fifth of a core on a busy machine. */
const TEST_MS_MAX = 1_200_000;

const isQuick = process.argv.includes('--quick');
if (isQuick) process.env[QUICK_VARIABLE] = '1';
process.env[SCOPE_VARIABLE] = process.argv.includes('--full') ? 'long' : 'usual';
const files = filesByProcess();
const suites = SUITES.filter((suite) => suite.isQuick || !isQuick)
  .flatMap(processesOf)
  .filter((process) => files.get(process)?.length);

await globalSetup();
try {
  const events = run({
    cwd: ROOT,
    files: [...(isQuick ? [] : filesAlone()), ...suites].map((file) => path.join(ROOT, file)),
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
