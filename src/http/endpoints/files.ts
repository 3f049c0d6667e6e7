/** GET /files/uploadToken, POST /files/uploaded, GET /files, GET /files/{file_id}, POST /files/{file_id}/cancel */
import { FileUploadedBody } from '../../domain/bodies/file-uploaded.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { Text } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { cancelFile, listFiles, readFile } from '../../operations/files/read-file.ts';
import { receiveFile } from '../../operations/files/receive-file.ts';
import { requestUpload } from '../../operations/files/request-upload.ts';
import { FileRecord, fileRecord } from '../answers/file-json.ts';
import { PAGE_QUERY, readListPage } from '../answers/list-page.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { QueryReading } from '../query.ts';
import type { Services } from '../services.ts';

/** The response contains signed URLs, which are secrets until they expire. */
const NOT_KEPT = Object.freeze({ 'cache-control': 'no-store' });

const shared = { access: 'merchant', tag: 'Files' } as const;

export const fileEndpoints: readonly MerchantEndpoint[] = [
  {
    ...shared,
    id: 'requestUpload',
    method: 'GET',
    path: '/files/uploadToken',
    summary: 'Request an upload URL for a bulk file',
    description: 'Send the file with `PUT` to the `url`, without a token. Then submit it with `POST /files/uploaded`.',
    answer: Type.Object({
      url: Type.String({ description: 'Signed URL that accepts one file, once.' }),
      marketplace_file_id: Type.String({ description: 'Id of the file.' }),
      expires_in_seconds: Type.Integer({ description: 'Lifetime of the URL in seconds.' }),
    }),
    handle: requestUploadAnswer,
  },
  {
    ...shared,
    id: 'receiveFile',
    method: 'POST',
    path: '/files/uploaded',
    summary: 'Submit an uploaded bulk file',
    description:
      'A file is JSON, NDJSON or CSV, plain or gzip. JSON: `{"<SKU id>": <body of the individual call>, ...}`. The server applies ' +
      'the rows in the background. A row never replaces data accepted after this call. Repeating the call returns the same record.',
    requestBody: FileUploadedBody,
    answer: FileRecord,
    failures: [404],
    handle: receiveFileAnswer,
  },
  {
    ...shared,
    id: 'listFiles',
    method: 'GET',
    path: '/files',
    summary: 'List your bulk files, newest first',
    description: `Files are kept for ${LIMITS.file_retention_days} days. Follow the \`Link\` header with \`rel="next"\` to get the next page.`,
    query: {
      ...PAGE_QUERY,
      q: {
        description:
          'Lists only the file with this id, and files whose name contains this text. Case of letters A to Z is ignored.',
        schema: Text(LIMITS.file_name_characters_max),
      },
    },
    answer: Type.Object({
      files: Type.Array(FileRecord, { description: 'One page of files.' }),
      total: Type.Integer({ minimum: 0, description: 'Number of files on all pages.' }),
    }),
    handle: listFilesAnswer,
  },
  {
    ...shared,
    id: 'getFile',
    method: 'GET',
    path: '/files/{file_id}',
    summary: 'Read the progress and result of a bulk file',
    answer: FileRecord,
    failures: [404],
    handle: async ({ services, account, value }) =>
      recordAnswer(services, await readFile(services.files, account, value)),
  },
  {
    ...shared,
    id: 'cancelFile',
    method: 'POST',
    path: '/files/{file_id}/cancel',
    summary: 'Cancel a bulk file',
    description: 'Send no body. Rows already applied stay applied. A file that has already finished does not change.',
    answer: FileRecord,
    failures: [404],
    handle: async ({ services, account, value }) =>
      recordAnswer(services, await cancelFile(services.files, account, value)),
  },
];

async function requestUploadAnswer({ services, account }: MerchantCall): Promise<Answer> {
  const { files, links, context } = services;
  const fileId = await requestUpload(files, account);
  const json = JSON.stringify({
    url: await links.sign('upload', account.accountId, fileId, context.nowMs()),
    [context.names.field('marketplace_file_id')]: fileId,
    expires_in_seconds: LIMITS.signed_link_seconds,
  });
  return { status: 200, json, headers: NOT_KEPT };
}

async function receiveFileAnswer({ services, account, body }: MerchantCall): Promise<Answer> {
  const checked = services.context.bodies.fileUploaded(body);
  if (!checked.ok) return checked;
  const fileId = services.links.uploadId(checked.value.url);
  const answer = await recordAnswer(services, await receiveFile(services.files, account, fileId, checked.value));
  return { ...answer, ignored: checked.ignored };
}

async function listFilesAnswer({ services, account, query }: MerchantCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const page = readListPage(reading);
  const search = reading.searchText('q', LIMITS.file_name_characters_max);
  if (reading.problems.length > 0) return { problems: reading.problems };
  const { files, total } = await listFiles(services.files, account, { ...page, search });
  const next = page.offset + files.length;
  const found = search === '' ? '' : `&q=${encodeURIComponent(search)}`;
  const link = `<${services.publicUrl()}/files?offset=${next}&limit=${page.limit}${found}>; rel="next"`;
  const records = await Promise.all(files.map((file) => fileRecord(services, file)));
  return {
    status: 200,
    json: JSON.stringify({ files: records, total }),
    headers: files.length > 0 && next < total ? { ...NOT_KEPT, link } : NOT_KEPT,
  };
}

async function recordAnswer(services: Services, outcome: Outcome<BulkFile>): Promise<Answer> {
  if (!outcome.ok) return outcome;
  return { status: 200, json: JSON.stringify(await fileRecord(services, outcome.value)), headers: NOT_KEPT };
}
