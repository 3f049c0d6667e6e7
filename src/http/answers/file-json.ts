/**
 * Builds the record of a bulk file for merchants: its progress, its rate and estimated end, and links to its errors.
 */
import { FileTypeSchema } from '../../domain/bodies/file-uploaded.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { COMPRESSIONS, FILE_FORMATS, FILE_STATUSES } from '../../domain/vocabulary/file-types.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import type { Services } from '../services.ts';

const Time = (description: string) => Type.String({ format: 'date-time', description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const minutes = LIMITS.signed_link_seconds / 60;

const fileFields = {
  marketplace_file_id: Type.String({ description: 'Id of the file.' }),
  url: Type.String({ description: 'URL that the file was uploaded to. It accepts no further upload.' }),
  file_type: FileTypeSchema,
  file_name: Type.String({ description: 'The name that you gave the file.' }),
  format: Type.Optional(OneOf(FILE_FORMATS, { description: 'Detected format. Absent before processing starts.' })),
  compression: Type.Optional(
    OneOf(COMPRESSIONS, { description: 'Detected compression. Absent before processing starts.' }),
  ),
  validate_only: Type.Optional(
    Type.Boolean({ description: 'True if rows are only checked, and nothing is written. Absent for other files.' }),
  ),
  status: OneOf(FILE_STATUSES, { description: 'Processing status of the file. The last three values are final.' }),
  received: Time('When the file was submitted. Its rows count as written at this time.'),
  processing_start: Type.Optional(Time('When processing started. Absent before processing starts.')),
  processing_end: Type.Optional(Time('When processing ended. Absent until then.')),
  rows_processed: Count('Rows processed so far, including failed and superseded rows.'),
  rows_failed: Count('Rows that failed, including rows that did not fit into the error file.'),
  rows_superseded: Count('Rows that changed nothing because newer data was accepted first. They are not errors.'),
  rows_waiting: Count(
    'Rows deferred until an earlier file that may add their SKUs is processed, and later rows for the same SKUs.',
  ),
  bytes_processed: Count('Bytes of the uploaded file processed so far.'),
  bytes_total: Count('Size of the uploaded file in bytes.'),
  rows_per_second: Type.Optional(
    Type.Number({ description: 'Average rows per second since processing started. Absent before processing starts.' }),
  ),
  estimated_end: Type.Optional(
    Time('Estimated time at which processing ends, from the rate so far. Present only while rows are read.'),
  ),
  ignored_fields: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String({ description: 'JSON pointer to the field; `*` stands for any index.' }),
        rows: Count('Number of rows with this field.'),
      }),
      { description: 'The first 20 unknown fields in rows, such as misspelled names. Absent when there are none.' },
    ),
  ),
  error_count: Type.Optional(
    Count('Number of failed rows plus errors that concern the whole file. Absent when there are none.'),
  ),
  error_excerpt: Type.Optional(
    Type.Array(Type.String(), { description: 'The first 10 errors. Absent when there are none.' }),
  ),
  error_url: Type.Optional(
    Type.String({
      description: `Signed URL for the error file: a JSON object with the errors by SKU id. When it is full, further failed rows are only counted. Requires no token and is valid for ${minutes} minutes.`,
    }),
  ),
  retry_url: Type.Optional(
    Type.String({
      description: `Signed URL for the retry file: the failed rows as you sent them, in the same format, until the file is full. Requires no token and is valid for ${minutes} minutes.`,
    }),
  ),
};

export const FileRecord = Type.Object(fileFields, {
  title: 'FileRecord',
  description: 'A bulk file and its progress.',
});

export async function fileRecord(services: Services, file: BulkFile): Promise<Record<string, unknown>> {
  const { links, context } = services;
  const { fileId, progress } = file;
  const nowMs = context.nowMs();
  return {
    [context.names.field('marketplace_file_id')]: fileId,
    url: links.address('upload', fileId),
    file_type: file.type,
    file_name: file.name,
    ...(progress.format === '' ? {} : { format: progress.format }),
    ...(progress.compression === '' ? {} : { compression: progress.compression }),
    ...(file.validateOnly ? { validate_only: true } : {}),
    status: file.status,
    received: isoTime(file.receivedMs),
    ...(file.startedMs === null ? {} : { processing_start: isoTime(file.startedMs) }),
    ...(file.endedMs === null ? {} : { processing_end: isoTime(file.endedMs) }),
    rows_processed: progress.rowsProcessed,
    rows_failed: progress.rowsFailed,
    rows_superseded: progress.rowsSuperseded,
    rows_waiting: progress.rowsWaiting,
    bytes_processed: progress.bytesRead,
    bytes_total: file.bytes,
    ...pace(file, nowMs),
    ...(progress.ignoredFields.length === 0 ? {} : { ignored_fields: progress.ignoredFields }),
    ...(await errors(services, file, nowMs)),
  };
}

function pace({ status, startedMs, endedMs, bytes, progress }: BulkFile, nowMs: number): Record<string, unknown> {
  if (startedMs === null) return {};
  const elapsed_ms = Math.max(1, (endedMs ?? nowMs) - startedMs);
  const rows_per_second = Math.round((progress.rowsProcessed / elapsed_ms) * 1_000_000) / 1000;
  const { phase, bytesRead } = progress;
  // The end of a file that waits for another one cannot be estimated.
  if (status !== 'Processing' || phase !== 'rows' || bytesRead === 0) return { rows_per_second };
  const left_ms = (elapsed_ms / bytesRead) * Math.max(0, bytes - bytesRead);
  return { rows_per_second, estimated_end: isoTime(Math.round(nowMs + left_ms)) };
}

async function errors(
  { links }: Services,
  { accountId, fileId, progress }: BulkFile,
  nowMs: number,
): Promise<Record<string, unknown>> {
  if (progress.errorBytes === 0) return {};
  return {
    // Includes failed rows that did not fit in the error file. A file that could not be read to the end has one error
    // that belongs to no row.
    error_count: progress.rowsFailed + progress.fileFaults,
    error_excerpt: progress.errorExcerpt,
    error_url: await links.sign('errors', accountId, fileId, nowMs),
    ...(progress.retryBytes === 0 ? {} : { retry_url: await links.sign('retry', accountId, fileId, nowMs) }),
  };
}
