/** Starts a PostgreSQL for tests, which can be stopped, crashed and started again. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KeeperAnswer, KeeperRequest, ServerOptions, StopSignal } from './server-messages.ts';

export interface TestServer {
  /** URL of the database `postgres`, with a superuser. */
  readonly url: string;
  stop(signal?: StopSignal): Promise<void>;
  /** Starts it after a stop, with the same databases at the same URL. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

/** Starts the server, which takes about a second. It ends with this process, even without `close`. */
export async function startTestServer(options: ServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-postgres-'));
  // Runs in its own process group: Ctrl+C must not reach the server before its users.
  const keeper = fork(path.join(import.meta.dirname, 'server-keeper.ts'), [folder], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  keeper.unref();
  keeper.channel?.unref();
  const close = async () => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    keeper.ref();
    const gone = once(keeper, 'exit');
    if (keeper.connected) keeper.disconnect();
    await gone;
  };
  try {
    const url = await ask(keeper, { request: 'create', options });
    return {
      url,
      stop: async (signal = 'SIGINT') => void (await ask(keeper, { request: 'stop', signal })),
      start: async () => void (await ask(keeper, { request: 'start' })),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ask(keeper: ChildProcess, request: KeeperRequest): Promise<string> {
  keeper.channel?.ref();
  const answered = new AbortController();
  try {
    keeper.send(request);
    const { signal } = answered;
    const [answer] = (await Promise.race([once(keeper, 'message', { signal }), ended(keeper, signal)])) as [
      KeeperAnswer,
    ];
    if (!answer.ok) throw new Error(answer.reason);
    return answer.url;
  } finally {
    answered.abort();
    keeper.channel?.unref();
  }
}

async function ended(keeper: ChildProcess, answered: AbortSignal): Promise<never> {
  const [code, signal] = await once(keeper, 'exit', { signal: answered });
  throw new Error(`The keeper of the test server ended with ${code ?? signal}.`);
}
