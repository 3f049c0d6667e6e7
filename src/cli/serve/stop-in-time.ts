/** Stops a server process gracefully, with a deadline. */
import type { Settings } from '../../config/settings.ts';
import { EXIT_CODES } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { endWithin } from './stop-signals.ts';

/** Time after STOP_SECONDS to finish accepted writes and close the database, which takes milliseconds. */
export const STORE_CLOSE_SECONDS_MAX = 10;

export async function stopInTime(shell: Shell, settings: Settings, offerbook: { close(): Promise<void> }) {
  await endWithin(settings.stop_seconds + STORE_CLOSE_SECONDS_MAX, offerbook.close(), () => {
    shell.err(
      'The database did not close in time. Confirmed writes are safe; the rest is rolled back at the next start.',
    );
    process.exit(EXIT_CODES.failed);
  });
}
