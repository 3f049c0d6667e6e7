/**
 * Commits commands that arrive together in one transaction. A command that fails does not affect the others.
 *
 * A durable commit costs one disk flush regardless of its size, so sharing a flush makes single writes quick.
 */
import type { Transaction } from '../engine/transactions.ts';

export interface Answers {
  readonly results: unknown[];
  /** Failures by index in the batch; null if all succeeded, which is nearly always. */
  readonly failures: Map<number, unknown> | null;
}

/** Runs the command with this position in the batch, and may return a promise. */
export type RunNth = (command: number) => unknown;

/**
 * Runs the commands 0 to `count` - 1, one after the other; a command that returns no promise does not yield. Rejects only if a
 * rollback fails: the connection is unusable then.
 */
export async function commitTogether(transaction: Transaction, count: number, run: RunNth): Promise<Answers> {
  const results = new Array<unknown>(count);
  try {
    transaction.begin();
  } catch (error) {
    return allFailed(count, error);
  }
  try {
    for (let command = 0; command < count; command++) {
      const result = run(command);
      results[command] = result instanceof Promise ? await result : result;
    }
  } catch (error) {
    transaction.rollback();
    return count === 1 ? allFailed(count, error) : commitEachAlone(transaction, count, run);
  }
  try {
    transaction.commit();
  } catch (error) {
    transaction.rollback();
    return allFailed(count, error);
  }
  return { results, failures: null };
}

/** Runs each command in a transaction of its own. */
export async function commitEachAlone(transaction: Transaction, count: number, run: RunNth): Promise<Answers> {
  const results = new Array<unknown>(count);
  const failures = new Map<number, unknown>();
  for (let command = 0; command < count; command++) {
    try {
      transaction.begin();
    } catch (error) {
      // Each further attempt could wait for the lock just as long.
      for (let unrun = command; unrun < count; unrun++) failures.set(unrun, error);
      break;
    }
    try {
      results[command] = await run(command);
      transaction.commit();
    } catch (error) {
      results[command] = undefined;
      failures.set(command, error);
      transaction.rollback();
    }
  }
  return { results, failures };
}

function allFailed(count: number, error: unknown): Answers {
  const failures = new Map(Array.from({ length: count }, (_, command) => [command, error]));
  return { results: new Array<unknown>(count), failures };
}
