/**
 * Runs commands of `offerbook` one after the other in one process and sends the output of each to the parent, for commands
 * that write straight to the streams of the process, as help does. Its only argument is the list of commands, as JSON.
 */
import { PassThrough } from 'node:stream';
import { runCommand } from '../../src/cli/commands.ts';
import type { Shell } from '../../src/cli/shell.ts';
import type { CommandRun } from './command-line.ts';

const texts = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array) => {
    texts[name] += text;
    return true;
  };
}
const shell: Shell = {
  variables: process.env,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  input: new PassThrough().end(),
  output: new PassThrough(),
  needWholeOutput: () => {},
  terminal: undefined,
  ask: undefined,
};
const runs: CommandRun[] = [];
for (const args of JSON.parse(process.argv[2] ?? '[]') as string[][]) {
  const exitCode = await runCommand(shell, args);
  runs.push({ exitCode, ...texts });
  Object.assign(texts, { stdout: '', stderr: '' });
}
// Exits only after everything is sent, because data that did not fit into the pipe would be lost.
process.send?.(runs, () => process.disconnect());
