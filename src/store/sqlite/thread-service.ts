/** In charge of the inside of a store thread: takes batches of commands, has them run, answers each batch once. */
import { parentPort } from 'node:worker_threads';
import type { Connection } from './engine.ts';
import type { Answers } from './group-commit.ts';
import type { AnswerMessage, BatchMessage, ErrorData, GreetingMessage } from './thread-messages.ts';
import { errorToData } from './thread-messages.ts';

export interface ThreadWork {
  readonly connection: Connection;
  /** Its methods are the commands. */
  readonly service: object;
  /** Decides how the commands of a batch share a transaction. */
  runBatch(count: number, run: (command: number) => unknown): Answers;
  /** What the thread tells of itself when it is ready. */
  readonly report: unknown;
}

export function serveThread(start: () => ThreadWork): void {
  if (parentPort === null) throw new Error('This file runs as a worker thread.');
  const port = parentPort;
  let work: ThreadWork;
  try {
    work = start();
  } catch (error) {
    port.postMessage({ failed: errorToData(error) } satisfies GreetingMessage);
    return;
  }
  const { connection, service, runBatch } = work;
  const methods = service as Record<string, (...args: readonly unknown[]) => unknown>;

  port.on('message', (message: BatchMessage | null) => {
    if (message === null) {
      connection.close();
      port.close();
      return;
    }
    const [names, args] = message;
    const { results, failures } = runBatch(names.length, (command) =>
      // biome-ignore lint/style/noNonNullAssertion: both lists have as many entries as the batch has commands.
      methods[names[command]!]!(...args[command]!),
    );
    port.postMessage([results, failures === null ? null : asData(failures)] satisfies AnswerMessage);
  });
  port.postMessage({ ready: work.report } satisfies GreetingMessage);
}

function asData(failures: ReadonlyMap<number, unknown>): Map<number, ErrorData> {
  const data = new Map<number, ErrorData>();
  for (const [command, error] of failures) data.set(command, errorToData(error));
  return data;
}
