/** Starts the background work of one process: one loop for each kind. */
import { countOffers } from '../background/count-offers.ts';
import { HOUSEKEEPING_KIND, startHousekeeping } from '../background/housekeeping.ts';
import { retention } from '../background/retention.ts';
import { BULK_KINDS, BulkOnDemand } from '../bulk/bulk-on-demand.ts';
import { dropOldFiles } from '../bulk/drop-old-files.ts';
import { startBulk } from '../bulk/start-bulk.ts';
import { spareCores } from '../bulk/threads/check-threads.ts';
import { filesFolder, nameSettings } from '../config/settings.ts';
import { Names } from '../domain/names.ts';
import type { Webhook } from '../domain/setup/webhooks.ts';
import { applyAnnounced } from '../review/apply-announced.ts';
import { dropUnusedImages } from '../review/drop-unused-images.ts';
import type { ReviewMeter } from '../review/review-meter.ts';
import { startReview } from '../review/start-review.ts';
import { shareStore } from '../store/open-store.ts';
import { NEWS_KIND } from '../store/port/catalog.ts';
import { unlessStoreIsDown } from '../store/port/errors.ts';
import type { ImageStore } from '../store/port/images.ts';
import type { OfferReviewStore } from '../store/port/review.ts';
import { REVIEW_KIND, SWEEP_KIND } from '../store/port/review.ts';
import type { WorkFigures, WorkStore } from '../store/port/work.ts';
import { startStorefront } from '../storefront/start-storefront.ts';
import type { ReviewFigures } from '../telemetry/metrics-page.ts';
import { WebhookLoop } from '../webhooks/deliver-webhooks.ts';
import { webhookAct } from '../webhooks/manage-webhooks.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import { webhookFeed } from '../webhooks/webhook-feed.ts';
import type { ProcessParts } from './process-parts.ts';

interface BackgroundParts extends ProcessParts {
  readonly reviewMeter: ReviewMeter;
  readonly processName: string;
  /** Hosts of demo images, which bypass the check for private addresses. */
  readonly demoHosts: readonly string[];
}

export interface Background {
  /** Call it when an offer may be due for review. */
  wake(): void;
  /** Call it when a file or report may be ready for processing. */
  wakeFiles(): void;
  /** Takes no further work and waits up to `seconds_max` for running work. Other processes continue the rest. */
  stop(seconds_max: number): Promise<void>;
}

export async function startBackground(parts: BackgroundParts): Promise<Background> {
  const {
    settings,
    store,
    storage,
    setup,
    telemetry,
    reviewMeter: meter,
    clock,
    processName: holder,
    demoHosts,
  } = parts;
  const common = { store, telemetry, nowMs: clock.nowMs, holder };
  // If a later part fails to start, the earlier ones are stopped.
  await using starting = new AsyncDisposableStack();
  const housekeeping = await startHousekeeping({
    ...common,
    chores: [
      () => dropOldFiles({ store, storage, nowMs: clock.nowMs }),
      countOffers(store, clock.nowMs),
      ...Object.values(retention(store, settings.history_days, clock.nowMs)),
      dropUnusedImages({ store: store.images, image_recheck_days: settings.imageRecheck_days, nowMs: clock.nowMs }),
    ],
  });
  starting.defer(async () => void (await housekeeping.close(0)));
  const review = await startReview({
    ...common,
    setup,
    meter,
    image_recheck_days: settings.imageRecheck_days,
    decoders: parts.decoders,
    imageAllowedHosts: [...settings.imageAllowedHosts, ...demoHosts],
    tracing: parts.tracing,
  });
  starting.defer(() => review.close(0));
  const bulk = new BulkOnDemand({
    telemetry,
    hasWork: async () =>
      (await store.work.readWorkFigures()).some(({ kind, due }) => due > 0 && BULK_KINDS.includes(kind)),
    start: () =>
      startBulk({
        shareStore: () => shareStore(store, settings),
        telemetry,
        holder,
        filesFolder: filesFolder(settings),
        names: nameSettings(settings),
        feeds: { currency: settings.currency, storefrontUrl: settings.storefrontUrl },
        unpacked_bytes_max: settings.fileUnpackedBytesMax,
        free_bytes_min: settings.filesFreeBytesMin,
        kept_bytes_max: settings.filesKeptBytesMax,
        check_threads_max: settings.fileCheckThreads ?? spareCores(),
        onRowsWritten: review.wakeAfterRows,
      }),
  });
  const client = new WebhookClient({ allowedHosts: settings.webhookAllowedHosts });
  const names = new Names(nameSettings(settings));
  const onDisabled = async ({ accountId, webhookId: webhook_id, address: url }: Webhook, reason: string) => {
    const [by, act] = ['system', 'disableWebhook'] as const;
    try {
      const account = await setup.account(accountId);
      if (account === undefined) return;
      const words = webhookAct(account, { webhook_id, url, reason });
      await store.people.addAct({ atMs: clock.nowMs(), by, act, ...words });
    } catch (error) {
      telemetry.observe('activity_log_failed', { by, act, error });
    }
  };
  const { tracing } = parts;
  const feed = webhookFeed(store, names);
  const sending = { store, feed, client, telemetry, tracing, nowMs: clock.nowMs, onDisabled };
  const webhooks = settings.webhooks === 'on' ? new WebhookLoop(sending) : undefined;
  const applying = applyAnnounced({ ...common, setup });
  const storefront = parts.hasStorefront ? await startStorefront({ ...common, setup, names }) : undefined;
  starting.move();
  return {
    wake: review.wake,
    wakeFiles: () => bulk.wake(),
    async stop(seconds_max) {
      await Promise.all(
        [housekeeping, review, bulk, webhooks, storefront].map((loop) => loop?.close(seconds_max * 1000)),
      );
      await applying.stop();
      await client.close();
    },
  };
}

const KINDS = Object.freeze([HOUSEKEEPING_KIND, REVIEW_KIND, SWEEP_KIND, NEWS_KIND, ...BULK_KINDS]);

/** Returns the backlog of every kind, with zeros for kinds without due work. */
export async function readWork(store: Pick<WorkStore, 'readWorkFigures'>): Promise<readonly WorkFigures[]> {
  const waiting = new Map((await store.readWorkFigures()).map((figures) => [figures.kind, figures]));
  return KINDS.map((kind) => waiting.get(kind) ?? { kind, due: 0, oldestDue_ms: 0 });
}

export async function readReview(
  store: {
    readonly review: Pick<OfferReviewStore, 'readReviewFigures'>;
    readonly images: Pick<ImageStore, 'readImageFigures'>;
  },
  { verdicts, fetches }: ReviewMeter,
): Promise<ReviewFigures> {
  return {
    offers: await unlessStoreIsDown(store.review.readReviewFigures(), undefined),
    images: await unlessStoreIsDown(store.images.readImageFigures(), undefined),
    verdicts,
    fetches,
  };
}
