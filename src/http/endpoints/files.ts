/** GET /files/uploadToken, POST /files/uploaded, GET /files, GET /files/{file_id}, POST /files/{file_id}/undo and /cancel */
import { FileUploadedBody } from '../../domain/bodies/file-uploaded.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { nearestName } from '../../domain/check/near-names.ts';
import { OneOf, Text } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { PARTS_IN_OFFER } from '../../domain/offers/parts.ts';
import { type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { cancelFile, listFiles, readFile } from '../../operations/files/read-file.ts';
import { requestUpload, submitFile } from '../../operations/files/submit-file.ts';
import { LEFT_REASONS, type UndoneFile, undoFile } from '../../operations/files/undo-file.ts';
import { readPlan } from '../../operations/plans/apply-plan.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { FileRecord, fileRecord } from '../answers/file-json.ts';
import { type Answer, endpointsOf } from '../endpoint.ts';
import { PAGE_QUERY, parametersOf, type QueryReading, readListPage, readQuery } from '../query.ts';
import type { Services } from '../services.ts';

const shared = { access: 'merchant', needs: SCOPE.files, tag: 'Files' } as const;
const VALIDATE_ONLY = 'validate_only';

export const Undone = Type.Object(
  {
    offers: Type.Integer({ minimum: 0, description: 'Offers whose earlier values are restored.' }),
    skipped: Type.Integer({
      minimum: 0,
      description: 'Offers for which the undo does not restore every value that the file changed.',
    }),
    skipped_skus: Type.Array(
      Type.Object({
        sku: Type.String({ description: 'SKU id.' }),
        reason: OneOf(LEFT_REASONS, {
          description:
            '`changed_since`: changed again after the file. `offer_added`: the file added the SKU. `no_earlier_value`: the file added the part.',
        }),
        parts: Type.Optional(
          Type.Array(OneOf(PARTS_IN_OFFER.map(({ name }) => name)), {
            description: 'The parts that are skipped, if the undo restores the others.',
          }),
        ),
      }),
      { description: `The first ${LIMITS.undo_named_max} skipped offers.` },
    ),
    file: Type.Optional(FileRecord),
  },
  {
    title: 'UndoneFile',
    description: 'What an undo restores, and the file that restores it. Without offers, there is no file.',
  },
);

export const fileEndpoints = endpointsOf(shared, {
  'GET /files/uploadToken': {
    id: 'requestUpload',
    summary: 'Request an upload URL for a bulk file',
    description: 'Send the file with `PUT` to the `url`, without a token. Then submit it with `POST /files/uploaded`.',
    answer: Type.Object({
      url: Type.String({ description: 'Signed URL that accepts one file, once.' }),
      marketplace_file_id: Type.String({ description: 'Id of the file.' }),
      expires_in_seconds: Type.Integer({ description: 'Lifetime of the URL in seconds.' }),
    }),
    async handle({ services: { files, links, context }, account }) {
      const fileId = await requestUpload(files, account);
      const json = JSON.stringify({
        url: await links.sign('upload', account.accountId, fileId, context.nowMs()),
        [context.names.field('marketplace_file_id')]: fileId,
        expires_in_seconds: LIMITS.signed_link_seconds,
      });
      return { status: 200, json, headers: NOT_KEPT };
    },
  },
  'POST /files/uploaded': {
    id: 'receiveFile',
    summary: 'Submit an uploaded bulk file',
    description:
      'A file is JSON, NDJSON or CSV, plain or gzip. JSON: `{"<SKU id>": <body of the individual call>, ...}`. The server applies ' +
      'the rows in the background. A row never replaces data accepted after this call. Repeating the call returns the same record. With ' +
      '`validate_only=true`, rows are checked and nothing is written. To apply the file then, upload it again.',
    query: {
      [VALIDATE_ONLY]: {
        description: '`true` checks every row, reports the errors that it would get now, and writes nothing.',
        schema: Type.Boolean(),
      },
    },
    requestBody: FileUploadedBody,
    answer: FileRecord,
    failures: [404],
    async handle({ services, account, query, body }) {
      const asked = readQuery(query, (reading) => ({ validateOnly: readValidateOnly(reading, query) }));
      if ('problems' in asked) return asked;
      const checked = services.context.bodies.fileUploaded(body);
      if (!checked.ok) return checked;
      const fileId = services.links.uploadId(checked.value.url);
      // Only its maker may apply a plan, within its limits.
      const isPlan = fileId !== undefined && (await readPlan(services, account, fileId)).ok;
      if (isPlan) return refuseRequest('file_not_uploaded');
      const submitted = await submitFile(services.files, account, fileId, checked.value, asked);
      const answer = await recordAnswer(services, submitted);
      return { ...answer, ignored: checked.ignored };
    },
  },
  'GET /files': {
    id: 'listFiles',
    summary: 'List your bulk files, newest first',
    description: `Files are kept for ${LIMITS.file_retention_days} days. Follow the \`Link\` header with \`rel="next"\` to get the next page.`,
    query: {
      ...PAGE_QUERY,
      q: {
        description:
          'Lists only the file with this id, and files whose name contains this text. Case of letters A to Z is ignored.',
        schema: Text(LIMITS.file_name_characters_max),
      },
      [VALIDATE_ONLY]: {
        description: '`false` lists only files whose rows are applied, and `true` only files that are checked.',
        schema: Type.Boolean(),
      },
    },
    answer: Type.Object({
      files: Type.Array(FileRecord, { description: 'One page of files.' }),
      total: Type.Integer({ minimum: 0, description: 'Number of files on all pages.' }),
    }),
    async handle({ services, account, query }) {
      const asked = readQuery(query, (reading) => ({
        page: { ...readListPage(reading), search: reading.searchText('q', LIMITS.file_name_characters_max) },
        validateOnly: reading.oneOf(VALIDATE_ONLY, ['true', 'false']),
      }));
      if ('problems' in asked) return asked;
      const { page, validateOnly } = asked;
      const filter = validateOnly && { validateOnly: validateOnly === 'true' };
      const { files, total } = await listFiles(services.files, account, { ...page, ...filter });
      const next = page.offset + files.length;
      const found = page.search === '' ? '' : `&q=${encodeURIComponent(page.search)}`;
      const checked = validateOnly ? `&${VALIDATE_ONLY}=${validateOnly}` : '';
      const link = `<${services.publicUrl()}/files?offset=${next}&limit=${page.limit}${found}${checked}>; rel="next"`;
      const records = await Promise.all(files.map((file) => fileRecord(services, file)));
      return {
        status: 200,
        json: JSON.stringify({ files: records, total }),
        headers: files.length > 0 && next < total ? { ...NOT_KEPT, link } : NOT_KEPT,
      };
    },
  },
  'GET /files/{file_id}': {
    id: 'getFile',
    summary: 'Read the progress and result of a bulk file',
    description: 'Poll it every few seconds until `status` says that the file is processed, or follow `GET /events`.',
    answer: FileRecord,
    failures: [404],
    handle: async ({ services, account, targetId: fileId }) =>
      recordAnswer(services, await readFile(services.files, account, fileId)),
  },
  'POST /files/{file_id}/undo': {
    id: 'undoFile',
    summary: 'Undo a finished bulk file',
    description:
      'Send no body. Creates a bulk file with the values that offers had before the file, from their history, and submits it. Offers that ' +
      'have changed since are skipped, and so are SKUs that the file added. If offers are unarchived, a second file restores their stock.',
    answer: Undone,
    failures: [404],
    unhurried: true,
    async handle({ services, account, targetId: fileId }) {
      const undone = await undoFile(services, account, fileId);
      if (!undone.ok) return undone;
      return { status: 200, json: await undoneJson(services, undone.value), headers: NOT_KEPT };
    },
  },
  'POST /files/{file_id}/cancel': {
    id: 'cancelFile',
    summary: 'Cancel a bulk file',
    description: 'Send no body. Rows already applied stay applied. A file that has already finished does not change.',
    answer: FileRecord,
    failures: [404],
    handle: async ({ services, account, targetId: fileId }) =>
      recordAnswer(services, await cancelFile(services.files, account, fileId)),
  },
});

export async function undoneJson(services: Services, { offers, skipped, left, file }: UndoneFile): Promise<string> {
  return JSON.stringify({
    offers,
    skipped,
    skipped_skus: left.map(({ skuId, reason, parts }) => ({ sku: skuId, reason, parts })),
    ...(file === undefined ? {} : { file: await fileRecord(services, file) }),
  });
}

/** A misspelled name and an unclear value are refused: the file must not be applied. */
function readValidateOnly(reading: QueryReading, query: string): boolean {
  const isMisspelled = ({ name }: { readonly name: string }) =>
    name !== VALIDATE_ONLY && nearestName(name, [VALIDATE_ONLY]) !== undefined;
  if (parametersOf(query).some(isMisspelled)) reading.refuse(`${VALIDATE_ONLY}: the name is misspelled in the query.`);
  const value = reading.text(VALIDATE_ONLY) ?? 'false';
  if (!['true', 'false'].includes(value)) reading.refuse(`${VALIDATE_ONLY}: must be true or false.`);
  return value === 'true';
}

async function recordAnswer(services: Services, outcome: Outcome<BulkFile>): Promise<Answer> {
  if (!outcome.ok) return outcome;
  return { status: 200, json: JSON.stringify(await fileRecord(services, outcome.value)), headers: NOT_KEPT };
}
