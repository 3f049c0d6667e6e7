/**
 * Builds the record of a bulk file for merchants: its progress, its rate and estimated end, and links to its errors.
 */
import Type from 'typebox';
import { OneOf } from '../../domain/check/schema.ts';
import { NO_PROGRESS } from '../../domain/file-progress.ts';
import { LIMITS } from '../../domain/limits.ts';
import { FILE_STATUSES, FILE_TYPES } from '../../domain/vocabulary/file-types.ts';
import type { BulkFile } from '../../store/port/files.ts';
import type { Services } from '../services.ts';
import { isoTime } from './iso-time.ts';

const Time = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const minutes = LIMITS.signed_link_seconds / 60;

export const FileRecord = Type.Object({
  marketplace_file_id: Type.String(),
  url: Type.String({ description: 'Where it was uploaded to; no longer good for an upload.' }),
  file_type: OneOf(FILE_TYPES),
  file_name: Type.String(),
  status: OneOf(FILE_STATUSES),
  received: Time('When it was handed over: its rows have their place in the order of writes from here.'),
  processing_start: Type.Optional(Time('Absent before.')),
  processing_end: Type.Optional(Time('Absent before.')),
  rows_processed: Count('All that are done with, the failed and the superseded ones included.'),
  rows_failed: Count('Each is named in the errors.'),
  rows_superseded: Count('Changed nothing, because something newer was accepted meanwhile. No error.'),
  rows_waiting: Count('Set aside until an earlier file of SKUs is done, with later rows of the same SKUs.'),
  bytes_processed: Count('Of the file as it was uploaded.'),
  bytes_total: Count('Of the file as it was uploaded.'),
  rows_per_second: Type.Optional(Type.Number({ description: 'Since the processing began; absent before.' })),
  estimated_end: Type.Optional(Time('By the rate so far; only while it is processing.')),
  ignored_fields: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), rows: Count('That have it.') }), {
      description:
        'Fields that rows have and no rule knows, misspelt ones maybe; the first 20. Only where there are any.',
    }),
  ),
  error_count: Type.Optional(
    Count('Rows that failed, and faults of the file as a whole. Only when there are errors, as the three that follow.'),
  ),
  error_excerpt: Type.Optional(Type.Array(Type.String(), { description: 'The first 10.' })),
  error_url: Type.Optional(
    Type.String({ description: `JSON of all errors by SKU id; needs no token, good for ${minutes} minutes.` }),
  ),
  retry_url: Type.Optional(
    Type.String({ description: `The failed rows as they were sent, to be fixed; good for ${minutes} minutes.` }),
  ),
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
    ...(progress.ignoredFields === NO_PROGRESS.ignoredFields
      ? {}
      : { ignored_fields: JSON.parse(progress.ignoredFields) }),
    ...(await errors(services, file, nowMs)),
  };
}

function pace({ status, startedMs, endedMs, bytes, progress }: BulkFile, nowMs: number): Record<string, unknown> {
  if (startedMs === null) return {};
  const elapsed_ms = Math.max(1, (endedMs ?? nowMs) - startedMs);
  const rows_per_second = Math.round((progress.rowsProcessed / elapsed_ms) * 1_000_000) / 1000;
  const { phase, bytesRead } = progress;
  // A file that waits for another one ends after it, which cannot be estimated.
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
    // Includes rows beyond the error file. A file that could not be read to its end has one error that belongs to no
    // row.
    error_count: progress.rowsFailed + progress.fileFaults,
    error_excerpt: JSON.parse(progress.errorExcerpt),
    error_url: await links.sign('errors', accountId, fileId, nowMs),
    ...(progress.retryBytes === 0 ? {} : { retry_url: await links.sign('retry', accountId, fileId, nowMs) }),
  };
}
