/** Use case: a merchant's user reads the overview of offers, files and requests. */
import type { Account } from '../../domain/account.ts';
import { FILE_TYPES } from '../../domain/vocabulary/file-types.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/vocabulary/iso-time.ts';
import { STATUSES, type Status } from '../../domain/vocabulary/statuses.ts';
import { DUE_COUNTED_MAX } from '../../store/port/offer-list.ts';
import type { RequestCountStore, RequestCounts } from '../../store/port/traffic.ts';
import type { ViewContext } from './view-context.ts';

const MINUTES_SHOWN = 60;
const HOURS_SHOWN = 24;
/** How many files of each type are shown. Later files have to wait for these anyway. */
const FILES_SHOWN = 20;
/**
 * Stock is read for up to this many available offers. If there are more, it is read for a sample, which takes about 200 ms for 1,000,000
 * offers.
 */
const STOCK_SAMPLE = 20_000;
const ESTIMATE_KEPT_MS = 60_000;
const ESTIMATES_MAX = 1_000;

/** `http/portal/overview.ts` describes the values. */
export async function readOverview(context: ViewContext, { accountId }: Account) {
  const { store, nowMs } = context;
  const now = nowMs();
  const firstHourMs = Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS_SHOWN - 1) * HOUR_MS;
  const minutesOfDay = Math.floor(now / MINUTE_MS) - firstHourMs / MINUTE_MS + 1;
  const [counts, minutes, files] = await Promise.all([
    store.offerList.readOfferCounts(accountId),
    readRequestMinutes(store.traffic, accountId, now, minutesOfDay),
    Promise.all(FILE_TYPES.map((type) => store.files.listUnfinishedFiles(accountId, type, FILES_SHOWN))),
  ]);
  const countIn = (status: Status) => counts.byStatus.get(status) ?? 0;
  const byStatus = (Object.keys(STATUSES) as Status[]).map((status) => [status, countIn(status)] as const);
  const available = countIn('available');
  const every = sampleStep(available);
  const outOfStock = every === 0 ? 0 : await countOutOfStock(context, accountId, available, every);
  return {
    offers: byStatus.reduce((sum, [, offers]) => sum + offers, counts.unreviewed),
    forSale: available - outOfStock,
    outOfStock,
    stockIsEstimated: every > 1,
    withIssues: countIn('missing') + countIn('unauthorized') + countIn('excluded'),
    inReview: countIn('review') + counts.unreviewed,
    archived: countIn('archived'),
    byStatus,
    bySubStatus: [...counts.bySubStatus].sort(([, one], [, other]) => other - one),
    waitingForReview: counts.due,
    waitingIsMore: counts.due === DUE_COUNTED_MAX,
    files: files.flat().sort((one, other) => one.number - other.number),
    minutes: minutes.slice(-MINUTES_SHOWN),
    hours: Array.from({ length: HOURS_SHOWN }, (_, hour) => {
      const span = minutes.slice(hour * 60, (hour + 1) * 60);
      return { atMs: firstHourMs + hour * HOUR_MS, ...sumOf(span) };
    }),
  };
}

/** Returns the sampling step; 1 means all offers. It has no small factors, because stock may follow a pattern, such as every tenth SKU. */
function sampleStep(available: number): number {
  let step = Math.ceil(available / STOCK_SAMPLE);
  while (step > 1 && [2, 3, 5, 7].some((factor) => step % factor === 0)) step++;
  return step;
}

async function countOutOfStock(
  { store, stockEstimates, nowMs }: ViewContext,
  accountId: number,
  available: number,
  every: number,
): Promise<number> {
  const kept = stockEstimates.get(accountId);
  if (every > 1 && kept !== undefined && nowMs() - kept.atMs < ESTIMATE_KEPT_MS)
    return Math.min(available, kept.offers);
  const offers = every * (await store.offerList.countOutOfStock(accountId, every));
  if (stockEstimates.size >= ESTIMATES_MAX) stockEstimates.clear();
  if (every > 1) stockEstimates.set(accountId, { offers, atMs: nowMs() });
  // Stock is read after the counts, which may have changed in the meantime.
  return Math.min(available, offers);
}

function sumOf(minutes: readonly RequestMinute[]) {
  const sum = (of: (minute: RequestMinute) => number) => minutes.reduce((total, minute) => total + of(minute), 0);
  return {
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    refused: sum(({ refused }) => refused),
  };
}

export interface RequestMinute extends RequestCounts {
  /** Start of the minute. */
  readonly atMs: number;
}

const SILENT: RequestCounts = Object.freeze({ requests: 0, errors: 0, refused: 0 });

/**
 * Lists the requests of an account per minute, including minutes without any: the last `count` minutes, including the current one, oldest
 * first.
 */
export async function readRequestMinutes(
  store: Pick<RequestCountStore, 'readRequestCounts'>,
  accountId: number,
  nowMs: number,
  count: number,
): Promise<readonly RequestMinute[]> {
  const from = Math.floor(nowMs / MINUTE_MS) - count + 1;
  const counted = new Map<number, RequestCounts>();
  for (const { minute, requests, errors, refused } of await store.readRequestCounts(accountId, from)) {
    counted.set(minute, { requests, errors, refused });
  }
  return Array.from({ length: count }, (_, index) => ({
    atMs: (from + index) * MINUTE_MS,
    ...(counted.get(from + index) ?? SILENT),
  }));
}
