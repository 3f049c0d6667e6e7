/** POST /storefront/exports, GET /storefront/exports/{export_id} */
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { EXPORT_FORMATS } from '../../domain/vocabulary/file-types.ts';
import { readReport } from '../../operations/files/reports.ts';
import { requestExport } from '../../operations/storefront/exports.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { readQuery } from '../query.ts';
import { ProgressFields, progressOf, REPORT_STATUSES } from './reports.ts';

const minutes = LIMITS.signed_link_seconds / 60;
const ExportId = Type.String({ description: 'Id of the export.' });
const next = Type.String({
  description: 'Cursor for the changes after the export: send it as `after` to `GET /storefront/events`.',
});
const shared = { access: 'marketplace', needs: SCOPE.storefront, tag: 'Storefront' } as const;

export const storefrontExportEndpoints = endpointsOf(shared, {
  'POST /storefront/exports': {
    id: 'requestStorefrontExport',
    summary: 'Export all products with all their offers',
    description:
      'Send no body. The server writes a file compressed with gzip in the background; `GET /storefront/exports/{export_id}` returns its ' +
      'state. NDJSON has each product in one line, as `GET /storefront/products/{product_code}` returns it; the other formats are product ' +
      'feeds. Products that change while the file is written have their old or their new state, so read the changes from `next` on: they ' +
      'lead to the present state. While the offers of a merchant are still being added to the storefront, as after it was turned on, the ' +
      'response is 503 `storefront_incomplete`.',
    query: { format: { description: 'Format of the export. The default is NDJSON.', schema: OneOf(EXPORT_FORMATS) } },
    answer: Type.Object(
      { export_id: ExportId, next },
      { title: 'RequestedExport', description: 'An export that the server creates in the background.' },
    ),
    failures: [404],
    async handle({ services, account, query, newId }) {
      const asked = readQuery(query, (reading) => ({ format: reading.oneOf('format', EXPORT_FORMATS) ?? 'NDJSON' }));
      if ('problems' in asked) return asked;
      const outcome = await requestExport(services.storefront, services.files, account, asked.format, newId());
      if (!outcome.ok) return outcome;
      const { reportId, feedCursor } = outcome.value;
      return { status: 200, json: JSON.stringify({ export_id: reportId, next: feedCursor }) };
    },
  },
  'GET /storefront/exports/{export_id}': {
    id: 'getStorefrontExport',
    summary: 'Read the state of an export',
    description:
      'Poll it every few seconds until the export is ready; the response then has its URL, and the cursor of the changes after it.',
    answer: Type.Object({
      export_id: ExportId,
      format: OneOf(EXPORT_FORMATS, { description: 'Format of the export.' }),
      status: OneOf(REPORT_STATUSES, { description: 'Download the export when it is Ready.' }),
      ...ProgressFields,
      next,
      url: Type.Optional(
        Type.String({
          description: `Signed URL for the export. Requires no token and is valid for ${minutes} minutes. Present while the export is Ready.`,
        }),
      ),
    }),
    failures: [404],
    async handle({ services, account, targetId }) {
      const outcome = await readReport(services.files, account, targetId);
      if (!outcome.ok) return outcome;
      const { report, status } = outcome.value;
      const { accountId, reportId, format, feedCursor } = report;
      const nowMs = services.context.nowMs();
      const json = JSON.stringify({
        export_id: reportId,
        format,
        status,
        ...progressOf(outcome.value),
        next: feedCursor,
        ...(status === 'Ready' ? { url: await services.links.sign('report', accountId, reportId, nowMs) } : {}),
      });
      return { status: 200, json, headers: NOT_KEPT };
    },
  },
});
