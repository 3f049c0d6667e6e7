/** offerbook backup and restore: copies the database while a server runs, and restores a copy. */
import { readSettings } from '../../config/settings.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { sizeText } from '../../domain/vocabulary/sizes.ts';
import { type BackupReport, backupDatabase } from '../../store/sqlite/backup/backup.ts';
import { restoreDatabase } from '../../store/sqlite/backup/restore.ts';
import { hasDatabaseFile } from '../../store/sqlite/engine/data-dir.ts';
import { databaseMissing, sayDatabase } from '../database-use.ts';
import { accepted, refusal } from '../failure.ts';
import type { CliCommand } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';
import { counted } from '../table.ts';

interface RestoreOptions extends OutputOptions {
  readonly replace?: true;
}

export function addBackupCommands(program: CliCommand, shell: Shell): void {
  program
    .command('backup')
    .description(
      'Back up the whole embedded database to a file, as a snapshot, even while a server is running. The command reads ' +
        'the copy back and checks it before it creates <file>. The backup contains the keys that sign tokens: keep it safe.',
    )
    .argument('<file>', 'file to write; an existing file is not overwritten')
    .action((file: string, options: OutputOptions) => backup(shell, file, options))
    .examples('backup /var/backups/offerbook/manual-$(date -u +%F).db');

  program
    .command('restore')
    .description(
      'Check a backup and restore it into the data folder. Refused while a server uses the folder. Also refused, ' +
        'without --replace, if the folder has a database.',
    )
    .argument('<file>', 'a file that "offerbook backup" wrote')
    .option('--replace', 'keep the existing database as offerbook.db.before-restore-<time> and replace it')
    .action((file: string, options: RestoreOptions) => restore(shell, file, options))
    .examples(
      'restore /var/backups/offerbook/manual-2026-01-31.db',
      'restore /var/backups/offerbook/manual-2026-01-31.db --replace',
    );
}

async function backup(shell: Shell, file: string, options: OutputOptions): Promise<void> {
  const dataDir = embeddedDataDir(shell, options, 'pg_dump');
  if (!hasDatabaseFile(dataDir)) throw databaseMissing(readSettings(shell.variables));
  const report = await stoppable(
    () => 'Stopped; no backup was written.',
    (stopped) => watched(shell, 'Copying', (onProgress) => backupDatabase(dataDir, file, { onProgress, stopped })),
  );
  print(shell, options, {
    json: { database: `sqlite:${dataDir}`, ...reportJson(report) },
    lines: [`Backed up to ${report.file} and verified: ${reportText(report)}.`],
  });
}

async function restore(shell: Shell, file: string, options: RestoreOptions): Promise<void> {
  const dataDir = embeddedDataDir(shell, options, 'pg_restore');
  const report = await watched(shell, 'Restoring', (onProgress) =>
    restoreDatabase(dataDir, file, { replace: options.replace ?? false, nowMs: Date.now(), onProgress }),
  );
  print(shell, options, {
    json: { database: `sqlite:${dataDir}`, ...reportJson(report), before: report.before ?? null },
    lines: [
      `Restored ${report.file}: ${reportText(report)}.`,
      ...(report.before === undefined
        ? []
        : [
            `The previous database is kept as ${report.before}.`,
            `To go back to it, unless it was damaged: offerbook restore ${report.before} --replace`,
          ]),
    ],
  });
}

/** Throws RefusedError when the database is PostgreSQL. */
function embeddedDataDir(shell: Shell, options: OutputOptions, tool: string): string {
  const settings = readSettings(shell.variables);
  if (settings.databaseUrl === undefined) {
    sayDatabase(shell, options, settings);
    return settings.dataDir;
  }
  const text = `The database is PostgreSQL (DATABASE_URL). Use ${tool}, or the backups of its host; see docs/operate/backup.md.`;
  throw refusal('database_elsewhere', text);
}

async function watched<T>(
  shell: Shell,
  what: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Outcome<T>>,
): Promise<T> {
  using progress = startProgress(shell, what, 'pages');
  return accepted(await work((done, total) => progress.show(done, total)));
}

function reportJson({ file, bytes, schemaVersion, contents }: BackupReport) {
  return { file, bytes, schema_version: schemaVersion, rows: contents };
}

function reportText({ bytes, contents }: BackupReport): string {
  const count = (table: string, noun: string) => counted(contents[table] ?? 0, noun);
  return `${count('merchant', 'merchant')}, ${count('sku', 'SKU')}, ${sizeText(bytes)}`;
}
