/** offerbook backup and restore: copies the database beside a running server, and puts a copy in its place. */
import type { Command } from 'commander';
import { readSettings } from '../../config/settings.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { type BackupReport, backupDatabase } from '../../store/sqlite/backup/backup.ts';
import { restoreDatabase } from '../../store/sqlite/backup/restore.ts';
import { sayDatabase } from '../database-use.ts';
import { RefusedError } from '../failure.ts';
import { finish } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';

interface RestoreOptions extends OutputOptions {
  readonly replace?: true;
}

export function addBackupCommands(program: Command, shell: Shell): void {
  finish(
    program
      .command('backup')
      .description(
        'Copies the whole embedded database, as it is at one moment, into a file, also while a server runs. The copy is read ' +
          'back and checked before it gets its name. It holds the keys that tokens are signed with: keep it safe.',
      )
      .argument('<file>', 'file to write; one that exists is not overwritten')
      .action((file: string, options: OutputOptions) => backup(shell, file, options)),
    ['backup /var/backups/offerbook-$(date +%F).db'],
  );

  finish(
    program
      .command('restore')
      .description(
        'Puts a backup into the data folder, after it was checked. Refused while a server uses the folder, and where ' +
          'the folder has a database already.',
      )
      .argument('<file>', 'a file that "offerbook backup" wrote')
      .option('--replace', 'put the database that is there aside, as offerbook.db.before-restore-<time>')
      .action((file: string, options: RestoreOptions) => restore(shell, file, options)),
    ['restore /var/backups/offerbook-2026-01-31.db', 'restore /var/backups/offerbook-2026-01-31.db --replace'],
  );
}

async function backup(shell: Shell, file: string, options: OutputOptions): Promise<void> {
  const dataDir = embeddedDataDir(shell, options, 'pg_dump');
  const report = await stoppable(
    () => 'Stopped; no backup was written.',
    (stopped) => watched(shell, 'Copying', (watch) => backupDatabase(dataDir, file, { watch, stopped })),
  );
  print(shell, options, {
    json: { database: `sqlite:${dataDir}`, ...reportJson(report) },
    lines: [`The backup ${report.file} is written and was read back: ${reportText(report)}.`],
  });
}

async function restore(shell: Shell, file: string, options: RestoreOptions): Promise<void> {
  const dataDir = embeddedDataDir(shell, options, 'pg_restore');
  const report = await watched(shell, 'Restoring', (watch) =>
    restoreDatabase(dataDir, file, { replace: options.replace ?? false, nowMs: Date.now(), watch }),
  );
  print(shell, options, {
    json: { database: `sqlite:${dataDir}`, ...reportJson(report), before: report.before ?? null },
    lines: [
      `The database ${report.file} is restored: ${reportText(report)}.`,
      ...(report.before === undefined ? [] : [`The one that was there before is kept as ${report.before}.`]),
    ],
  });
}

/** Throws RefusedError where the store is not the embedded one. */
function embeddedDataDir(shell: Shell, options: OutputOptions, tool: string): string {
  const settings = readSettings(shell.variables);
  if (settings.databaseUrl === undefined) {
    sayDatabase(shell, options, settings);
    return settings.dataDir;
  }
  const text = `DATABASE_URL names a PostgreSQL: use ${tool}, or the backups of its host; see docs/scaling.md.`;
  throw new RefusedError([requestProblem('database_elsewhere', text)], {});
}

async function watched<T>(
  shell: Shell,
  what: string,
  work: (watch: (done: number, total: number) => void) => Promise<Outcome<T>>,
): Promise<T> {
  const progress = startProgress(shell, what, 'pages');
  try {
    const outcome = await work((done, total) => progress.show(done, total));
    if (!outcome.ok) throw new RefusedError(outcome.problems, {});
    return outcome.value;
  } finally {
    progress.end();
  }
}

function reportJson({ file, bytes, schemaVersion, contents }: BackupReport) {
  return { file, bytes, schema_version: schemaVersion, rows: contents };
}

function reportText({ bytes, contents }: BackupReport): string {
  const count = (table: string) => (contents[table] ?? 0).toLocaleString('en-US');
  return `${count('merchant')} merchants, ${count('sku')} SKUs, ${(bytes / 1e6).toFixed(1)} MB`;
}
