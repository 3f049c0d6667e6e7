/**
 * Creates reports: a line for each offer of an account, in the order of first upload.
 *
 * Offers are read and written page by page, so a million offers take no more memory than a thousand. Offers that change
 * meanwhile appear with their old or new state; none is missing or listed twice. An interrupted report restarts from
 * its first line.
 */
import type { WorkHandler } from '../background/leased-loop.ts';
import type { Fingerprint, Report, ReportOffer, ReportRow } from '../domain/bulk-files.ts';
import type { Names } from '../domain/names.ts';
import { adviceFor } from '../domain/review/advice.ts';
import { readReviewedDocument } from '../domain/review/reviewed-document.ts';
import { csvLine, plainCell, textCell } from '../domain/sheets/csv.ts';
import { OFFER_PARTS } from '../domain/vocabulary/offer-parts.ts';
import { type FileDraft, type FileStorage, reportName } from '../files/file-storage.ts';
import type { KeptFiles } from '../operations/files/kept-files.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../store/port/errors.ts';
import type { ReportStore } from '../store/port/files.ts';
import { ColumnMissing, OfferSheet, offerLine } from './offers-report.ts';
import { type ExportParts, writeExport } from './write-export.ts';

export interface ReportParts {
  readonly store: Pick<
    ReportStore,
    'listRequestedReports' | 'readReportRows' | 'readReportOffers' | 'readFingerprints' | 'endReport'
  >;
  readonly storage: FileStorage;
  readonly names: Names;
  readonly nowMs: () => number;
  /** Called when reports are waiting for disk space. */
  readonly onFull: () => void;
  readonly kept: Pick<KeptFiles, 'add'>;
  readonly exports: ExportParts;
}

/** How often to re-check the free space. */
const FULL_MS = 10_000;

/** Offers per page: usually about 100 KB of text; 20 MB if every offer has 1,000 nodes. */
const PAGE_ROWS = 250;

/** Offers per page of fingerprints. The page has only hashes, and the store reads no documents for it. */
const PAGE_FINGERPRINTS = 1000;

const HEADINGS = Object.freeze([
  'sku',
  'title',
  'status',
  'sub_status',
  'price',
  'quantity',
  'node_quantities',
  'sku_last_update',
  'price_last_update',
  'inventory_last_update',
  'advice',
  'upcoming',
]);

const HASHED_PARTS = OFFER_PARTS.filter((part) => part !== 'archive');

const FINGERPRINT_HEADINGS = Object.freeze(['sku', 'archived', ...HASHED_PARTS.map((part) => `${part}_hash`)]);

/** Creates one report of the account at a time. */
export function createReportHandler(parts: ReportParts): WorkHandler {
  return async ({ accountId, signal }) => {
    const { store, storage } = parts;
    const [report] = await store.listRequestedReports(accountId, 1);
    if (report === undefined) return undefined;
    if (!(await storage.hasRoom())) {
      parts.onFull();
      return FULL_MS;
    }
    try {
      await makeReport(parts, report, signal);
    } catch (error) {
      // Transient failures are retried. Any other failure would recur and block later reports, so the report is
      // abandoned.
      if (signal.aborted || error instanceof StoreUnavailableError || error instanceof StoreOverloadedError)
        throw error;
      await endReport(parts, report, 'Failed', 0);
      throw error;
    }
    const bytes = await storage.size(reportName(report));
    await endReport(parts, report, 'Ready', bytes ?? 0);
    await parts.kept.add(accountId, bytes ?? 0);
    return 0;
  };
}

/** Ends a report. If its merchant was removed meanwhile, deletes its file; retention would find it only days later. */
async function endReport(
  { store, storage, nowMs }: ReportParts,
  report: Report,
  status: 'Ready' | 'Failed',
  bytes: number,
): Promise<void> {
  const ended = await store.endReport(report, status, bytes, nowMs());
  if (ended === 'gone') await storage.remove(reportName(report));
}

/** What a report consists of. */
interface Form {
  readonly head: string;
  read(after: number): Promise<Lines>;
}

interface Lines {
  readonly lines: () => string;
  readonly next: number | undefined;
}

async function makeReport(parts: ReportParts, report: Report, signal: AbortSignal): Promise<void> {
  if (report.type === 'ProductStatus') return writeReport(parts, report, statusReport(parts, report), signal);
  if (report.type === 'Storefront') {
    return keepDraft(parts, report, (draft) => writeExport(parts.exports, report, draft, signal));
  }
  if (report.type === 'Fingerprints') return writeReport(parts, report, fingerprintReport(parts, report), signal);
  if (report.format === 'NDJSON') {
    const lines = (offers: readonly ReportOffer[]) => offers.map((offer) => offerLine(offer, parts.names)).join('');
    return writeReport(parts, report, offersReport(parts, report, '', lines), signal);
  }
  const sheet = new OfferSheet(parts.names);
  const noted = (offers: readonly ReportOffer[]) => {
    sheet.note(offers);
    return '';
  };
  await writeLines(offersReport(parts, report, '', noted), signal, async () => {});
  for (;;) {
    try {
      const form = offersReport(parts, report, sheet.header(), (offers) => sheet.lines(offers));
      return await writeReport(parts, report, form, signal);
    } catch (error) {
      // An offer got a new part in the meantime. Columns are only ever added, so this loop ends.
      if (!(error instanceof ColumnMissing)) throw error;
    }
  }
}

function writeReport(parts: ReportParts, report: Report, form: Form, signal: AbortSignal): Promise<void> {
  return keepDraft(parts, report, (draft) => writeLines(form, signal, (text) => draft.write(Buffer.from(text))));
}

async function keepDraft(
  { storage }: Pick<ReportParts, 'storage'>,
  report: Report,
  write: (draft: FileDraft) => Promise<void>,
): Promise<void> {
  const draft = await storage.create(reportName(report));
  try {
    await write(draft);
    // Another process may have created the report and stopped before it could record that; its file is used.
    await draft.keep();
  } finally {
    await draft.discard();
  }
}

async function writeLines({ head, read }: Form, signal: AbortSignal, write: (text: string) => Promise<unknown>) {
  await write(head);
  for (let coming: Promise<Lines> | undefined = read(0); coming !== undefined; ) {
    signal.throwIfAborted();
    const { lines, next }: Lines = await coming;
    // The store reads the next page while this one is formatted and written.
    coming = next === undefined ? undefined : read(next);
    // If the write fails first, nothing else handles a failure of the read.
    coming?.catch(() => {});
    await write(lines());
  }
}

function statusReport({ store, names }: ReportParts, { accountId }: Report): Form {
  return {
    head: csvLine(HEADINGS),
    async read(after) {
      const { records, next } = await store.readReportRows(accountId, after, PAGE_ROWS);
      return { lines: () => records.map((row) => reportLine(row, names)).join(''), next };
    },
  };
}

function fingerprintReport({ store }: ReportParts, { accountId }: Report): Form {
  return {
    head: csvLine(FINGERPRINT_HEADINGS),
    async read(after) {
      const { records, next } = await store.readFingerprints(accountId, after, PAGE_FINGERPRINTS);
      return { lines: () => records.map(fingerprintLine).join(''), next };
    },
  };
}

function offersReport(
  { store }: ReportParts,
  { accountId }: Report,
  head: string,
  linesOf: (offers: readonly ReportOffer[]) => string,
): Form {
  return {
    head,
    async read(after) {
      const { records, next } = await store.readReportOffers(accountId, after, PAGE_ROWS);
      return { lines: () => linesOf(records), next };
    },
  };
}

/**
 * Formats a line of fingerprints. Hashes are base64url, which needs no quotes. A hash that starts with `-` is not escaped, because programs
 * read this report.
 */
export function fingerprintLine(row: Fingerprint): string {
  return csvLine([textCell(row.skuId), String(row.archived), ...HASHED_PARTS.map((part) => row[part] ?? '')]);
}

export function reportLine(row: ReportRow, names: Names): string {
  const quantities = row.nodes.map(({ fulfillment_node_id, quantity }) => [fulfillment_node_id, quantity] as const);
  const document = readReviewedDocument(row.document);
  const advice = adviceFor({ ...row, document, images: row.evidence.images }).map(({ code }) => code);
  return csvLine([
    textCell(row.skuId),
    textCell(document.product_title ?? ''),
    textCell(names.status(row.status ?? 'review')),
    plainCell(row.subStatuses.join('; ')),
    row.price === null ? '' : String(row.price),
    String(quantities.reduce((sum, [, quantity]) => sum + quantity, 0)),
    // Node ids may contain any character.
    plainCell(JSON.stringify(Object.fromEntries(quantities))),
    timeCell(row.documentUpdatedMs),
    timeCell(row.priceUpdatedMs),
    timeCell(row.inventoryUpdatedMs),
    plainCell([...new Set(advice)].join('; ')),
    row.upcoming.join('; '),
  ]);
}

function timeCell(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString();
}
