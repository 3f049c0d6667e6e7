/**
 * Runs `offerbook` in a separate process, as an operator does, or in the process of the test, which takes a tenth of the time.
 * Use a separate process to test how a process starts, reads its settings and exits.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { runCommand } from '../../src/cli/commands.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DEADLINE_MS = 120_000;

/** Compile cache shared by all runs of a test run or file; it halves the start time. */
const COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? temporaryCache();

export interface CommandRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings come only from `variables`, not from the test run's environment. */
export async function runOfferbook(
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandRun> {
  const child = spawn(process.execPath, ['bin/offerbook.mjs', ...args], {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), NODE_COMPILE_CACHE: COMPILE_CACHE, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      texts[stream] += text;
    });
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, ...texts };
}

/** Runs a command that must succeed and returns the JSON it prints. */
export async function offerbookJson(
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Record<string, unknown>> {
  return resultOf(args, await runOfferbook(variables, ...args, '--json'));
}

/** Runs the commands one after the other in one process; returns the output of each. */
export async function runInTurn(commands: readonly (readonly string[])[]): Promise<CommandRun[]> {
  const child = fork(path.join(import.meta.dirname, 'commands-in-turn.ts'), [JSON.stringify(commands)], {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), NODE_COMPILE_CACHE: COMPILE_CACHE },
    execArgv: [],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new AbortController();
  child.once('exit', (code) => ended.abort(new Error(`the commands ended with ${code}`)));
  const [runs] = (await once(child, 'message', { signal: ended.signal })) as [CommandRun[]];
  return runs;
}

/** Like `runOfferbook`, in this process; for commands that print lines and end. */
export async function runHere(
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandRun> {
  const texts = { stdout: '', stderr: '' };
  const shell: Shell = {
    variables: { ...withoutSettings(process.env), ...variables },
    out: (line) => {
      texts.stdout += `${line}\n`;
    },
    err: (line) => {
      texts.stderr += `${line}\n`;
    },
    input: new PassThrough().end(),
    output: new PassThrough(),
    needWholeOutput: () => {},
    terminal: undefined,
    ask: undefined,
  };
  const exitCode = await runCommand(shell, args);
  return { exitCode, ...texts };
}

/** Like `offerbookJson`, in this process. */
export async function offerbookHere(
  variables: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Record<string, unknown>> {
  return resultOf(args, await runHere(variables, ...args, '--json'));
}

function resultOf(args: readonly string[], { exitCode, stdout, stderr }: CommandRun): Record<string, unknown> {
  if (exitCode !== 0) throw new Error(`offerbook ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

function temporaryCache(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function withoutSettings(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set(Object.values(SETTINGS).map(({ name }) => name));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.has(name)));
}
