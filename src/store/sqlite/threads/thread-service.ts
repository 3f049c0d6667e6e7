/**
 * Runs a store thread: takes batches of commands from its clients, runs them in two lanes and responds to each batch once. The
 * first client is the thread that started it; others connect over ports that the first one passes on.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Connection } from '../engine/connection.ts';
import type { Answers, RunNth } from './group-commit.ts';
import { Lanes } from './lanes.ts';
import {
  type AnswerMessage,
  type BatchMessage,
  CLOSE_MESSAGE,
  errorToData,
  type GreetingMessage,
  isBatch,
  type ThreadMessage,
} from './thread-messages.ts';

interface ThreadWork {
  readonly connection: Pick<Connection, 'close'>;
  /** Its methods are the commands, which may return promises. */
  readonly service: object;
  /** Decides how the commands of a batch share a transaction. */
  runBatch(count: number, run: RunNth): Answers | Promise<Answers>;
}

export function serveThread(start: () => ThreadWork): void {
  if (parentPort === null) throw new Error('This file runs as a worker thread.');
  const parent = parentPort;
  let work: ThreadWork;
  try {
    work = start();
  } catch (error) {
    parent.postMessage({ failed: errorToData(error) } satisfies GreetingMessage);
    return;
  }
  const { connection, service, runBatch } = work;
  const methods = service as Record<string, (...args: readonly unknown[]) => unknown>;
  const clients = new Set<MessagePort>();
  const lanes = new Lanes();

  const answer = async (client: MessagePort, [lane, names, args]: BatchMessage): Promise<void> => {
    const { results, failures } = await runBatch(names.length, (command) =>
      // biome-ignore lint/style/noNonNullAssertion: both lists have as many entries as the batch has commands.
      methods[names[command]!]!(...args[command]!),
    );
    const failed = failures && new Map(failures.entries().map(([command, error]) => [command, errorToData(error)]));
    client.postMessage([lane, results, failed] satisfies AnswerMessage);
  };

  const serve = (client: MessagePort): void => {
    clients.add(client);
    client.on('close', () => clients.delete(client));
    client.on('message', (message: ThreadMessage) => {
      if (message === CLOSE_MESSAGE) {
        lanes.close();
        connection.close();
        // Remaining clients notice when their port closes.
        for (const each of clients) each.close();
      } else if (isBatch(message)) {
        lanes.add(message[0], () => answer(client, message));
      } else {
        serve(message.client);
      }
    });
  };

  serve(parent);
  parent.postMessage({ ready: true } satisfies GreetingMessage);
}
