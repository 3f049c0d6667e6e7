/** In charge of the end of a process that serves: in good order, but not later than it must. */
import type { Settings } from '../../config/settings.ts';
import { EXIT_CODES } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { endWithin } from './stop-signals.ts';

/** Beyond STOP_SECONDS: writes that were taken are finished and the log is tidied, which takes milliseconds. */
export const STORE_CLOSE_SECONDS_MAX = 10;

export async function stopInTime(shell: Shell, settings: Settings, offerbook: { close(): Promise<void> }) {
  await endWithin(settings.stopSeconds + STORE_CLOSE_SECONDS_MAX, offerbook.close(), () => {
    shell.err('The store did not close in time; what was answered is safe, the rest is undone at the next start.');
    process.exit(EXIT_CODES.failed);
  });
}
