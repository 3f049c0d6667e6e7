/** offerbook errors: shows the errors of a bulk file's rows, and saves the failed rows to fix them. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { BulkFiles } from '../client/bulk-files.ts';
import type { FileRecord } from '../client/file-record.ts';
import { requestProblem } from '../domain/problem.ts';
import { isBlank } from '../domain/text.ts';
import { DraftFile } from '../store/sqlite/engine/draft-file.ts';
import { isOfRow, readRowErrors, rowLines } from './api/file-errors.ts';
import { addServerOptions, type ServerOptions, withServer } from './api/server-session.ts';
import { RefusedError } from './failure.ts';
import { finish, wholeNumber } from './options.ts';
import { print, type Shell } from './shell.ts';
import { counted, printable } from './table.ts';

interface ErrorsOptions extends ServerOptions {
  readonly limit: number;
  readonly retry?: string;
}

const ROWS_SHOWN_DEFAULT = 100;

export function addErrorsCommand(program: Command, shell: Shell): void {
  const command = program
    .command('errors')
    .description(
      'Show the errors of a bulk file row by row; with --json the error file itself. --retry saves the failed rows as a ' +
        'bulk file to fix and upload again.',
    )
    .argument('<id>', 'id of the file; "offerbook files" lists them', fileId)
    .option('--limit <rows>', 'how many rows to show, 0 for all', wholeNumber, ROWS_SHOWN_DEFAULT)
    .option('--retry <file>', 'save the failed rows in this file; an existing file is not overwritten');
  finish(
    addServerOptions(command).action((id: string, options: ErrorsOptions) => errors(shell, id, options)),
    [
      'errors 2f1c5a52-6d0e-4b1e-9d0a-0c4c3a7c9f11 --user demo-test-user',
      'errors 2f1c5a52-6d0e-4b1e-9d0a-0c4c3a7c9f11 --user demo-test-user --retry fix.json',
    ],
  );
}

function fileId(text: string): string {
  if (isBlank(text)) throw new InvalidArgumentError('It must be the id of a file.');
  return text;
}

async function errors(shell: Shell, id: string, options: ErrorsOptions): Promise<void> {
  await withServer(shell, options, async ({ files }) => {
    const record = await files.read(id);
    const { errorUrl, retryUrl, status } = record;
    if (errorUrl === undefined) {
      throw new RefusedError([requestProblem('no_errors', `File ${id} has no errors; its status is: ${status}.`)], {});
    }
    if (options.retry === undefined) {
      if (options.json) {
        await pipeline(await files.open(errorUrl), shell.output, { end: false });
        shell.out('');
      } else {
        await showRows(shell, files, record, errorUrl, options.limit);
      }
    } else if (retryUrl === undefined) {
      throw new RefusedError([requestProblem('no_errors', `File ${id} has no rows to retry.`)], {});
    } else {
      await save(files, retryUrl, options.retry);
      const { retry: file } = options;
      print(shell, options, {
        json: { file, rows: record.rowsFailed },
        lines: [`Saved ${counted(record.rowsFailed, 'failed row')} as ${printable(file)}.`],
      });
    }
  });
}

async function showRows(
  shell: Shell,
  files: BulkFiles,
  { rowsFailed }: FileRecord,
  url: string,
  limit: number,
): Promise<void> {
  let shown = 0;
  for await (const row of readRowErrors(await files.open(url))) {
    if (limit > 0 && shown === limit) {
      shell.out(`and ${counted(rowsFailed - shown, 'more row')}; --limit 0 shows all`);
      return;
    }
    for (const line of rowLines(row)) shell.out(line);
    if (isOfRow(row)) shown++;
  }
}

async function save(files: BulkFiles, url: string, file: string): Promise<void> {
  const draft = DraftFile.create(file);
  if (!draft.ok) throw new RefusedError(draft.problems, {});
  try {
    await pipeline(await files.open(url), createWriteStream(draft.value.path));
    const kept = draft.value.keep();
    if (!kept.ok) throw new RefusedError(kept.problems, {});
  } finally {
    draft.value.discard();
  }
}
