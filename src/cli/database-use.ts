/**
 * Prints which database a command changes before it runs, stops commands that would create one by mistake, and records commands that
 * changed data.
 */
import type { Command } from 'commander';
import { databaseName, readSettings, type Settings } from '../config/settings.ts';
import { LIMITS } from '../domain/limits.ts';
import { deleteUnusedDatabase, hasDatabase, openSetupStore } from '../store/open-store.ts';
import { type RefusedError, refusal } from './failure.ts';
import type { OutputOptions, Shell } from './shell.ts';

const CREATING_COMMANDS: ReadonlySet<string> = new Set(['merchant add', 'import']);

/** Commands that use no database, or that check their database themselves. */
const UNCHECKED_COMMANDS: ReadonlySet<string> = new Set([
  ...['serve', 'copy', 'backup', 'restore', 'doctor'],
  ...['check-file', 'generate-catalog', 'completion', 'version'],
]);

/** Commands that only read. */
const READING_COMMAND = /^(?:export|feed)$| (?:list|show|search)$/;

/** Whether the activity log records the command. Commands that replace a whole database are not recorded. */
export function isRecorded(words: string): boolean {
  return !UNCHECKED_COMMANDS.has(words) && !READING_COMMAND.test(words);
}

/** Returns the words of a command without the name of the program, such as `merchant add`. */
function wordsOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  return `${wordsOf(parent)} ${command.name()}`.trim();
}

/** Throws RefusedError when the command needs a database and there is none. */
export async function checkDatabase(shell: Shell, command: Command): Promise<void> {
  const words = wordsOf(command);
  if (UNCHECKED_COMMANDS.has(words)) return;
  const settings = readSettings(shell.variables);
  const exists = await hasDatabase(settings);
  if (!exists && !CREATING_COMMANDS.has(words)) throw databaseMissing(settings);
  if (!exists) creating.set(shell, { settings, options: command.opts(), isCreated: false });
  else if (isRecorded(words)) sayDatabase(shell, command.opts(), settings);
}

/** Shells whose command creates a database. */
const creating = new WeakMap<Shell, { settings: Settings; options: OutputOptions; isCreated: boolean }>();

/** Call it when the database is open, because only then is it certain that a new one exists. */
export function sayCreated(shell: Shell): void {
  const creation = creating.get(shell);
  if (creation === undefined || creation.isCreated) return;
  creation.isCreated = true;
  sayDatabase(shell, creation.options, creation.settings, ' (new)');
}

/** Call it when the command has failed: a database that it created and left empty would look like one in use. */
export async function deleteCreated(shell: Shell): Promise<void> {
  const { settings, options, isCreated } = creating.get(shell) ?? {};
  if (settings === undefined || !isCreated || !(await deleteUnusedDatabase(settings))) return;
  if (!options?.json) shell.err('The new database was deleted, because it is empty.');
}

/** Prints to standard error, so that results can be piped. */
export function sayDatabase(shell: Shell, { json }: OutputOptions, settings: Settings, note = ''): void {
  if (!json) shell.err(`Database: ${databaseName(settings)}${note}`);
}

export function databaseMissing({ dataDir, databaseUrl }: Settings): RefusedError {
  const creators = '"offerbook serve" and "offerbook merchant add" create';
  const text =
    databaseUrl === undefined
      ? `There is no database in the data folder ${dataDir}. Check DATA_DIR; ${creators} a database.`
      : `${databaseName({ dataDir, databaseUrl })} has no Offerbook tables yet. Check DATABASE_URL; ${creators} them.`;
  return refusal('database_missing', text);
}

const BY = 'command line';

/** Records the command after it succeeded. The values of options are recorded too, because none is a secret. */
export async function recordCommand(shell: Shell, command: Command): Promise<void> {
  const act = wordsOf(command);
  if (!isRecorded(act)) return;
  const { json, yes, merchant, preview, ...options } = command.opts<Record<string, unknown>>();
  // A preview changes nothing.
  if (preview === true) return;
  const [subject = merchant, ...others] = command.args;
  const of = merchant === undefined || merchant === subject ? {} : { merchant };
  const details = [...others, ...Object.entries({ ...of, ...options }).map(([name, value]) => `${name}: ${value}`)];
  const store = await openSetupStore(readSettings(shell.variables));
  try {
    await store.people.addAct({
      atMs: Date.now(),
      by: BY,
      act,
      subject: String(subject ?? ''),
      detail: details.join(', ').slice(0, LIMITS.act_detail_characters_max),
    });
  } finally {
    await store.close();
  }
}
