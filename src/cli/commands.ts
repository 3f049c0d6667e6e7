/** In charge of the commands: puts them together and runs the one that was asked for, in whatever shell it is given. */
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

/** Gives the exit code. */
export async function runCommand(shell: Shell, args: readonly string[]): Promise<number> {
  // Read by hand, because mistakes that keep the command line from being parsed are reported in this form too.
  const json = args.includes('--json');
  try {
    await createProgram(shell, json).parseAsync(args, { from: 'user' });
    return EXIT_CODES.done;
  } catch (error) {
    return reportFailure(shell, json ? { json } : {}, error);
  }
}

function createProgram(shell: Shell, json: boolean): Command {
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
