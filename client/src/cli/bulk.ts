/** Commands for bulk files and reports. */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Problem } from '../errors.ts';
import { type FileContent, fileIdOf, hasEnded } from '../files.ts';
import { parseJson, toJson } from '../json.ts';
import type { Offerbook } from '../offerbook.ts';
import type { FileRecord, FileType } from '../types.ts';
import { type Commands, Interrupted, type Run } from './command.ts';
import { FILE_TYPES } from './part-table.ts';
import { readCatalog } from './sync/catalog.ts';
import { reportObjects } from './sync/report-rows.ts';
import { openFile, print, printable, progress, quoted, say, table } from './terminal.ts';
import { UsageError } from './usage.ts';

export const SUCCEEDED = 'Processed successfully';
const REPORT_TYPES = ['ProductStatus', 'Fingerprints', 'Offers'];
const SHOWN_DEFAULT = 20;
/** Prefix of the names of files that `sync` generates. Their line numbers differ from the user's file. */
export const SYNC_PREFIX = 'sync-';

export const NOT_SENT = 'not sent, because the SKU does not exist';

/** A row that the server refused. `sku` is empty for an error of the whole file. */
export interface RefusedRow {
  readonly sku: string;
  readonly details: readonly Problem[];
  readonly line?: number | undefined;
  readonly column?: number;
  /** Other parts that were not sent, because this row was refused and the SKU does not exist. */
  readonly not_sent?: readonly string[];
}

export const BULK_COMMANDS: Commands = {
  upload: {
    takes: '<file>',
    about:
      'Upload a bulk file and wait until its rows are processed. It is compressed during the upload. Use "-" for standard input. Exits with 1 if a row failed.',
    options: {
      type: { value: 'type', about: FILE_TYPES.join(', '), required: true },
      'validate-only': { about: 'check every row on the server, and write nothing' },
    },
    async run(run) {
      const [file = ''] = run.values;
      const { chunks, bytes } = await openFile(file);
      if (bytes !== undefined && (await isCatalog(chunks)))
        throw new UsageError(`${file} looks like a catalog. Send it with "offerbook-client sync ${file}".`);
      const client = await run.client();
      const content = bytes === undefined ? chunks : () => chunks;
      const type = run.text('type') as FileType;
      const validateOnly = run.is('validate-only');
      const record = await uploadAndFollow(client, type, path.basename(file), content, { bytes, validateOnly });
      showRecords(run, [record], shown(record));
      return record.status === SUCCEEDED;
    },
  },
  'files list': {
    takes: '',
    about: 'Print the uploaded bulk files, newest first.',
    options: { limit: { value: 'count', about: `number of files to print (default: ${SHOWN_DEFAULT})` } },
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
    about: 'Cancel a bulk file. Rows that were already applied stay applied.',
    async run(run) {
      const record = await (await run.client()).files.cancel(run.values[0] ?? '');
      run.result(shown(record), () => summary(record));
      return undefined;
    },
  },
  'files undo': {
    takes: '<id>',
    about:
      'Undo a finished bulk file: restore the values from before it. Offers that have changed since are skipped. Exits with 1 if any were skipped.',
    async run(run) {
      const { file, ...undone } = await (await run.client()).files.undo(run.values[0] ?? '');
      const { offers, skipped, skipped_skus: skus } = undone;
      const count = `${offers.toLocaleString('en-US')} restored, ${skipped.toLocaleString('en-US')} skipped.`;
      run.result({ ...undone, ...(file && { file: shown(file) }) }, () =>
        [
          file === undefined
            ? `Nothing to restore: ${count}`
            : `File ${fileIdOf(file)} restores earlier values: ${count}`,
          ...skus.map(({ sku, reason }) => `  ${printable(sku)}: ${reason.replaceAll('_', ' ')}`),
        ].join('\n'),
      );
      return skipped === 0;
    },
  },
  'files errors': {
    takes: '<id>',
    about: 'Print the errors of a bulk file row by row; with --json the error file itself.',
    options: {
      retry: { value: 'file', about: 'write the failed rows to this file instead, to fix them and upload them again' },
      catalog: { value: 'file', about: 'the catalog that was synced; errors then name its lines' },
    },
    async run(run) {
      const client = await run.client();
      const record = await client.files.get(run.values[0] ?? '');
      const target = run.text('retry');
      const url = target === undefined ? record.error_url : record.retry_url;
      if (url === undefined) {
        run.result(target === undefined ? {} : { id: fileIdOf(record), file: null }, () => '');
        say(`No row failed. The status is: ${record.status}.`);
        return false;
      }
      if (target !== undefined) {
        await save(await client.files.open(url), target);
        run.result({ id: fileIdOf(record), file: target }, () => '');
      } else if (run.is('json')) await save(await client.files.open(url));
      else {
        const catalog = run.text('catalog');
        const isGenerated = record.file_name.startsWith(SYNC_PREFIX) || catalog !== undefined;
        const lines = new Map<string, number>();
        if (catalog !== undefined) for await (const { id, line } of readCatalog(catalog)) lines.set(id, line);
        for await (const row of refusedRows(await client.files.open(url)))
          print(rowText(isGenerated ? { ...withoutPlace(row), line: lines.get(row.sku) } : row));
      }
      return undefined;
    },
  },
  report: {
    takes: '[type]',
    about:
      'Create a report and print it as CSV; with --json, as one object per line. The type is ProductStatus (default), Fingerprints or Offers.',
    options: {
      out: {
        value: 'file',
        about: 'write the CSV to this file instead of printing it; with --json, Offers are NDJSON',
      },
    },
    async run(run) {
      const type = run.values[0] ?? 'ProductStatus';
      if (!REPORT_TYPES.includes(type)) throw new UsageError(`The type must be one of: ${REPORT_TYPES.join(', ')}.`);
      const client = await run.client();
      const target = run.text('out');
      if (type === 'Offers')
        await save(await client.report(type, { format: run.is('json') ? 'NDJSON' : 'CSV' }), target);
      else if (target === undefined && run.is('json')) await save(jsonLines(reportObjects(client, type)));
      else await save(await client.report(type), target);
      if (target !== undefined) run.result({ type, file: target }, () => '');
      return undefined;
    },
  },
};

/** Returns whether the first line has a SKU id in `id`, where rows of bulk files never have it. Checks the first chunk only. */
async function isCatalog(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const chunk of chunks) {
    const [line = ''] = Buffer.from(chunk).toString('utf8').split('\n', 1);
    try {
      return typeof (parseJson(line) as { id?: unknown } | null)?.id === 'string';
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  }
  return false;
}

export async function uploadAndFollow(
  client: Offerbook,
  type: FileType,
  name: string,
  content: FileContent,
  { bytes, validateOnly = false }: { readonly bytes?: number | undefined; readonly validateOnly?: boolean } = {},
): Promise<FileRecord> {
  const bar = progress();
  const share = (part: number) => (bytes ? ` ${Math.floor((100 * part) / bytes)} %` : '');
  let record = await client.files.upload({
    type,
    name,
    content,
    validateOnly,
    onRead: (read) => bar.show(`Sending ${read.toLocaleString('en-US')} bytes${share(read)}`),
  });
  try {
    for await (record of client.files.follow(fileIdOf(record))) {
      bar.show(`Processing: ${(record.rows_processed ?? 0).toLocaleString('en-US')} rows`);
    }
  } catch (error) {
    if (client.session.signal?.aborted !== true) throw error;
    throw new Interrupted(`Interrupted; the server is still processing file ${fileIdOf(record)}.`);
  } finally {
    bar.end();
  }
  return record;
}

/** Removes the signed links, which give access to the rows. `files errors` gets new ones. */
export function shown({ error_url, retry_url, ...record }: FileRecord): Partial<FileRecord> {
  return record;
}

/** A file that `sync` generated from the lines of a catalog. */
export interface SyncedFile extends FileRecord {
  readonly catalog: string;
  /** The first rows that the server refused. */
  readonly refused: readonly RefusedRow[];
}

/** Prints the result of uploads. With --json, it also prints failures to standard error, for the log of a nightly job. */
export function showRecords(run: Run, records: readonly (FileRecord | SyncedFile)[], value: unknown): void {
  run.result(value, () => records.map(summary).join('\n'));
  if (!run.is('json')) return;
  for (const record of records) if (record.status !== SUCCEEDED) say(summary(record));
}

export function summary(record: FileRecord | SyncedFile): string {
  const { status, file_type, rows_processed = 0, rows_failed = 0, ignored_fields = [], validate_only } = record;
  const isSynced = 'catalog' in record && record.refused.length > 0;
  const errors = isSynced ? record.refused.flatMap(rowErrors) : (record.error_excerpt ?? []).map(printable);
  const lines = [
    `File ${fileIdOf(record)} (${file_type}): ${status}. ${rowCount(rows_processed)} processed, ${rows_failed.toLocaleString('en-US')} failed.${validate_only ? ' Nothing was written.' : ''}`,
    ...ignored_fields.map(({ field, rows }) => `  ${printable(field)}: unknown field, ignored in ${rowCount(rows)}.`),
    ...errors.map((text) => `  ${text}`),
  ];
  const option = isSynced ? ` --catalog ${quoted(record.catalog)}` : '';
  if (hasEnded(record) && rows_failed > 0)
    lines.push(`All errors: offerbook-client files errors ${fileIdOf(record)}${option}`);
  return lines.join('\n');
}

function rowCount(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'row' : 'rows'}`;
}

/** Writes to the file, or to standard output without one. */
async function save(
  content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>,
  file?: string,
): Promise<void> {
  const sink =
    file === undefined
      ? new Writable({ write: (chunk, _encoding, done) => process.stdout.write(chunk, done) })
      : createWriteStream(file);
  await pipeline(content as AsyncIterable<Uint8Array | string>, sink);
}

async function* jsonLines(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${toJson(value)}\n`;
}

/** Yields the rows of an error file, which the server writes with one row per line. */
export async function* refusedRows(stream: ReadableStream<Uint8Array>): AsyncGenerator<RefusedRow> {
  const input = Readable.fromWeb(stream as never);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (!line.startsWith('"')) continue;
      // The last line also ends the file.
      const object = line.endsWith(',') ? `{${line.slice(0, -1)}}` : `{${line}`;
      const rows = Object.entries(parseJson(object) as Record<string, Omit<RefusedRow, 'sku'>>);
      for (const [sku, row] of rows) yield { sku, ...row };
    }
  } finally {
    input.destroy();
  }
}

/** Removes the position of a row in a generated file, which the user never sees. */
export function withoutPlace({ sku, details }: RefusedRow): RefusedRow {
  return { sku, details };
}

function rowText({ sku, line, column, details }: RefusedRow): string {
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ];
  const head = `${sku === '' ? 'The file' : printable(sku)}${place.length === 0 ? '' : ` (${place.join(', ')})`}`;
  return [head, ...details.map(({ code, message }) => `  ${printable(message)} [${code}]`)].join('\n');
}

function rowErrors({ sku, line, details, not_sent = [] }: RefusedRow): string[] {
  const place = line === undefined ? '' : `line ${line}, `;
  const texts = details.map(({ message }) => printable(message));
  if (not_sent.length > 0) texts.push(`${NOT_SENT}: ${not_sent.join(', ')}.`);
  return texts.map((text) => `${place}${printable(sku)}: ${text}`);
}
