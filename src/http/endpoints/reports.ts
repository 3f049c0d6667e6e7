/** POST /reports/ProductStatus, POST /reports/Fingerprints, POST /reports/Offers, GET /reports/state/{report_id}, GET /reports/files/{report_id}/report.csv */
import type { Report } from '../../domain/bulk-files.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import {
  REPORT_FORMATS,
  REPORT_TYPES,
  type ReportFormat,
  type ReportType,
} from '../../domain/vocabulary/file-types.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { openReport, type ReportReading, readReport, requestReport } from '../../operations/files/reports.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { type Answer, endpointsOf, type MerchantCall } from '../endpoint.ts';
import { readQuery } from '../query.ts';
import { SIGNED_QUERY } from './file-transfers.ts';

const ReportId = Type.String({ description: 'Id of the report.' });
const RequestedReport = Type.Object(
  { report_id: ReportId },
  { title: 'RequestedReport', description: 'A report that the server creates in the background.' },
);
const minutes = LIMITS.signed_link_seconds / 60;

export const REPORT_STATUSES = Object.freeze(['Requested', 'Ready', 'Failed', 'Expired'] as const);

/** Fields that the states of reports and exports share. */
export const ProgressFields = {
  requested: Type.String({ format: 'date-time', description: 'When the report was requested.' }),
  processing_end: Type.Optional(
    Type.String({ format: 'date-time', description: 'When the report was finished. Absent until then.' }),
  ),
  expires: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `When the report expires, ${LIMITS.report_lifetime_days} days after it was finished. Absent until then.`,
    }),
  ),
};

const shared = { access: 'merchant', needs: SCOPE.read, tag: 'Reports' } as const;

export const reportEndpoints = endpointsOf(shared, {
  'POST /reports/ProductStatus': {
    id: 'requestReport',
    summary: 'Request a report of all SKUs with status, price and stock',
    description:
      'Send no body. The server creates the report in the background; `GET /reports/state/{report_id}` returns its state.',
    answer: RequestedReport,
    handle: (call) => requestReportAnswer(call, 'ProductStatus'),
  },
  'POST /reports/Fingerprints': {
    id: 'requestFingerprints',
    summary: 'Request a report of all SKUs with a hash of each part',
    description:
      'Compare the hashes with those of your own catalog to find what differs. Send no body. The server creates the report in the ' +
      'background; `GET /reports/state/{report_id}` returns its state.',
    answer: RequestedReport,
    handle: (call) => requestReportAnswer(call, 'Fingerprints'),
  },
  'POST /reports/Offers': {
    id: 'requestOffers',
    summary: 'Request a report of all SKUs with all their parts',
    description:
      'The report can be uploaded unchanged as a bulk file of type `Offers`. NDJSON has a line in the form of `GET …/offer` for each SKU; ' +
      'CSV has the columns of bulk files. Send no body. The server creates the report in the background; `GET /reports/state/{report_id}` returns ' +
      'its state.',
    query: { format: { description: 'Format of the report. The default is NDJSON.', schema: OneOf(REPORT_FORMATS) } },
    answer: RequestedReport,
    async handle(call) {
      const asked = readQuery(call.query, (reading) => ({
        format: reading.oneOf('format', REPORT_FORMATS) ?? 'NDJSON',
      }));
      return 'problems' in asked ? asked : requestReportAnswer(call, 'Offers', asked.format);
    },
  },
  'GET /reports/state/{report_id}': {
    id: 'getReportState',
    summary: 'Read the state of a report',
    description: 'Poll it every few seconds until the report is ready; the response then has its URL.',
    answer: Type.Object({
      report_id: ReportId,
      report_type: OneOf(REPORT_TYPES, { description: 'Report type.' }),
      report_format: Type.Optional(
        OneOf(REPORT_FORMATS, { description: 'Format of the report. Only for the type Offers.' }),
      ),
      report_status: OneOf(REPORT_STATUSES, {
        description: 'Download the report when it is Ready.',
      }),
      ...ProgressFields,
      report_url: Type.Optional(
        Type.String({
          description: `Signed URL for the report. Requires no token and is valid for ${minutes} minutes. Present while the report is Ready.`,
        }),
      ),
    }),
    failures: [404],
    async handle({ services, account, targetId }) {
      const outcome = await readReport(services.files, account, targetId);
      if (!outcome.ok) return outcome;
      const { report, status } = outcome.value;
      const { accountId, reportId } = report;
      const nowMs = services.context.nowMs();
      const json = JSON.stringify({
        report_id: reportId,
        report_type: report.type,
        ...(report.type === 'Offers' ? { report_format: report.format } : {}),
        report_status: status,
        ...progressOf(outcome.value),
        ...(status === 'Ready' ? { report_url: await services.links.sign('report', accountId, reportId, nowMs) } : {}),
      });
      return { status: 200, json, headers: NOT_KEPT };
    },
  },
});

const signed = { access: 'signed', tag: 'Reports', query: SIGNED_QUERY } as const;

export const reportFileEndpoints = endpointsOf(signed, {
  'GET /reports/files/{report_id}/report.csv': {
    id: 'getReport',
    purpose: 'report',
    summary: 'Download a report',
    description: 'Use the `report_url` of the report, unchanged and without a token.',
    transfer: {
      direction: 'out',
      description:
        'CSV (RFC 4180) in UTF-8 with a header line. The report Offers is NDJSON unless CSV was requested. Exports of the storefront are ' +
        'compressed with gzip.',
      types: ['text/csv', 'application/x-ndjson', 'application/gzip'],
    },
    failures: [404],
    async handle({ services, account, targetId: reportId }) {
      const outcome = await openReport(services.files, account, reportId);
      if (!outcome.ok) return outcome;
      const { type, format, ...file } = outcome.value;
      const { mediaType, ending } = downloadOf({ type, format });
      return { status: 200, file: { type: mediaType, name: `${type}-${reportId}.${ending}`, ...file } };
    },
  },
});

const ENDINGS: Readonly<Record<Report['format'], string>> = {
  CSV: 'csv',
  NDJSON: 'ndjson',
  'google-xml': 'xml',
  'google-tsv': 'tsv',
  acp: 'jsonl',
};
const MEDIA_TYPES: Readonly<Record<ReportFormat, string>> = {
  CSV: 'text/csv; charset=utf-8; header=present',
  NDJSON: 'application/x-ndjson; charset=utf-8',
};

function downloadOf({ type, format }: Pick<Report, 'type' | 'format'>) {
  if (type === 'Storefront') return { mediaType: 'application/gzip', ending: `${ENDINGS[format]}.gz` };
  return { mediaType: MEDIA_TYPES[format as ReportFormat], ending: ENDINGS[format] };
}

/** Returns the fields that the states of reports and exports share. */
export function progressOf({ report, expiresMs }: ReportReading) {
  const { requestedMs, endedMs } = report;
  return {
    requested: isoTime(requestedMs),
    ...(endedMs === null ? {} : { processing_end: isoTime(endedMs) }),
    ...(expiresMs === null ? {} : { expires: isoTime(expiresMs) }),
  };
}

async function requestReportAnswer(
  { services, account, newId }: MerchantCall,
  type: ReportType,
  format: ReportFormat = 'CSV',
): Promise<Answer> {
  const outcome = await requestReport(services.files, account, { type, format }, newId());
  return outcome.ok ? { status: 200, json: JSON.stringify({ report_id: outcome.value }) } : outcome;
}
