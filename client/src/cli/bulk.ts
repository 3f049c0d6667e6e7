/** Commands for bulk files and reports. */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Problem } from '../errors.ts';
import { fileIdOf, hasEnded } from '../files.ts';
import { parseJson } from '../json.ts';
import type { Offerbook } from '../offerbook.ts';
import type { FileRecord, FileType } from '../types.ts';
import { type Commands, Interrupted, type Run } from './command.ts';
import { openFile, print, printable, progress, say, table } from './terminal.ts';

export const SUCCEEDED = 'Processed successfully';
const SHOWN_DEFAULT = 20;
/** Begins the names of files that `sync` generates. Their lines are not those of the user's file. */
export const SYNC_PREFIX = 'sync-';

interface RowErrors {
  readonly details: readonly Problem[];
  readonly line?: number;
  readonly column?: number;
}

export const BULK_COMMANDS: Commands = {
  upload: {
    takes: '<file>',
    about:
      'Upload a bulk file, compressed on the way, and wait until its rows are processed. "-" is standard input. Exits with 1 if a row failed.',
    options: {
      type: { value: 'type', about: 'MerchantSKUs, Price, Inventory, Variation, Archive, ...', required: true },
    },
    async run(run) {
      const [file = ''] = run.values;
      const { chunks, bytes } = await openFile(file);
      const client = await run.client();
      const record = await uploadAndFollow(client, run.text('type') as FileType, path.basename(file), chunks, bytes);
      showRecords(run, [record], shown(record));
      return record.status === SUCCEEDED;
    },
  },
  'files list': {
    takes: '',
    about: 'Print the uploaded bulk files, newest first.',
    options: { limit: { value: 'count', about: `how many (default: ${SHOWN_DEFAULT})` } },
    async run(run) {
      const limit = Number(run.text('limit') ?? SHOWN_DEFAULT);
      const records: FileRecord[] = [];
      for await (const record of (await run.client()).files.list(Math.min(limit, 1000))) {
        records.push(record);
        if (records.length >= limit) break;
      }
      run.result(records.map(shown), () =>
        table(
          ['ID', 'TYPE', 'NAME', 'STATUS', 'ROWS', 'FAILED'],
          records.map((record) => [
            fileIdOf(record),
            record.file_type,
            record.file_name,
            record.status,
            String(record.rows_processed ?? 0),
            String(record.rows_failed ?? 0),
          ]),
        ),
      );
      return undefined;
    },
  },
  'files show': {
    takes: '<id>',
    about: 'Print the progress and result of a bulk file.',
    async run(run) {
      const record = await (await run.client()).files.get(run.values[0] ?? '');
      run.result(shown(record), () => summary(record));
      return undefined;
    },
  },
  'files cancel': {
    takes: '<id>',
    about: 'Cancel a bulk file. Rows that are applied already stay applied.',
    async run(run) {
      const record = await (await run.client()).files.cancel(run.values[0] ?? '');
      run.result(shown(record), () => summary(record));
      return undefined;
    },
  },
  'files errors': {
    takes: '<id>',
    about: 'Print the errors of a bulk file row by row; with --json the error file itself.',
    options: {
      retry: { value: 'file', about: 'write the failed rows to this file instead, to fix them and upload them again' },
    },
    async run(run) {
      const client = await run.client();
      const record = await client.files.get(run.values[0] ?? '');
      const target = run.text('retry');
      const url = target === undefined ? record.error_url : record.retry_url;
      if (url === undefined) {
        say(`No row failed. The status is: ${record.status}.`);
        return false;
      }
      if (target !== undefined || run.is('json')) await save(await client.files.open(url), target);
      else {
        const hasOwnLines = !record.file_name.startsWith(SYNC_PREFIX);
        for await (const line of rowLines(await client.files.open(url), hasOwnLines)) print(line);
      }
      return undefined;
    },
  },
  report: {
    takes: '[type]',
    about: 'Create a report and print it. The type is ProductStatus (default) or Fingerprints.',
    options: { out: { value: 'file', about: 'write to this file instead of standard output' } },
    async run(run) {
      await save(await (await run.client()).report(run.values[0] ?? 'ProductStatus'), run.text('out'));
      return undefined;
    },
  },
};

export async function uploadAndFollow(
  client: Offerbook,
  type: FileType,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  bytes?: number,
): Promise<FileRecord> {
  const bar = progress();
  const share = (part: number) => (bytes ? ` ${Math.floor((100 * part) / bytes)} %` : '');
  let record = await client.files.upload({
    type,
    name,
    content: chunks,
    onRead: (read) => bar.show(`Sending ${read.toLocaleString('en-US')} bytes${share(read)}`),
  });
  try {
    for await (record of client.files.follow(fileIdOf(record))) {
      bar.show(`Processing: ${(record.rows_processed ?? 0).toLocaleString('en-US')} rows`);
    }
  } catch (error) {
    if (client.session.signal?.aborted !== true) throw error;
    throw new Interrupted(`Interrupted; the server still processes file ${fileIdOf(record)}.`);
  } finally {
    bar.end();
  }
  return record;
}

/** Without the signed links, which give access to the rows: `files errors` gets new ones. */
export function shown({ error_url, retry_url, ...record }: FileRecord): Partial<FileRecord> {
  return record;
}

/** The result of uploads. With --json, failures are said too, for the log of a nightly job. */
export function showRecords(run: Run, records: readonly FileRecord[], value: unknown): void {
  run.result(value, () => records.map(summary).join('\n'));
  if (!run.is('json')) return;
  for (const record of records) if (record.status !== SUCCEEDED) say(summary(record));
}

export function summary(record: FileRecord): string {
  const { status, file_type, rows_processed = 0, rows_failed = 0, ignored_fields = [], error_excerpt = [] } = record;
  const lines = [
    `File ${fileIdOf(record)} (${file_type}): ${status}. ${rowCount(rows_processed)} processed, ${rows_failed.toLocaleString('en-US')} failed.`,
    ...ignored_fields.map(({ field, rows }) => `  ${printable(field)}: unknown field, ignored in ${rowCount(rows)}.`),
    ...error_excerpt.map((text) => `  ${printable(text)}`),
  ];
  if (hasEnded(record) && rows_failed > 0) lines.push(`All errors: offerbook files errors ${fileIdOf(record)}`);
  return lines.join('\n');
}

function rowCount(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'row' : 'rows'}`;
}

async function save(stream: ReadableStream<Uint8Array>, file: string | undefined): Promise<void> {
  const sink =
    file === undefined
      ? new Writable({ write: (chunk, _encoding, done) => process.stdout.write(chunk, done) })
      : createWriteStream(file);
  await pipeline(Readable.fromWeb(stream as never), sink);
}

/** The server writes an error file with one row a line. */
async function* rowLines(stream: ReadableStream<Uint8Array>, hasOwnLines: boolean): AsyncGenerator<string> {
  const lines = createInterface({ input: Readable.fromWeb(stream as never), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (!line.startsWith('"')) continue;
    // The last one also ends the file.
    const object = line.endsWith(',') ? `{${line.slice(0, -1)}}` : `{${line}`;
    for (const [sku, row] of Object.entries(parseJson(object) as Record<string, RowErrors>)) {
      const { details, line: at, column } = row;
      const place = at === undefined || !hasOwnLines ? '' : ` (line ${at}, column ${column})`;
      yield `${sku === '' ? 'The file' : printable(sku)}${place}`;
      for (const { code, message } of details) yield `  ${printable(message)} [${code}]`;
    }
  }
}
