/**
 * PUT /uploads/{file_id}, GET /files/{file_id}/errors.json and /files/{file_id}/retry.json: signed URLs, without
 * a token.
 */
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { FileFormat } from '../../domain/vocabulary/file-types.ts';
import { readRowErrors } from '../../operations/files/read-row-errors.ts';
import { receiveUpload } from '../../operations/files/receive-upload.ts';
import { type Answer, endpointsOf, type Parameter, type SignedCall } from '../endpoint.ts';

const PART: Parameter = {
  description: 'Part of the signed URL. Use the URL as you received it.',
  schema: Type.String(),
  required: true,
};
/** The query of every signed URL; signed-links.ts defines its meaning. */
export const SIGNED_QUERY = { account: PART, expires: PART, key: PART, signature: PART };

const shared = { access: 'signed', tag: 'Files', query: SIGNED_QUERY } as const;
const minutes = LIMITS.signed_link_seconds / 60;

export const fileTransferEndpoints = endpointsOf(shared, {
  'PUT /uploads/{file_id}': {
    id: 'uploadFile',
    purpose: 'upload',
    summary: 'Upload a bulk file',
    description:
      `Send the file to the \`url\` of \`GET /files/uploadToken\`, unchanged and without a token, within ${minutes} minutes. ` +
      'The server detects the format (JSON, NDJSON or CSV) and gzip from the first bytes, and ignores the content headers.',
    transfer: {
      direction: 'in',
      description:
        'JSON: one object, `{"<SKU id>": <body of the individual call>, ...}`. NDJSON: each line is a body with the SKU id, ' +
        '`{"sku": "<SKU id>", ...}` (`merchant_sku` for the type Offers). CSV: a header line, then one row per SKU; the docs list the ' +
        'columns.',
      types: ['application/json', 'application/x-ndjson', 'text/csv', 'application/gzip'],
    },
    failures: [404],
    async handle({ services, account, targetId: fileId, sent }) {
      const outcome = await receiveUpload(services.files, account, fileId, sent);
      return outcome.ok ? { status: 201 } : outcome;
    },
  },
  'GET /files/{file_id}/errors.json': {
    id: 'getFileErrors',
    purpose: 'errors',
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
  'GET /files/{file_id}/retry.json': {
    id: 'getFileRetry',
    purpose: 'retry',
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
});

async function rowsAnswer(
  { services, account, targetId: fileId }: SignedCall,
  part: 'errors' | 'retry',
): Promise<Answer> {
  const outcome = await readRowErrors(services.files, account, fileId, part);
  if (!outcome.ok) return outcome;
  const { format, ...file } = outcome.value;
  const { type, ending } = FORMATS[format];
  return { status: 200, file: { type: `${type}; charset=utf-8`, name: `${part}-${fileId}.${ending}`, ...file } };
}

const FORMATS: Readonly<Record<FileFormat, { readonly type: string; readonly ending: string }>> = {
  JSON: { type: 'application/json', ending: 'json' },
  NDJSON: { type: 'application/x-ndjson', ending: 'ndjson' },
  CSV: { type: 'text/csv', ending: 'csv' },
};
