/** offerbook copy: copies a whole database, including ids and keys, into an empty one. */
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { readSettings, type Settings } from '../../config/settings.ts';
import { type CopyProgress, copyStore } from '../../operations/moves/copy-store.ts';
import { hasDatabase, lockStore, openCopyStore } from '../../store/open-store.ts';
import { databaseMissing } from '../database-use.ts';
import { accepted } from '../failure.ts';
import type { CliCommand } from '../options.ts';
import { type Progress, startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';
import { counted } from '../table.ts';

interface CopyOptions extends OutputOptions {
  readonly from: DatabaseChoice;
  readonly to: DatabaseChoice;
}

/** Settings that select a database. */
type DatabaseChoice = { readonly DATA_DIR: string; readonly DATABASE_URL: '' } | { readonly DATABASE_URL: string };

export function addCopyCommand(program: CliCommand, shell: Shell): void {
  program
    .command('copy')
    .description(
      'Copy everything into an empty database: merchants, keys, users, offers with their order, times and sequence numbers. ' +
        'Tokens and credentials keep working. Both sides are compared before the new database can be used. Run ' +
        'the same command again to continue an interrupted copy; until it is complete, no server starts on the target. ' +
        'First stop every Offerbook server that uses either database. The command refuses a data folder that is in use, but ' +
        'cannot tell whether a PostgreSQL database is.',
    )
    .addOption(databaseOption('--from <store>', 'database to copy; it is not changed'))
    .addOption(databaseOption('--to <store>', 'empty database to fill'))
    .action((options: CopyOptions) => copy(shell, options))
    .examples(
      'copy --from sqlite:./data --to postgres://offerbook@db.example/offerbook',
      'copy --from postgres://offerbook@db.example/offerbook --to sqlite:./data',
    )
    .notes('To keep a password out of the command, set PGPASSWORD.');
}

async function copy(shell: Shell, options: CopyOptions): Promise<void> {
  const [from, to] = [options.from, options.to].map((choice) => readSettings({ ...shell.variables, ...choice })) as [
    Settings,
    Settings,
  ];
  // Checked before the lock is taken, because locking creates a missing folder.
  if (from.databaseUrl === undefined && !(await hasDatabase(from))) throw databaseMissing(from);
  await using opened = new AsyncDisposableStack();
  for (const settings of [from, to]) opened.adopt(await lockStore(settings), (unlock) => unlock());
  if (from.databaseUrl !== undefined && !(await hasDatabase(from))) throw databaseMissing(from);
  const source = opened.adopt(await openCopyStore(from), (store) => store.close());
  const target = opened.adopt(await openCopyStore(to), (store) => store.close());
  const outcome = await stoppable(
    () => 'Stopped; run the same command to continue.',
    (stopped) => watched(shell, stopped, (progress) => copyStore(source, target, progress)),
  );
  const { merchants, skus, skusBefore, sha256 } = accepted(outcome);
  print(shell, options, {
    json: { from: source.name, to: target.name, merchants, skus, skus_before: skusBefore, sha256 },
    lines: [
      `Copied ${counted(merchants, 'merchant')} with ${counted(skus, 'SKU')} from ${source.name} to ${target.name}.`,
      ...(skusBefore === 0 ? [] : [`An earlier run had copied ${counted(skusBefore, 'SKU')}.`]),
      `Both sides were read back and are identical (SHA-256 ${sha256}).`,
    ],
  });
}

/** Shows two progress bars, one after the other. The second starts its clock when the comparison starts. */
async function watched<T>(
  shell: Shell,
  stopped: AbortSignal,
  work: (progress: CopyProgress) => Promise<T>,
): Promise<T> {
  using copying = startProgress(shell, 'Copying', 'SKUs');
  let comparing: Progress | undefined;
  return await work({
    copied: (skus, total) => {
      stopped.throwIfAborted();
      copying.show(skus, total);
    },
    compared: (skus, total) => {
      stopped.throwIfAborted();
      comparing ??= startProgress(shell, 'Comparing', 'SKUs');
      comparing.show(skus, total);
    },
  });
}

function databaseOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: sqlite:<data folder> or postgres://...`)
    .argParser(databaseChoice)
    .makeOptionMandatory();
}

function databaseChoice(text: string): DatabaseChoice {
  const folder = /^sqlite:(.+)$/.exec(text)?.[1];
  if (folder !== undefined) return { DATA_DIR: path.resolve(folder), DATABASE_URL: '' };
  if (/^postgres(?:ql)?:\/\//.test(text)) return { DATABASE_URL: text };
  throw new InvalidArgumentError('It must be sqlite:<data folder> or postgres://user@host:port/database.');
}
