/** offerbook files: lists the bulk files of a merchant, newest first. */
import type { Command } from 'commander';
import type { FileRecord } from '../../client/file-record.ts';
import { LIMITS } from '../../domain/limits.ts';
import { finish, wholeNumber } from '../options.ts';
import { print, type Shell } from '../shell.ts';
import { table } from '../table.ts';
import { addServerOptions, type ServerOptions, withServer } from './server-session.ts';

interface FilesOptions extends ServerOptions {
  readonly limit: number;
  readonly offset: number;
}

const SHOWN_DEFAULT = 20;

export function addFilesCommand(program: Command, shell: Shell): void {
  const command = program
    .command('files')
    .description('List the uploaded bulk files with their progress, newest first.')
    .option('--limit <count>', `how many to show, up to ${LIMITS.list_limit_max}`, wholeNumber, SHOWN_DEFAULT)
    .option('--offset <count>', 'how many of the newest to leave out', wholeNumber, 0);
  finish(
    addServerOptions(command).action((options: FilesOptions) => list(shell, options)),
    ['files --user demo-test-user', 'files --offset 20 --limit 20 --server https://offers.example --user acme-live'],
  );
}

async function list(shell: Shell, options: FilesOptions): Promise<void> {
  const { files, json } = await withServer(shell, options, (session) =>
    session.files.list(options.offset, options.limit),
  );
  print(shell, options, {
    json,
    lines:
      files.length === 0
        ? [options.offset === 0 ? 'No files were uploaded.' : 'There are no older files.']
        : table(['ID', 'TYPE', 'NAME', 'RECEIVED', 'STATUS', 'ROWS', 'FAILED'], files.map(cellsOf)),
  });
}

function cellsOf(record: FileRecord): string[] {
  const { fileId, type, name, received, status, rowsProcessed, rowsFailed, bytesProcessed, bytesTotal } = record;
  const share =
    status === 'Processing' && bytesTotal > 0 ? ` ${Math.floor((100 * bytesProcessed) / bytesTotal)} %` : '';
  const counts = [rowsProcessed, rowsFailed].map((count) => count.toLocaleString('en-US'));
  return [fileId, type, name, received, `${status}${share}`, ...counts];
}
