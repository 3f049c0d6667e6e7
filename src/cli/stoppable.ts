/** Handles Ctrl+C in long commands: they stop at the next step, clean up, and report it. */
import { refusal } from './failure.ts';
import { watchStopSignals } from './serve/stop-signals.ts';

/** `text` returns the message for a stopped command. A second Ctrl+C ends the command immediately, without cleanup. */
export async function stoppable<T>(text: () => string, work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  return withStopSignal(async (stopped) => {
    try {
      return await work(stopped);
    } catch (error) {
      if (!stopped.aborted || (error as Error).name !== 'AbortError') throw error;
      throw refusal('stopped', text());
    }
  });
}

/** Like `stoppable`, but for commands that print their own message. */
export async function withStopSignal<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const signals = watchStopSignals();
  signals.wished.then(() => stop.abort());
  try {
    return await work(stop.signal);
  } finally {
    signals.release();
  }
}
