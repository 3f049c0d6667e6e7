/**
 * Ends test files that do not exit: loaded with `--import` before each of them, it ends the process if all tests are over but
 * something is still open, and reports what. Otherwise such a file would block the whole run.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** Time that a process may take to end after its last test; files with hundreds of databases drop them in that time. */
const SECONDS = Number(process.env.TEST_FILE_END_SECONDS ?? 300);

if (process.env.NODE_TEST_CONTEXT !== undefined && isMainThread) {
  after(() => {
    // The timer itself must not keep the process alive.
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
