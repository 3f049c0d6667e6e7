/** The command line: puts the commands together and runs the one that was asked for. */
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addBackupCommands } from './backup.ts';
import { addCatalogCommands } from './catalog.ts';
import { addCopyCommand } from './copy.ts';
import { addDoctorCommand } from './doctor.ts';
import { addErrorsCommand } from './errors.ts';
import { addExportCommands } from './export.ts';
import { EXIT_CODES, reportFailure } from './failure.ts';
import { addFilesCommand } from './files.ts';
import { addGenerateCatalogCommand } from './generate-catalog.ts';
import { askHidden } from './hidden-prompt.ts';
import { addKeysCommands } from './keys.ts';
import { addMerchantCommands } from './merchant.ts';
import { addSandboxCommands } from './merchant-removal.ts';
import { addNodeCommands } from './node.ts';
import { addPlaceholderCommands } from './placeholder.ts';
import { addPolicyCommands } from './policy.ts';
import { addReturnLocationCommands } from './return-location.ts';
import { addServeCommand } from './serve.ts';
import type { Shell } from './shell.ts';
import { addSigningKeyCommands } from './signing-key.ts';
import { addTaxonomyCommands } from './taxonomy.ts';
import { addUploadCommand } from './upload.ts';
import { addUserCommands } from './user.ts';

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
process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  // Read by hand, because mistakes that keep the command line from being parsed are reported in this form too.
  const json = args.includes('--json');
  try {
    await createProgram(json).parseAsync(args, { from: 'user' });
    return EXIT_CODES.done;
  } catch (error) {
    return reportFailure(shell, json ? { json } : {}, error);
  }
}

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

function createProgram(json: boolean): Command {
  const program = new Command('offerbook')
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    // Errors are reported in one place, by failure.ts; JSON on standard error is not mixed with a help text.
    .configureOutput({ outputError: () => {}, ...(json ? { writeErr: () => {} } : {}) })
    .addHelpText(
      'after',
      ['', 'Exit codes: 0 done, 1 refused or failed, 2 wrong usage.', 'Settings: see offerbook serve --help.'].join(
        '\n',
      ),
    );
  addServeCommand(program, shell);
  addMerchantCommands(program, shell);
  addKeysCommands(program, shell);
  addNodeCommands(program, shell);
  addReturnLocationCommands(program, shell);
  addSigningKeyCommands(program, shell);
  addTaxonomyCommands(program, shell);
  addPolicyCommands(program, shell);
  addCatalogCommands(program, shell);
  addPlaceholderCommands(program, shell);
  addBackupCommands(program, shell);
  addExportCommands(program, shell);
  addCopyCommand(program, shell);
  addSandboxCommands(program, shell);
  addUploadCommand(program, shell);
  addFilesCommand(program, shell);
  addErrorsCommand(program, shell);
  addGenerateCatalogCommand(program, shell);
  addUserCommands(program, shell);
  addDoctorCommand(program, shell);
  return program;
}
