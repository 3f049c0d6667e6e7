/** offerbook copy: copies a whole database, including ids and keys, into an empty one. */
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readSettings, type Settings } from '../../config/settings.ts';
import { type CopyWatch, copyStore } from '../../operations/moves/copy-store.ts';
import { hasDatabase, lockStore, openCopyStore } from '../../store/open-store.ts';
import { databaseMissing } from '../database-use.ts';
import { RefusedError } from '../failure.ts';
import { finish } from '../options.ts';
import { type Progress, startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';
import { counted } from '../table.ts';

interface CopyOptions extends OutputOptions {
  readonly from: StorePlace;
  readonly to: StorePlace;
}

/** Settings that select a database. */
type StorePlace = { readonly DATA_DIR: string; readonly DATABASE_URL: '' } | { readonly DATABASE_URL: string };

export function addCopyCommand(program: Command, shell: Shell): void {
  finish(
    program
      .command('copy')
      .description(
        'Copy everything into an empty database: merchants, keys, users, offers with their order, times and sequence numbers. ' +
          'Tokens and credentials keep working. Both sides are compared before the new database can be used. Run ' +
          'the same command again to continue an interrupted copy; until it is complete, no server starts on the target. ' +
          'First stop every Offerbook server that uses either database. The command refuses a data folder that is in use, but ' +
          'cannot tell whether a PostgreSQL database is.',
      )
      .addOption(placeOption('--from <store>', 'database to copy; it is not changed'))
      .addOption(placeOption('--to <store>', 'empty database to fill'))
      .action((options: CopyOptions) => copy(shell, options)),
    [
      'copy --from sqlite:./data --to postgres://offerbook@db.example/offerbook',
      'copy --from postgres://offerbook@db.example/offerbook --to sqlite:./data',
    ],
  ).addHelpText('after', '\nTo keep a password out of the command, set PGPASSWORD.');
}

async function copy(shell: Shell, options: CopyOptions): Promise<void> {
  const [from, to] = [options.from, options.to].map((place) => readSettings({ ...shell.variables, ...place })) as [
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
    (stopped) => watched(shell, stopped, (watch) => copyStore(source, target, watch)),
  );
  if (!outcome.ok) throw new RefusedError(outcome.problems, {});
  const { merchants, skus, skusBefore, sha256 } = outcome.value;
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
async function watched<T>(shell: Shell, stopped: AbortSignal, work: (watch: CopyWatch) => Promise<T>): Promise<T> {
  const copying = startProgress(shell, 'Copying', 'SKUs');
  let comparing: Progress | undefined;
  try {
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
  } finally {
    copying.end();
  }
}

function placeOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: sqlite:<data folder> or postgres://...`)
    .argParser(placeOf)
    .makeOptionMandatory();
}

function placeOf(text: string): StorePlace {
  const folder = /^sqlite:(.+)$/.exec(text)?.[1];
  if (folder !== undefined) return { DATA_DIR: path.resolve(folder), DATABASE_URL: '' };
  if (/^postgres(?:ql)?:\/\//.test(text)) return { DATABASE_URL: text };
  throw new InvalidArgumentError('It must be sqlite:<data folder> or postgres://user@host:port/database.');
}
