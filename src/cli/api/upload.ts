/** offerbook upload: sends a bulk file to a server and shows its progress, or only checks it locally. */
import path from 'node:path';
import { type Command, Option } from 'commander';
import type { BulkFiles } from '../../client/bulk-files.ts';
import { type FileRecord, hasEnded } from '../../client/file-record.ts';
import { LIMITS } from '../../domain/limits.ts';
import { FILE_TYPES, type FileType } from '../../domain/vocabulary/file-types.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
import { ReportedError, UnhealthyError } from '../failure.ts';
import { type Input, openInput } from '../open-input.ts';
import { finish } from '../options.ts';
import { startProgress } from '../progress.ts';
import { print, type Shell } from '../shell.ts';
import { counted, printable } from '../table.ts';
import { ErrorSummary, readRowErrors } from './file-errors.ts';
import { ignoredLines } from './ignored-notice.ts';
import {
  addServerOptions,
  type ServerOptions,
  type ServerSession,
  serverArguments,
  withServer,
} from './server-session.ts';

interface UploadOptions extends ServerOptions {
  readonly type: FileType;
  readonly check?: true;
}

export function addUploadCommand(program: Command, shell: Shell): void {
  const command = program
    .command('upload')
    .description(
      'Upload a bulk file, compressed on the way, and show its progress until all rows are processed. The file is JSON, ' +
        '{"<sku>": <body of the single call>, ...}, plain or gzip. Exits with 1 when a row failed. Ctrl+C stops watching; ' +
        'the server continues.',
    )
    .argument('<file>', 'the file, "-" for standard input')
    .addOption(new Option('--type <type>', 'what the rows are').choices(FILE_TYPES).makeOptionMandatory())
    .option('--check', 'send nothing: check the rows locally, as far as possible without the data of the server');
  finish(
    addServerOptions(command).action((file: string, options: UploadOptions) => upload(shell, file, options)),
    [
      'upload catalog.json.gz --type MerchantSKUs --server https://offers.example --user demo-test-user',
      'upload prices.json --type Price --check',
    ],
  );
}

async function upload(shell: Shell, file: string, options: UploadOptions): Promise<void> {
  if (options.check) {
    // Loaded only when needed, because its rules take a while to compile.
    const { checkLocally } = await import('./check-file.ts');
    await checkLocally(shell, file, options.type, options);
    return;
  }
  // Opened first, so that a missing file is reported before the user is asked for a secret.
  const input = await openInput(shell, file);
  const { record, summary } = await withServer(shell, options, async (session) => {
    const sent = await send(shell, session, { name: sentName(file), ...input }, options);
    const ended = await follow(shell, session, sent, options);
    return { record: ended, summary: await summarise(session.files, ended) };
  }).finally(() => {
    // Waiting for unread input would keep the command alive.
    if (file === STANDARD_STREAM) shell.input.destroy();
  });
  print(shell, options, {
    json: { ...record.json, error_summary: summary?.json() ?? [] },
    lines: resultLines(record, summary, options),
  });
  if (record.status !== 'Processed successfully') throw new UnhealthyError();
}

async function send(
  shell: Shell,
  { files, stopped }: ServerSession,
  { name, chunks, bytes }: Input & { readonly name: string },
  { type, json }: UploadOptions,
): Promise<FileRecord> {
  const progress = startProgress(shell, 'Sending', 'bytes');
  let isSent = false;
  try {
    const record = await files.upload(
      { type, name, chunks },
      {
        onRead: (done) => progress.show(done, bytes),
        onSent: () => {
          isSent = true;
        },
      },
    );
    progress.end();
    if (!json) shell.err(`${printable(name)} was submitted as file ${record.fileId}.`);
    return record;
  } catch (error) {
    progress.end();
    if (!stopped.aborted) throw error;
    shell.err(
      isSent
        ? 'Stopped while the file was being submitted. "offerbook files" shows whether it was.'
        : 'The upload was cancelled; nothing was submitted.',
    );
    throw new ReportedError();
  }
}

function sentName(file: string): string {
  const name = file === STANDARD_STREAM ? 'standard input' : path.basename(file);
  return [...name].slice(0, LIMITS.file_name_characters_max).join('');
}

async function follow(
  shell: Shell,
  { files, stopped }: ServerSession,
  sent: FileRecord,
  { json }: UploadOptions,
): Promise<FileRecord> {
  const progress = startProgress(shell, 'Processing', 'rows');
  let last = sent;
  try {
    for await (const record of files.follow(sent.fileId)) {
      last = record;
      const share = record.bytesTotal > 0 ? record.bytesProcessed / record.bytesTotal : 0;
      progress.show(record.rowsProcessed, undefined, { share, note: noteOf(record) });
    }
    progress.end();
    return last;
  } catch (error) {
    progress.end();
    if (stopped.aborted && hasEnded(last)) return last;
    shell.err(`File ${sent.fileId} is still being processed by the server; "offerbook files" shows its progress.`);
    if (!stopped.aborted) throw error;
    if (json) print(shell, { json }, { json: last.json, lines: [] });
    throw new ReportedError();
  }
}

function noteOf({ status, rowsFailed, rowsWaiting }: FileRecord): string {
  if (status === 'Acknowledged') return 'queued';
  const failed = `${rowsFailed.toLocaleString('en-US')} failed`;
  return rowsWaiting === 0 ? failed : `${failed}, ${rowsWaiting.toLocaleString('en-US')} waiting for their SKUs`;
}

async function summarise(files: BulkFiles, { errorUrl }: FileRecord): Promise<ErrorSummary | undefined> {
  if (errorUrl === undefined) return undefined;
  const summary = new ErrorSummary();
  for await (const row of readRowErrors(await files.open(errorUrl))) summary.add(row);
  return summary;
}

function resultLines(record: FileRecord, summary: ErrorSummary | undefined, options: ServerOptions): string[] {
  const { fileId, status, rowsProcessed, rowsFailed, rowsSuperseded, ignoredFields, retryUrl } = record;
  const counts = [
    counted(rowsProcessed, 'row'),
    ...(rowsFailed > 0 ? [`${rowsFailed.toLocaleString('en-US')} failed`] : []),
    ...(rowsSuperseded > 0 ? [`${rowsSuperseded.toLocaleString('en-US')} superseded by newer updates`] : []),
  ];
  const lines = [`${status}: ${counts.join(', ')}.`, ...ignoredLines(ignoredFields)];
  if (summary === undefined) return lines;
  const showErrors = `offerbook errors ${fileId}${serverArguments(options)}`;
  return [
    ...lines,
    '',
    ...summary.lines(),
    '',
    `All errors: ${showErrors}`,
    ...(retryUrl === undefined ? [] : [`Failed rows to fix and upload again: ${showErrors} --retry <file>`]),
  ];
}
