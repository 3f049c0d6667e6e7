/** Builds the metrics page from all sources. */
import type { Histogram } from '../domain/histogram.ts';
import type { ImageFigures } from '../store/port/images.ts';
import type { DueFigures } from '../store/port/review.ts';
import type { WorkFigures } from '../store/port/work.ts';
import type { StoreFigures } from '../store/port.ts';
import { EVENT_NAMES, EVENTS } from './events.ts';
import { Exposition } from './exposition.ts';
import { METRICS } from './metric-table.ts';
import type { ProcessMeter } from './process-meter.ts';
import type { RouteMeter } from './request-meter.ts';
import type { Telemetry } from './telemetry.ts';

/** Metrics of the review. The queues are undefined while the database does not respond. */
export interface ReviewFigures {
  readonly offers: DueFigures | undefined;
  readonly images: ImageFigures | undefined;
  readonly verdicts: Iterable<readonly [status: string, count: number]>;
  readonly fetches: Iterable<readonly [outcome: string, seconds: Histogram]>;
}

export interface MetricsSources {
  readonly version: string;
  readonly telemetry: Telemetry;
  /** Expiry of the server's TLS certificate, if it has one. */
  readonly certificateEndsMs: number | undefined;
  readonly process: ProcessMeter;
  readonly connections: () => Promise<number>;
  readonly isReady: () => Promise<boolean>;
  readonly store: () => Promise<StoreFigures>;
  /** Reads all kinds of background work; empty while the database does not respond. */
  readonly work: () => Promise<readonly WorkFigures[]>;
  readonly review: () => Promise<ReviewFigures>;
}

export async function writeMetricsPage(sources: MetricsSources): Promise<string> {
  const { telemetry } = sources;
  const connections = await sources.connections();
  const isReady = await sources.isReady();
  const store = await sources.store();
  const work = await sources.work();
  const review = await sources.review();

  const page = new Exposition();
  const used = telemetry.requests.routes().filter((route) => route.seconds.counts.some((count) => count > 0));
  page
    .add(METRICS.build, [[[sources.version, process.version], 1]])
    .add(METRICS.requests, used.flatMap(statusSamples))
    .addHistogram(
      METRICS.duration,
      used.map(({ method, route, seconds }) => [[method, route], seconds]),
    )
    .addValue(METRICS.connections, connections)
    .add(
      METRICS.limits,
      eventSamples(telemetry, (limit) => limit),
    )
    .add(
      METRICS.events,
      eventSamples(telemetry, (limit, name) => (limit === undefined ? name : undefined)),
    )
    .addValue(METRICS.ready, isReady ? 1 : 0);
  addStore(page, store);
  page
    .add(
      METRICS.workDue,
      work.map(({ kind, due }) => [[kind], due]),
    )
    .add(
      METRICS.workOldest,
      work.map(({ kind, oldestDue_ms }) => [[kind], oldestDue_ms / 1000]),
    );
  addReview(page, review);
  if (sources.certificateEndsMs !== undefined) {
    page.addValue(METRICS.certificateEnd, sources.certificateEndsMs / 1000);
  }
  page.addValue(METRICS.threadPause, telemetry.pauses.takeLongest_ms() / 1000);
  sources.process.addTo(page);
  return page.text();
}

function addStore(page: Exposition, { writes, lists, commitWrites, sizeBytes }: StoreFigures): void {
  page
    .addHistogram(METRICS.commitWrites, [[[], commitWrites]])
    .add(METRICS.waiting, [
      [['writes'], writes.waiting],
      [['lists'], lists.waiting],
    ])
    .add(METRICS.oldestWait, [
      [['writes'], writes.oldestWait_ms / 1000],
      [['lists'], lists.oldestWait_ms / 1000],
    ])
    .addValue(METRICS.storeBytes, sizeBytes);
}

function addReview(page: Exposition, { offers, images, verdicts, fetches }: ReviewFigures): void {
  if (offers !== undefined) {
    page
      .addValue(METRICS.reviewDue, offers.due)
      .addValue(METRICS.reviewOldest, offers.oldestDue_ms / 1000)
      .addValue(METRICS.reviewMissing, offers.accountsMissing);
  }
  if (images !== undefined) {
    page.addValue(METRICS.imagesWaiting, images.waiting).addValue(METRICS.imagesOldest, images.oldestWait_ms / 1000);
  }
  page
    .add(
      METRICS.reviewVerdicts,
      Array.from(verdicts, ([status, count]) => [[status], count]),
    )
    .addHistogram(
      METRICS.imageFetches,
      Array.from(fetches, ([outcome, seconds]) => [[outcome], seconds]),
    );
}

function statusSamples(meter: RouteMeter): [string[], number][] {
  return meter.statuses().map(([status, count]) => [[meter.method, meter.route, String(status)], count]);
}

/** Returns one sample per counted event that has a label. */
function eventSamples(
  telemetry: Telemetry,
  labelOf: (limit: string | undefined, name: string) => string | undefined,
): [string[], number][] {
  return EVENT_NAMES.flatMap((name): [string[], number][] => {
    const { uncounted, limit } = EVENTS[name];
    const label = uncounted ? undefined : labelOf(limit, name);
    return label === undefined ? [] : [[[label], telemetry.countOf(name)]];
  });
}
