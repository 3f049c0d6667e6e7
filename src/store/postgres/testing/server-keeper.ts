/**
 * Runs one PostgreSQL for tests, in a separate process. When the channel to this process closes, it stops the server and removes
 * its folder, so that nothing is left behind even if the test run is killed.
 *
 * The only argument is the folder to work in. The messages are in server-messages.ts.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../../../test/harness/free-port.ts';
import { binary, findBinaries, reachableBinaries } from './binaries.ts';
import type { KeeperAnswer, KeeperRequest, ServerOptions } from './server-messages.ts';

/** Most tests do not depend on durability. Tests that do set `durable`. */
const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Autovacuum would start a process for every database once a minute, which is several per second in a test run. */
const NOT_CLEANED = ['autovacuum=off'];

/** Enough for a few test processes per core, each with several servers and pools. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', 'timezone=UTC'];

const folder = process.argv[2] ?? '';
const dataFolder = path.join(folder, 'data');
const password = randomBytes(16).toString('hex');
let binaries = findBinaries();
let settings: readonly string[] = SETTINGS;
let port = 0;
let server: ChildProcess | undefined;

process.on('message', async ({ request, options, signal }: KeeperRequest) => {
  try {
    if (request === 'create') create(options ?? {});
    if (request === 'stop') await stop(signal ?? 'SIGINT');
    else await start();
    answer({ ok: true, url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` });
  } catch (error) {
    answer({ ok: false, reason: error instanceof Error ? error.message : String(error) });
  }
});
process.once('disconnect', async () => {
  await stop('SIGQUIT');
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
// These signals reach the whole process group. Only the exit of the parent process stops this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

function answer(message: KeeperAnswer): void {
  if (process.connected) process.send?.(message);
}

function create({ durable = false, settings: others = [] }: ServerOptions): void {
  if (binaries === undefined) throw new Error('No PostgreSQL binaries exist for this platform.');
  binaries = reachableBinaries(binaries, path.join(folder, 'binaries'));
  const { runner } = binaries;
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, password);
  mkdirSync(dataFolder);
  if (runner.uid !== undefined && runner.gid !== undefined) {
    for (const place of [folder, dataFolder, passwordFile]) chownSync(place, runner.uid, runner.gid);
  }
  // Needs a password: every user of the machine can connect, and a PostgreSQL superuser can run programs. The password is random,
  // so one iteration is enough; the 4,096 of the default cost each connection milliseconds, and a test run thousands of them.
  const login = ['--username=postgres', '--auth=password', `--pwfile=${passwordFile}`, '--set=scram_iterations=1'];
  const args = ['--no-sync', '--encoding=UTF8', '--locale=C', `--pgdata=${dataFolder}`];
  execFileSync(binary(binaries, 'initdb'), [...login, ...args], {
    ...runner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  settings = [...SETTINGS, ...(durable ? [] : [...NOT_DURABLE, ...NOT_CLEANED]), ...others];
}

/** Keeps its port across restarts, so that clients find it again. */
async function start(): Promise<void> {
  if (binaries === undefined || server !== undefined)
    throw new Error('The server is already running, or was never created.');
  if (port === 0) port = await freePort();
  const options = settings.flatMap((setting) => ['-c', setting]);
  const child = spawn(binary(binaries, 'postgres'), ['-D', dataFolder, '-p', String(port), ...options], {
    ...binaries.runner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = child;
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // Reads output for as long as the server runs, or it would block; keeps it only during the start.
    if (isReady) return;
    output += text;
    isReady = output.includes('ready to accept connections');
    if (isReady) ready.resolve();
  });
  child.once('error', ready.reject);
  child.once('exit', () => ready.reject(new Error(`PostgreSQL did not start:\n${output}`)));
  await ready.promise;
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  const stopping = server;
  server = undefined;
  if (stopping === undefined || stopping.exitCode !== null || stopping.signalCode !== null) return;
  const stopped = once(stopping, 'exit');
  stopping.kill(signal);
  await stopped;
}
