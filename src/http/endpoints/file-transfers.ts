/**
 * PUT /uploads/{file_id}, GET /files/{file_id}/errors.json and /files/{file_id}/retry.json: signed URLs, without
 * a token.
 */
import { LIMITS } from '../../domain/limits.ts';
import type { FileFormat } from '../../domain/vocabulary/file-types.ts';
import { readRowErrors } from '../../operations/files/read-row-errors.ts';
import { takeUpload } from '../../operations/files/take-upload.ts';
import type { Answer, SignedCall, SignedEndpoint } from '../endpoint.ts';
import { SIGNED_QUERY } from '../signed-query.ts';

const shared = { access: 'signed', tag: 'Files', query: SIGNED_QUERY } as const;
const minutes = LIMITS.signed_link_seconds / 60;

export const fileTransferEndpoints: readonly SignedEndpoint[] = [
  {
    ...shared,
    id: 'uploadFile',
    purpose: 'upload',
    method: 'PUT',
    path: '/uploads/{file_id}',
    summary: 'Upload a bulk file',
    description:
      `Send the file to the \`url\` of \`GET /files/uploadToken\`, unchanged and without a token, within ${minutes} minutes. ` +
      'The server detects the format (JSON, NDJSON or CSV) and gzip from the first bytes, and ignores the content headers.',
    transfer: {
      direction: 'in',
      description:
        'JSON: one object, `{"<SKU id>": <body of the individual call>, ...}`. NDJSON: each line is a body with the SKU id, ' +
        '`{"sku": "<SKU id>", ...}`. CSV: a header line, then one row per SKU; the docs list the columns.',
      types: ['application/json', 'application/x-ndjson', 'text/csv', 'application/gzip'],
    },
    failures: [404],
    handle: uploadAnswer,
  },
  {
    ...shared,
    id: 'getFileErrors',
    purpose: 'errors',
    method: 'GET',
    path: '/files/{file_id}/errors.json',
    summary: 'Download the errors of a bulk file',
    description: 'Use the `error_url` of the file record, unchanged and without a token.',
    transfer: {
      direction: 'out',
      description:
        'JSON: `{"<SKU id>": {"errors": [...], "details": [...], "line": n, "column": n, "byte_offset": n}, ...}`.',
      types: ['application/json'],
    },
    failures: [404],
    handle: (call) => rowsAnswer(call, 'errors'),
  },
  {
    ...shared,
    id: 'getFileRetry',
    purpose: 'retry',
    method: 'GET',
    path: '/files/{file_id}/retry.json',
    summary: 'Download the failed rows of a bulk file',
    description:
      'Use the `retry_url` of the file record, unchanged and without a token. Fix the rows and upload the file again.',
    transfer: {
      direction: 'out',
      description: 'A bulk file with the failed rows as you sent them, in the format of your file.',
      types: ['application/json', 'application/x-ndjson', 'text/csv'],
    },
    failures: [404],
    handle: (call) => rowsAnswer(call, 'retry'),
  },
];

async function uploadAnswer({ services, account, value, sent }: SignedCall): Promise<Answer> {
  const outcome = await takeUpload(services.files, account, value, sent);
  return outcome.ok ? { status: 201 } : outcome;
}

async function rowsAnswer({ services, account, value }: SignedCall, part: 'errors' | 'retry'): Promise<Answer> {
  const outcome = await readRowErrors(services.files, account, value, part);
  if (!outcome.ok) return outcome;
  const { format, ...file } = outcome.value;
  const { type, ending } = FORMATS[format];
  return { status: 200, file: { type: `${type}; charset=utf-8`, name: `${part}-${value}.${ending}`, ...file } };
}

const FORMATS: Readonly<Record<FileFormat, { readonly type: string; readonly ending: string }>> = {
  JSON: { type: 'application/json', ending: 'json' },
  NDJSON: { type: 'application/x-ndjson', ending: 'ndjson' },
  CSV: { type: 'text/csv', ending: 'csv' },
};
