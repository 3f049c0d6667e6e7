/** Reads the record of a bulk file from an API answer. */
import type { FileStatus } from '../domain/vocabulary/file-types.ts';
import { ServerUnreachableError } from './api-failure.ts';

export interface FileRecord {
  readonly fileId: string;
  readonly type: string;
  readonly name: string;
  readonly status: FileStatus;
  /** ISO 8601. */
  readonly received: string;
  readonly rowsProcessed: number;
  readonly rowsFailed: number;
  readonly rowsSuperseded: number;
  readonly rowsWaiting: number;
  readonly bytesProcessed: number;
  readonly bytesTotal: number;
  /** Signed, valid for half an hour; undefined when no row failed. */
  readonly errorUrl: string | undefined;
  readonly retryUrl: string | undefined;
  /** The first errors. */
  readonly excerpt: readonly string[];
  /** Unrecognized fields of rows. */
  readonly ignoredFields: readonly IgnoredField[];
  /** The answer unchanged. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface IgnoredField {
  readonly field: string;
  readonly rows: number;
}

/** The operator may have renamed the first part of the field name. */
const ID_FIELD = /^[a-z][a-z0-9_]*_file_id$/;

function fileIdOf(json: Readonly<Record<string, unknown>>): string {
  const [, id] = Object.entries(json).find(([field]) => ID_FIELD.test(field)) ?? [];
  if (typeof id !== 'string')
    throw new ServerUnreachableError('The server did not return a file id. It may be another release.');
  return id;
}

export function readFileRecord(json: Readonly<Record<string, unknown>>): FileRecord {
  const text = (field: string) => (typeof json[field] === 'string' ? json[field] : '');
  const count = (field: string) => (typeof json[field] === 'number' ? json[field] : 0);
  const url = (field: string) => (typeof json[field] === 'string' ? json[field] : undefined);
  return {
    fileId: fileIdOf(json),
    type: text('file_type'),
    name: text('file_name'),
    status: text('status') as FileStatus,
    received: text('received'),
    rowsProcessed: count('rows_processed'),
    rowsFailed: count('rows_failed'),
    rowsSuperseded: count('rows_superseded'),
    rowsWaiting: count('rows_waiting'),
    bytesProcessed: count('bytes_processed'),
    bytesTotal: count('bytes_total'),
    errorUrl: url('error_url'),
    retryUrl: url('retry_url'),
    excerpt: Array.isArray(json.error_excerpt) ? json.error_excerpt.map(String) : [],
    ignoredFields: Array.isArray(json.ignored_fields) ? json.ignored_fields.map(ignoredFieldOf) : [],
    json,
  };
}

function ignoredFieldOf(json: { readonly field?: unknown; readonly rows?: unknown }): IgnoredField {
  return { field: String(json.field), rows: Number(json.rows) };
}

const UNFINISHED: readonly FileStatus[] = ['Acknowledged', 'Processing'];

export function hasEnded({ status }: FileRecord): boolean {
  return !UNFINISHED.includes(status);
}
