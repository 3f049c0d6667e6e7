/** Handles SIGINT, SIGTERM and SIGHUP: the first asks for a graceful stop, the second for an immediate exit. */
import type { Settings } from '../../config/settings.ts';
import { EXIT_CODES } from '../failure.ts';
import type { Shell } from '../shell.ts';

const SIGNALS = Object.freeze(['SIGINT', 'SIGTERM', 'SIGHUP'] as const);

/**
 * Signals within this time count as one request: Ctrl+C reaches the process from the terminal and, under `npm start`, from npm
 * as well. People do not press it twice that fast.
 */
export const ECHO_MS = 250;

interface StopSignalOptions {
  /** Called at the second request. */
  readonly endAtOnce?: () => void;
  /** Called for SIGHUP, which otherwise stops the process like the other signals. */
  readonly onHangUp?: (() => void) | undefined;
  /** Only tests set these. */
  readonly source?: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
  readonly monotonicMs?: () => number;
}

export interface StopSignals {
  /** Resolves at the first signal. */
  readonly wished: Promise<void>;
  /** Removes the handlers, so that signals have their default effect again. */
  release(): void;
}

/** Time after STOP_SECONDS to finish accepted writes and close the database, which takes milliseconds. */
export const STORE_CLOSE_SECONDS_MAX = 10;

/** Stops a server process gracefully, with a deadline. */
export async function stopInTime(shell: Shell, settings: Settings, offerbook: { close(): Promise<void> }) {
  await endWithin(settings.stop_seconds + STORE_CLOSE_SECONDS_MAX, offerbook.close(), () => {
    shell.err(
      'The database did not close in time. Confirmed writes are safe; the rest is rolled back at the next start.',
    );
    process.exit(EXIT_CODES.failed);
  });
}

/** Waits for `stopping` up to a limit, because a hanging disk would otherwise keep the process running. */
export async function endWithin(seconds: number, stopping: Promise<void>, giveUp: () => void): Promise<void> {
  const limit = setTimeout(giveUp, seconds * 1000);
  try {
    await stopping;
  } finally {
    clearTimeout(limit);
  }
}

export function watchStopSignals({
  endAtOnce = () => process.exit(EXIT_CODES.failed),
  onHangUp,
  source = process,
  monotonicMs = () => performance.now(),
}: StopSignalOptions = {}): StopSignals {
  const { promise: wished, resolve } = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  const listener = () => {
    const nowMs = monotonicMs();
    firstMs ??= nowMs;
    resolve();
    if (nowMs - firstMs > ECHO_MS) endAtOnce();
  };
  const listenerOf = (signal: string) => (signal === 'SIGHUP' ? (onHangUp ?? listener) : listener);
  for (const signal of SIGNALS) source.on(signal, listenerOf(signal));
  return {
    wished,
    release: () => {
      for (const signal of SIGNALS) source.off(signal, listenerOf(signal));
    },
  };
}
