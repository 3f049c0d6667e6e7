/** Port of reports: their records and the rows they are made from. */
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { NodeQuantity, RecordPage } from './parts.ts';

export const REPORT_KIND = 'report';

export interface Report {
  readonly accountId: number;
  readonly reportId: string;
  readonly requestedMs: number;
  readonly status: 'Requested' | 'Ready' | 'Failed';
  readonly endedMs: number | null;
  readonly bytes: number;
}

/** One line of the report ProductStatus. */
export interface ReportRow {
  readonly skuId: string;
  /** Empty where the document has none. */
  readonly title: string;
  /** Of the last review; null before the first. */
  readonly status: Status | null;
  readonly subStatuses: readonly SubStatus[];
  readonly price: number | null;
  /** In order of node id. */
  readonly nodes: readonly NodeQuantity[];
  readonly documentUpdatedMs: number;
  readonly priceUpdatedMs: number | null;
  /** Of the node that was written last; null without any. */
  readonly inventoryUpdatedMs: number | null;
}

export interface ReportStore {
  /** Announces the work. `too_many`: so many of the account are not made yet. */
  addReport(accountId: number, reportId: string, nowMs: number, waiting_max: number): Promise<'stored' | 'too_many'>;
  readReport(accountId: number, reportId: string): Promise<Report | undefined>;
  /** In the order in which they were asked for, by the times given, then by id. */
  listRequestedReports(accountId: number, limit: number): Promise<readonly Report[]>;
  /** `repeated`: it was ended before, and stays as it is. `gone`: nobody will ever read it. */
  endReport(
    report: Report,
    status: 'Ready' | 'Failed',
    bytes: number,
    nowMs: number,
  ): Promise<'stored' | 'repeated' | 'gone'>;
  /** Some of the reports, over all accounts, that were asked for before `beforeMs`; for retention. */
  listReportsBefore(beforeMs: number, limit: number): Promise<readonly Report[]>;
  dropReport(accountId: number, reportId: string): Promise<void>;
  /** In order of first upload, from behind `after`, which is 0 or the `next` of the page before; see RecordPage. */
  readReportRows(accountId: number, after: number, limit: number): Promise<RecordPage<ReportRow>>;
}
