/** Lists all commands and runs the requested one. */
import { styleText } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { withConfigFile } from '../config/config-file.ts';
import { SettingError } from '../config/settings.ts';
import { checkDatabase, deleteCreated, recordCommand } from './database-use.ts';
import { EXIT_CODES, reportFailure } from './failure.ts';
import { CliCommand, CONFIG_OPTION } from './options.ts';
import { type Shell, withVariables } from './shell.ts';

type AddCommands = (program: CliCommand, shell: Shell) => void;

type Entry = readonly [words: readonly string[], load: () => Promise<AddCommands>];

/**
 * All commands by their first words, in the groups and the order of the help. Only the requested command is loaded, so
 * that it starts fast.
 */
const COMMANDS: Readonly<Record<string, readonly Entry[]>> = {
  'Server:': [
    [['serve'], async () => (await import('./serve/serve.ts')).addServeCommand],
    [['doctor'], async () => (await import('./data/doctor.ts')).addDoctorCommand],
  ],
  'Merchants:': [
    [['merchant'], async () => (await import('./settings/merchant.ts')).addMerchantCommands],
    [['keys'], async () => (await import('./settings/keys.ts')).addKeysCommands],
    [['node'], async () => (await import('./settings/node.ts')).addNodeCommands],
    [['return-location'], async () => (await import('./settings/node.ts')).addReturnLocationCommands],
    [['sandbox'], async () => (await import('./settings/merchant-removal.ts')).addSandboxCommands],
  ],
  'Review:': [
    [['taxonomy'], async () => (await import('./settings/taxonomy.ts')).addTaxonomyCommands],
    [['policy'], async () => (await import('./settings/policy.ts')).addPolicyCommands],
    [['catalog'], async () => (await import('./settings/catalog.ts')).addCatalogCommands],
    [['placeholder'], async () => (await import('./settings/placeholder.ts')).addPlaceholderCommands],
    [['changes'], async () => (await import('./settings/changes.ts')).addChangesCommands],
  ],
  'Access:': [
    [['user'], async () => (await import('./settings/user.ts')).addUserCommands],
    [['signing-key'], async () => (await import('./settings/signing-key.ts')).addSigningKeyCommands],
  ],
  'Data:': [
    [['backup', 'restore'], async () => (await import('./data/backup.ts')).addBackupCommands],
    [['export', 'import'], async () => (await import('./data/export.ts')).addExportCommands],
    [['feed'], async () => (await import('./data/feed.ts')).addFeedCommand],
    [['copy'], async () => (await import('./data/copy.ts')).addCopyCommand],
  ],
  'Bulk files:': [
    [['check-file'], async () => (await import('./api/check-file.ts')).addCheckFileCommand],
    [['generate-catalog'], async () => (await import('./api/generate-catalog.ts')).addGenerateCatalogCommand],
  ],
  'Other:': [[['completion', 'version'], async () => (await import('./completion.ts')).addCompletionCommands]],
};

/** Returns the exit code. */
export async function runCommand(outerShell: Shell, args: readonly string[]): Promise<number> {
  // Reads --json without the parser, because errors of the parser are also reported as JSON.
  const json = args.includes('--json');
  try {
    const { config, rest } = takeConfigOption(args);
    const shell = configuredShell(outerShell, config, rest);
    const program = createProgram(json)
      .hook('preAction', (_program, command) => checkDatabase(shell, command))
      .hook('postAction', (_program, command) => recordCommand(shell, command));
    await addCommands(program, shell, rest[0] ?? '');
    try {
      await program.parseAsync(rest, { from: 'user' });
    } catch (error) {
      await deleteCreated(shell);
      throw error;
    }
    return EXIT_CODES.done;
  } catch (error) {
    return reportFailure(outerShell, json ? { json } : {}, error);
  }
}

/** Extracts --config without the parser, because help texts use settings before the command line is parsed. */
function takeConfigOption(args: readonly string[]): { config: string | undefined; rest: readonly string[] } {
  const index = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const [option = '', next] = args.slice(index);
  const isJoined = option.includes('=');
  // If the value is missing, the parser reports it.
  if (index === -1 || (!isJoined && next === undefined)) return { config: undefined, rest: args };
  const config = isJoined ? option.slice('--config='.length) : next;
  return { config, rest: args.toSpliced(index, isJoined ? 1 : 2) };
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

/** Adds the command that `word` names. Adds all commands if it names none, and for help and completion. */
async function addCommands(program: CliCommand, shell: Shell, word: string): Promise<void> {
  const groups = Object.entries(COMMANDS);
  const isKnown = groups.some(([, entries]) => entries.some(([words]) => words.includes(word)));
  for (const [heading, entries] of groups) {
    program.commandsGroup(heading);
    const asked = isKnown && word !== 'completion' ? entries.filter(([words]) => words.includes(word)) : entries;
    for (const add of await Promise.all(asked.map(([, load]) => load()))) add(program, shell);
  }
}

function createProgram(json: boolean): CliCommand {
  return (
    new CliCommand('offerbook')
      .description(manifest.description)
      .version(manifest.version, '-v, --version', 'print the version')
      .helpCommand(false)
      .configureHelp({ styleTitle: bold, styleCommandText: cyan, styleSubcommandText: cyan, styleOptionText: cyan })
      .option(...CONFIG_OPTION)
      .exitOverride()
      // failure.ts reports all errors, so that JSON on standard error is not mixed with help text.
      .configureOutput({ outputError: () => {}, ...(json ? { writeErr: () => {} } : {}) })
      .notes(
        '"offerbook COMMAND --help" explains a command. Every command takes --config, and --json for output as JSON.',
        'Exit codes: 0 success, 1 refused or failed, 2 wrong usage. Settings: see "offerbook serve --help".',
      )
  );
}

/** Commander removes colors if the terminal does not support them or NO_COLOR is set. */
function bold(text: string): string {
  return styleText('bold', text, { validateStream: false });
}

function cyan(text: string): string {
  return styleText('cyan', text, { validateStream: false });
}
