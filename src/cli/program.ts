/** The command line: gives the command that was asked for the streams and variables of this process. */
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { runCommand } from './commands.ts';
import { EXIT_CODES } from './failure.ts';
import { askHidden } from './hidden-prompt.ts';
import type { Shell } from './shell.ts';

/** Of a terminal that does not tell. */
const COLUMNS_DEFAULT = 80;

const shell: Shell = {
  variables: process.env,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  // Each is opened when it is first asked for: a standard input that was touched keeps the process alive.
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  terminal: process.stderr.isTTY
    ? { columns: process.stderr.columns || COLUMNS_DEFAULT, write: (text) => void process.stderr.write(text) }
    : undefined,
  ask: canAsk() ? ask : undefined,
  askHidden: canAsk() ? (question) => askHidden(process.stdin, process.stderr, question) : undefined,
};
// A reader that has seen enough, as `head` has, ends the command; that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT_CODES.done);
});
// Set rather than passed to process.exit, so that what was printed reaches a slow pipe before the end.
process.exitCode = await runCommand(shell, process.argv.slice(2));

function canAsk(): boolean {
  return process.stderr.isTTY && isatty(0);
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
