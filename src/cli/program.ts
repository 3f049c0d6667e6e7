/** Runs the command line with the streams and variables of this process. */
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { reasonOf } from '../store/sqlite/engine/data-dir.ts';
import { runCommand } from './commands.ts';
import { EXIT_CODES, refusal, reportFailure } from './failure.ts';
import type { Shell } from './shell.ts';

/** Width for terminals that do not report it. */
const COLUMNS_DEFAULT = 80;

/** The error to report if the output is closed early; undefined if partial output is a valid result. */
let cutOutputText: string | undefined;

const shell: Shell = {
  variables: process.env,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  // Opened on first use, because an open standard input keeps the process alive.
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  needWholeOutput: (text) => {
    cutOutputText = text;
  },
  colors: { out: takesColors(process.stdout), err: takesColors(process.stderr) },
  terminal: process.stderr.isTTY
    ? { columns: process.stderr.columns || COLUMNS_DEFAULT, write: (text) => void process.stderr.write(text) }
    : undefined,
  ask: process.stderr.isTTY && isatty(0) ? ask : undefined,
};
process.stdout.on('error', (error) => process.exit(endOfOutput(error)));
// Avoids process.exit, so that output reaches a slow pipe before the process ends.
process.exitCode = await runCommand(shell, process.argv.slice(2));

/** Reports an error of standard output, and returns the exit code. A closed pipe, as with `| head`, is an error only if all output is needed. */
function endOfOutput(error: NodeJS.ErrnoException): number {
  const isCut = error.code === 'EPIPE';
  const text = isCut ? cutOutputText : `Standard output cannot be written: ${reasonOf(error)}.`;
  if (text === undefined) return EXIT_CODES.done;
  const options = process.argv.includes('--json') ? { json: true as const } : {};
  return reportFailure(shell, options, refusal('file_unwritable', text));
}

function takesColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && stream.hasColors();
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
