/** In charge of running `offerbook` as an operator does, in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SETTINGS } from '../../src/config/settings.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DEADLINE_MS = 30_000;

/** Compiled code that the runs of one test file share: it halves the time that each takes to start. */
const COMPILE_CACHE = mkdtempSync(path.join(tmpdir(), 'offerbook-test-'));
process.once('exit', () => rmSync(COMPILE_CACHE, { recursive: true, force: true }));

export interface CommandRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings come from `variables` alone, whatever the environment of the test run holds. */
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
  const { exitCode, stdout, stderr } = await runOfferbook(variables, ...args, '--json');
  if (exitCode !== 0) throw new Error(`offerbook ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

function withoutSettings(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set(Object.values(SETTINGS).map(({ name }) => name));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.has(name)));
}
