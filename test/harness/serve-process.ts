/** Starts a server in its own process, as a user would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const START_DEADLINE_MS = 60_000;
/** Log levels that do not show the start of the server. */
const QUIET_LEVELS: readonly string[] = ['silent', 'fatal', 'error', 'warn'];

export interface ServeProcess {
  /** URL of the server; empty in the role `worker`, which does not listen. */
  readonly url: string;
  /** Everything printed so far. */
  readonly output: () => string;
  readonly process: ChildProcess;
  /** Resolves with the exit code or the signal's name. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

/** A server that loses CPU time while it starts may exceed the time limit of the database, and ends. */
const TIME_LOST = /offerbook: The database did not respond in time\./;
const STARTS_MAX = 3;

/** Resolves when the server has printed its welcome and logged its start; rejects with its output if it ends before. */
export async function startServeProcess(...how: Parameters<typeof startOnce>): Promise<ServeProcess> {
  for (let starts = 1; ; starts++) {
    try {
      return await startOnce(...how);
    } catch (error) {
      if (starts === STARTS_MAX || !TIME_LOST.test(String(error))) throw error;
    }
  }
}

async function startOnce(
  variables: Readonly<Record<string, string>>,
  args: readonly string[] = ['--demo'],
  deadlineMs = START_DEADLINE_MS,
  command: readonly [string, ...(readonly string[])] = [process.execPath, 'src/cli/main.mjs'],
): Promise<ServeProcess> {
  const [file, ...before] = command;
  const child = spawn(file, [...before, 'serve', ...args], {
    cwd: ROOT,
    // These settings prevent access to the network.
    env: { ...process.env, NODE_ENV: '', PORT: '0', IMAGE_CHECK: 'off', DEMO_OFFERS: 'off', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  // The log has its own pipe, and may arrive after the welcome.
  const isTold = !QUIET_LEVELS.includes(variables.LOG_LEVEL ?? 'info');
  // Waits for `close` instead of `exit`, because the last output is read later and remaining workers keep the pipes open for a moment.
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const welcomed = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no welcome in time:\n${output}`)), deadlineMs);
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const url = /^Background work only/m.test(output) ? '' : /^Portal +(\S+)\/portal\/(?: |$)/m.exec(output)?.[1];
      if (url === undefined || (args.includes('--demo') && !output.includes('Ctrl+C'))) return;
      if (isTold && !/"event":"server_started".*\n/.test(output)) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    exited.then(([code]) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}:\n${output}`));
    }, reject);
  });
  const url = await welcomed.catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    output: () => output,
    process: child,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code, endSignal] = await exited;
      return code ?? endSignal ?? 'unknown';
    },
  };
}
