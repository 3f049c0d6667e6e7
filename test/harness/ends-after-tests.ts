/**
 * In charge of test files that do not end: loaded before each of them (`--import`), it ends the process of one whose tests are all over
 * while something it started is still open, and says what. Without it such a file would hold up the whole run for good.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** So long after its last test may a process take to end. */
const SECONDS = Number(process.env.TEST_FILE_END_SECONDS ?? 180);

if (process.env.NODE_TEST_CONTEXT !== undefined && isMainThread) {
  after(() => {
    // It keeps nothing open itself.
    setTimeout(end, SECONDS * 1000).unref();
  });
}

function end(): void {
  const open = process.getActiveResourcesInfo().filter((resource) => resource !== 'PipeWrap');
  process.stderr.write(
    `${SECONDS} seconds after its last test this file still had something open: ${open.join(', ') || 'only pipes'}.\n`,
  );
  process.exit(1);
}
