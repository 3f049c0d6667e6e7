/** Handles SIGINT, SIGTERM and SIGHUP: the first asks for a graceful stop, the second for an immediate exit. */

const SIGNALS = Object.freeze(['SIGINT', 'SIGTERM', 'SIGHUP'] as const);

/**
 * Signals within this time count as one request: Ctrl+C reaches the process from the terminal and, under `npm start`, from npm
 * as well. People do not press it twice that fast.
 */
export const ECHO_MS = 250;

export interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

export interface StopSignals {
  /** Resolves at the first signal. */
  readonly wished: Promise<void>;
  /** Removes the handlers, so that signals have their default effect again. */
  release(): void;
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

/** `onHangUp` is called for SIGHUP, which otherwise stops the process like the other signals. */
export function watchStopSignals(
  source: SignalSource,
  monotonicMs: () => number,
  endAtOnce: () => void,
  onHangUp?: () => void,
): StopSignals {
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
