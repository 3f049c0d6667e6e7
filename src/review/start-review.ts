/**
 * Starts the loops of the review: two review, two mark offers after changes to the settings or the catalog, and one
 * checks images.
 *
 * One of the two reviewing loops takes the account that has been due longest. The other one takes fresh work, the most recent first and one
 * batch of each account, so that a single write does not wait for the backlogs of other merchants.
 */

import { LeasedLoop, type LeasedLoopOptions } from '../background/leased-loop.ts';
import { DAY_MS } from '../domain/vocabulary/iso-time.ts';
import { NEWS_KIND } from '../store/port/catalog.ts';
import { REVIEW_KIND, SWEEP_KIND } from '../store/port/review.ts';
import type { Store } from '../store/port.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { ImageLoop } from './fetch-images.ts';
import { imageChecker } from './image-checker.ts';
import type { ImageDecoders } from './images/decoding/image-decoders.ts';
import { IMAGE_LIMITS } from './images/image-limits.ts';
import { indexWords } from './index-words.ts';
import { notifyCatalogUsers } from './notify-catalog-users.ts';
import { type ReviewAccountParts, reviewAccount } from './review-account.ts';
import type { ReviewMeter } from './review-meter.ts';
import type { ReviewSetup } from './review-setup.ts';
import { sweepAccount } from './sweep-account.ts';
import { YieldToFiles } from './yield-to-files.ts';

export interface ReviewOptions extends Pick<LeasedLoopOptions, 'telemetry' | 'holder'> {
  readonly store: Store;
  readonly setup: ReviewSetup;
  readonly meter: ReviewMeter;
  /** Wall clock. */
  readonly nowMs: () => number;
  readonly image_recheck_days: number;
  readonly decoders: ImageDecoders;
  /** `host` or `host:port` that may have private addresses. */
  readonly imageAllowedHosts: readonly string[];
  readonly tracing: Tracing | undefined;
}

export interface RunningReview {
  /** Call it when an offer may be due. */
  wake(): void;
  /** Call it when offers may be due because rows of a bulk file were written. */
  wakeAfterRows(): void;
  close(wait_ms_max: number): Promise<void>;
}

const LEASE_MS = 10_000;
const RETRY_MS = 5_000;
/** An offer's status must be final within 2 seconds, even if another process received the upload. */
const POLL_MS = 500;
/** 10 s to fetch and 7 s to wait for a slot; the lease adds the time to decode and 1 s to store. */
const IMAGE_CHECK_MS_MAX = 17_000;
const IMAGE_LEASE_MS = IMAGE_CHECK_MS_MAX + IMAGE_LIMITS.review_ms_max + 1_000;
/** Interval for finding unannounced work and confirming the active rules. */
const UPKEEP_INTERVAL_MS = 30_000;

export async function startReview(options: ReviewOptions): Promise<RunningReview> {
  const { store, telemetry, holder, setup, meter, nowMs } = options;
  const leased = { store: store.work, telemetry, holder, lease_ms: LEASE_MS, poll_ms: POLL_MS, retry_ms: RETRY_MS };
  const reviewing = wakeUp(() => {
    for (const loop of reviewLoops) loop.wake();
  });
  const images = setup.rules.imageCheck === 'on' ? startImages(options, reviewing.call) : undefined;
  const yielding = new YieldToFiles();
  const indexing = indexWords(store.review, telemetry);
  const parts: ReviewAccountParts = {
    store,
    yielding,
    setup,
    nowMs,
    tracing: options.tracing,
    image_recheck_ms: options.image_recheck_days * DAY_MS,
    onReviewed: (status) => {
      meter.reviewed(status);
      indexing.wake();
    },
    onImagesWanted: () => images?.loop.wake(),
  };
  const mayTake = () => setup.activeRules.areOwn;
  const reviewed = { ...leased, kind: REVIEW_KIND, mayTake };
  const reviewLoops = [
    new LeasedLoop({ ...reviewed, handler: reviewAccount(parts) }),
    new LeasedLoop({ ...reviewed, handler: reviewAccount({ ...parts, isBrief: true }), order: 'fresh' }),
  ];
  const sweepHandler = sweepAccount(store, reviewing.call);
  const sweepLoop = new LeasedLoop({ ...leased, kind: SWEEP_KIND, handler: sweepHandler });
  const newsHandler = notifyCatalogUsers(store, reviewing.call);
  const newsLoop = new LeasedLoop({ ...leased, kind: NEWS_KIND, handler: newsHandler });
  const upkeep = () => {
    indexing.wake();
    return Promise.all([store.review.announceForgotten(), setup.activeRules.hold()]).catch((error: unknown) =>
      telemetry.observe('work_stalled', { kind: REVIEW_KIND, error }),
    );
  };
  await upkeep();
  const upkeepTimer = setInterval(upkeep, UPKEEP_INTERVAL_MS);
  return {
    wake: reviewing.call,
    wakeAfterRows: () => {
      yielding.noteRows();
      reviewing.call();
    },
    async close(wait_ms_max) {
      clearInterval(upkeepTimer);
      reviewing.close();
      await Promise.all([...reviewLoops, sweepLoop, newsLoop, images?.loop].map((loop) => loop?.close(wait_ms_max)));
      await indexing.close();
      await images?.checks.close();
    },
  };
}

function startImages(
  { store, telemetry, setup, meter, nowMs, decoders, imageAllowedHosts }: ReviewOptions,
  onMarked: () => void,
) {
  const checks = imageChecker({
    allowedHosts: imageAllowedHosts,
    placeholders: setup.placeholders,
    decoders,
    meter,
    nowMs,
  });
  const loop = new ImageLoop({
    store,
    telemetry,
    nowMs,
    check: checks.check,
    isCurrent: (evidence) => setup.placeholders().isCompared(evidence),
    onMarked,
    images_max: IMAGE_LIMITS.connections_max,
    images_per_host_max: IMAGE_LIMITS.connections_per_host_max,
    images_per_account_max: IMAGE_LIMITS.checks_per_account_max,
    check_ms_max: IMAGE_CHECK_MS_MAX,
    lease_ms: IMAGE_LEASE_MS,
    poll_ms: POLL_MS,
  });
  return { checks, loop };
}

const WAKE_UP_PAUSE_MS = 20;

/** Coalesces wake-ups of a loop: 500 writes per second cause at most 50 polls. */
function wakeUp(wake: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Wakes the loop within 20 ms, once for all calls until then. */
    call() {
      timer ??= setTimeout(() => {
        timer = undefined;
        wake();
      }, WAKE_UP_PAUSE_MS);
    },
    close: () => clearTimeout(timer),
  };
}
