/** In charge of the commands: puts them together and runs the one that was asked for, in whatever shell it is given. */
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { withConfigFile } from '../config/config-file.ts';
import { SettingError } from '../config/settings.ts';
import { checkDatabase } from './database-use.ts';
import { EXIT_CODES, reportFailure } from './failure.ts';
import { recordCommand } from './settings/record-command.ts';
import { type Shell, withVariables } from './shell.ts';

type AddCommands = (program: Command, shell: Shell) => void;

/**
 * By their first words, in the order of the help. Only what was asked for is loaded: a server need not wait for the
 * others at its start.
 */
const COMMANDS: readonly (readonly [words: readonly string[], load: () => Promise<AddCommands>])[] = [
  [['serve'], async () => (await import('./serve/serve.ts')).addServeCommand],
  [['merchant'], async () => (await import('./settings/merchant.ts')).addMerchantCommands],
  [['keys'], async () => (await import('./settings/keys.ts')).addKeysCommands],
  [['node'], async () => (await import('./settings/node.ts')).addNodeCommands],
  [['return-location'], async () => (await import('./settings/return-location.ts')).addReturnLocationCommands],
  [['signing-key'], async () => (await import('./settings/signing-key.ts')).addSigningKeyCommands],
  [['taxonomy'], async () => (await import('./settings/taxonomy.ts')).addTaxonomyCommands],
  [['policy'], async () => (await import('./settings/policy.ts')).addPolicyCommands],
  [['catalog'], async () => (await import('./settings/catalog.ts')).addCatalogCommands],
  [['placeholder'], async () => (await import('./settings/placeholder.ts')).addPlaceholderCommands],
  [['backup', 'restore'], async () => (await import('./data/backup.ts')).addBackupCommands],
  [['export', 'import'], async () => (await import('./data/export.ts')).addExportCommands],
  [['copy'], async () => (await import('./data/copy.ts')).addCopyCommand],
  [['sandbox'], async () => (await import('./settings/merchant-removal.ts')).addSandboxCommands],
  [['upload'], async () => (await import('./api/upload.ts')).addUploadCommand],
  [['files'], async () => (await import('./api/files.ts')).addFilesCommand],
  [['errors'], async () => (await import('./errors.ts')).addErrorsCommand],
  [['generate-catalog'], async () => (await import('./api/generate-catalog.ts')).addGenerateCatalogCommand],
  [['user'], async () => (await import('./settings/user.ts')).addUserCommands],
  [['doctor'], async () => (await import('./data/doctor.ts')).addDoctorCommand],
];

/** Returns the exit code. */
export async function runCommand(outerShell: Shell, args: readonly string[]): Promise<number> {
  // Read by hand, because mistakes that keep the command line from being parsed are reported in this form too.
  const json = args.includes('--json');
  try {
    const { config, rest } = takeConfigOption(args);
    const shell = configuredShell(outerShell, config, rest);
    const program = createProgram(json)
      .hook('preAction', (_program, command) => checkDatabase(shell, command))
      .hook('postAction', (_program, command) => recordCommand(shell, command));
    for (const addCommands of await loadCommands(rest)) addCommands(program, shell);
    await program.parseAsync(rest, { from: 'user' });
    return EXIT_CODES.done;
  } catch (error) {
    return reportFailure(outerShell, json ? { json } : {}, error);
  }
}

/** Taken out by hand, because help texts use settings before the command line is parsed. */
function takeConfigOption(args: readonly string[]): { config: string | undefined; rest: readonly string[] } {
  const place = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const [option = '', next] = args.slice(place);
  const isJoined = option.includes('=');
  // Without a value it is left to the parser, which reports the mistake.
  if (place === -1 || (!isJoined && next === undefined)) return { config: undefined, rest: args };
  const config = isJoined ? option.slice('--config='.length) : next;
  return { config, rest: args.toSpliced(place, isJoined ? 1 : 2) };
}

/** Help works even when the configuration file is wrong. */
function configuredShell(shell: Shell, config: string | undefined, args: readonly string[]): Shell {
  try {
    return withVariables(shell, withConfigFile(shell.variables, config));
  } catch (error) {
    if (error instanceof SettingError && (args.includes('--help') || args.includes('-h'))) return shell;
    throw error;
  }
}

/** All of them where none was named, or one that there is not: help and mistakes speak of all. */
function loadCommands(args: readonly string[]): Promise<AddCommands[]> {
  const asked = COMMANDS.filter(([words]) => words.includes(args[0] ?? ''));
  return Promise.all((asked.length === 0 ? COMMANDS : asked).map(([, load]) => load()));
}

function createProgram(json: boolean): Command {
  return (
    new Command('offerbook')
      .description(manifest.description)
      .version(manifest.version)
      .option('--config <file>', 'configuration file (default: OFFERBOOK_CONFIG, or ./offerbook.env if it exists)')
      .exitOverride()
      // Errors are reported in one place, by failure.ts; JSON on standard error is not mixed with a help text.
      .configureOutput({ outputError: () => {}, ...(json ? { writeErr: () => {} } : {}) })
      .addHelpText(
        'after',
        ['', 'Exit codes: 0 done, 1 refused or failed, 2 wrong usage.', 'Settings: see offerbook serve --help.'].join(
          '\n',
        ),
      )
  );
}
