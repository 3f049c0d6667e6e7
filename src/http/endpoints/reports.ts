/** POST /reports/ProductStatus, GET /reports/state/{report_id}, GET /reports/{report_id}/report.csv */
import Type from 'typebox';
import { OneOf } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import { openReport, readReport, requestReport } from '../../operations/files/reports.ts';
import { isoTime } from '../answers/iso-time.ts';
import type { Answer, Endpoint, MerchantCall, SignedCall } from '../endpoint.ts';
import { SIGNED_QUERY } from '../signed-query.ts';

const REPORT_TYPE = 'ProductStatus';
const tag = 'Reports';
const minutes = LIMITS.signed_link_seconds / 60;

export const reportEndpoints: readonly Endpoint[] = [
  {
    id: 'requestReport',
    method: 'POST',
    path: `/reports/${REPORT_TYPE}`,
    access: 'merchant',
    tag,
    summary: 'Ask for a report of all SKUs with status, price and stock',
    description:
      'Takes no body. The report is made in the background; `GET /reports/state/{report_id}` says when it is ready. Other ' +
      'reports than this one there are none.',
    answer: Type.Object({ report_id: Type.String() }),
    handle: requestReportAnswer,
  },
  {
    id: 'getReportState',
    method: 'GET',
    path: '/reports/state/{report_id}',
    access: 'merchant',
    tag,
    summary: 'See whether a report is ready',
    answer: Type.Object({
      report_id: Type.String(),
      report_type: OneOf([REPORT_TYPE]),
      report_status: OneOf(['Requested', 'Ready', 'Failed', 'Expired']),
      requested: Type.String({ description: 'ISO 8601, UTC.' }),
      processing_end: Type.Optional(Type.String({ description: 'ISO 8601, UTC; absent before.' })),
      expires: Type.Optional(
        Type.String({ description: `Of a report that was made, ${LIMITS.report_lifetime_days} days after its end.` }),
      ),
      report_url: Type.Optional(
        Type.String({ description: `csv, while it is ready; needs no token, good for ${minutes} minutes.` }),
      ),
    }),
    failures: [404],
    handle: reportStateAnswer,
  },
  {
    id: 'getReport',
    purpose: 'report',
    method: 'GET',
    path: '/reports/{report_id}/report.csv',
    access: 'signed',
    tag,
    query: SIGNED_QUERY,
    summary: 'Download a report',
    description: 'By the `report_url` of the report, as it is. Send no token.',
    transfer: {
      direction: 'out',
      description: 'RFC 4180, UTF-8, with a line of headings.',
      types: ['text/csv'],
    },
    failures: [404],
    handle: reportAnswer,
  },
];

async function requestReportAnswer({ services, account }: MerchantCall): Promise<Answer> {
  const outcome = await requestReport(services.files, account);
  return outcome.ok ? { status: 200, json: JSON.stringify({ report_id: outcome.value }) } : outcome;
}

async function reportStateAnswer({ services, account, value }: MerchantCall): Promise<Answer> {
  const outcome = await readReport(services.files, account, value);
  if (!outcome.ok) return outcome;
  const { report, status, expiresMs } = outcome.value;
  const { accountId, reportId, requestedMs, endedMs } = report;
  const nowMs = services.context.nowMs();
  const json = JSON.stringify({
    report_id: reportId,
    report_type: REPORT_TYPE,
    report_status: status,
    requested: isoTime(requestedMs),
    ...(endedMs === null ? {} : { processing_end: isoTime(endedMs) }),
    ...(expiresMs === null ? {} : { expires: isoTime(expiresMs) }),
    ...(status === 'Ready' ? { report_url: await services.links.sign('report', accountId, reportId, nowMs) } : {}),
  });
  return { status: 200, json, headers: { 'cache-control': 'no-store' } };
}

async function reportAnswer({ services, account, value }: SignedCall): Promise<Answer> {
  const outcome = await openReport(services.files, account, value);
  if (!outcome.ok) return outcome;
  const name = `${REPORT_TYPE}-${value}.csv`;
  return { status: 200, file: { type: 'text/csv; charset=utf-8; header=present', name, ...outcome.value } };
}
