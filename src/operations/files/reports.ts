/** Use cases: a merchant requests a report of all its offers, reads its state, and downloads it through a signed URL. */
import type { Account } from '../../domain/account.ts';
import type { Report } from '../../domain/bulk-files.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { reportName } from '../../files/file-storage.ts';
import { type FileContext, isFileId, RETENTION_MS } from './file-context.ts';
import { REPORT_LIFETIME_MS } from './kept-files.ts';
import type { ReadBytes } from './read-row-errors.ts';

export interface ReportReading {
  readonly report: Report;
  readonly status: Report['status'] | 'Expired';
  /** When the report expires; null before it is ready. */
  readonly expiresMs: number | null;
}

/** Returns the id of the report, which is created in the background. */
export async function requestReport(
  { store, nowMs, onFileReceived }: FileContext,
  { accountId }: Account,
  report: Pick<Report, 'type' | 'format'> & Partial<Pick<Report, 'feedCursor'>>,
  reportId: string,
): Promise<Outcome<string>> {
  const added = await store.reports.addReport({ ...report, accountId, reportId }, nowMs(), LIMITS.reports_waiting_max);
  if (added === 'too_many') {
    const text = `Too many reports are pending (${LIMITS.reports_waiting_max}). Wait for one to finish.`;
    return refuseRequest('reports_too_many', text);
  }
  onFileReceived();
  return accept(reportId);
}

export async function readReport(
  { store, nowMs }: FileContext,
  { accountId }: Account,
  reportId: string,
): Promise<Outcome<ReportReading>> {
  const report = isFileId(reportId) ? await store.reports.readReport(accountId, reportId) : undefined;
  if (report === undefined || report.requestedMs + RETENTION_MS <= nowMs()) return refuseRequest('report_not_found');
  const expiresMs = report.status === 'Ready' && report.endedMs !== null ? report.endedMs + REPORT_LIFETIME_MS : null;
  const isExpired = expiresMs !== null && expiresMs <= nowMs();
  return accept({ report, status: isExpired ? 'Expired' : report.status, expiresMs });
}

/** Returns the lines of the report. */
export async function openReport(
  context: FileContext,
  account: Account,
  reportId: string,
): Promise<Outcome<ReadBytes & Pick<Report, 'type' | 'format'>>> {
  const read = await readReport(context, account, reportId);
  if (!read.ok) return read;
  const { report, status } = read.value;
  const name = reportName(report);
  const bytes = status === 'Ready' ? await context.storage.size(name) : undefined;
  if (bytes === undefined) return refuseRequest('report_not_found');
  return accept({ bytes, open: () => context.storage.read(name, 0, bytes), type: report.type, format: report.format });
}
