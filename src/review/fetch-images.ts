/**
 * Processes the image queue: leases queued images, checks each, and marks the offers that wait for it as due for
 * review.
 *
 * A leased image belongs to this process until the lease expires. If the process is killed, another one checks the image again;
 * offers are removed from the waiting list only after they are marked.
 *
 * A decoder crash affects only the decoder's own process, but any other crash of this process loses all its images.
 * Lost images are then checked one at a time, each counted before it starts, so that the next crash identifies the
 * culprit. After 5 losses an image is failed and is not checked again until a re-check is requested.
 */
import { PollingLoop } from '../background/polling-loop.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-failures.ts';
import { HOUR_MS } from '../domain/vocabulary/iso-time.ts';
import type { ImageStore, WantedImage } from '../store/port/images.ts';
import type { SkuKey } from '../store/port/offers.ts';
import type { OfferReviewStore } from '../store/port/review.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { evidenceOfLost, NOTHING_SEEN, saysTheSame } from './images/inspect-image.ts';

const IMAGE_KIND = 'images';

export type CheckImage = (
  address: string,
  earlier: ImageEvidence | undefined,
  signal: AbortSignal,
) => Promise<ImageEvidence>;

export interface ImageLoopOptions {
  readonly store: {
    readonly images: Pick<ImageStore, 'takeImages' | 'beginAlone' | 'delayImage' | 'storeImage' | 'forgetWaiting'>;
    readonly review: Pick<OfferReviewStore, 'markDue'>;
  };
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly check: CheckImage;
  /** Returns false if the image must be checked again before its time, because it was not compared with all samples. */
  readonly isCurrent?: (evidence: ImageEvidence) => boolean;
  /** Wall clock. */
  readonly nowMs: () => number;
  /** Called after offers were marked as due. */
  readonly onMarked: () => void;
  /** Maximum number of concurrent checks in this process. */
  readonly images_max: number;
  /** Maximum number of concurrent checks per host, over all processes. */
  readonly images_per_host_max: number;
  /** Maximum number of concurrent checks per account, over all processes. */
  readonly images_per_account_max: number;
  /** A check that has not started to decode within this time is aborted, and its image is requeued. */
  readonly check_ms_max: number;
  /** `check_ms_max` plus the time to decode. A check that exceeds it is abandoned, because another process has the image. */
  readonly lease_ms: number;
  /** How long to sleep when the queue is empty, unless woken. */
  readonly poll_ms: number;
}

/** Number of lost checks after which an image fails. Another image may have caused the first loss; then the image is checked alone. */
const LOST_MAX = 5;

/** Delay before a retry after an internal error. */
const ERROR_RETRY_MS = 60_000;

/**
 * Far longer than a review takes to queue its images, and far shorter than any re-check interval: processes with different
 * intervals would otherwise keep queueing the same image.
 */
const RECENT_MS = HOUR_MS;

class LeaseOutlastedError extends Error {}

export class ImageLoop {
  readonly #options: ImageLoopOptions;
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #loop: PollingLoop;
  /** The last check of a previously lost image; these run one at a time. */
  #lastAlone: Promise<unknown> = Promise.resolve();

  constructor(options: ImageLoopOptions) {
    this.#options = options;
    const { telemetry, poll_ms } = options;
    this.#loop = new PollingLoop({
      step: () => this.#take(),
      onFailure: (error) => telemetry.observe('work_stalled', { kind: IMAGE_KIND, error }),
      poll_ms,
    });
  }

  /** Polls immediately. Call it after images were queued. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no further images and waits this long for running checks; other processes take the rest. */
  async close(wait_ms_max: number): Promise<boolean> {
    const ended = this.#loop.stop();
    const deadline = setTimeout(() => this.#abort.abort(new Error('The process is stopping.')), wait_ms_max);
    await ended;
    await Promise.all(this.#running);
    clearTimeout(deadline);
    return !this.#abort.signal.aborted;
  }

  /** Returns whether there was an image to take. */
  async #take(): Promise<boolean> {
    const { store, images_max, lease_ms } = this.#options;
    const limits = {
      limit: images_max - this.#running.size,
      perHost: this.#options.images_per_host_max,
      perAccount: this.#options.images_per_account_max,
    };
    const taken = limits.limit === 0 ? [] : await store.images.takeImages(limits, lease_ms);
    for (const image of taken) this.#begin(image);
    return taken.length > 0;
  }

  #begin(image: WantedImage): void {
    const work = this.#inspect(image)
      .catch((error: unknown) => this.#requeue(image, error))
      .finally(() => {
        this.#running.delete(work);
        // A slot is free again, and possibly a slot for the image's host.
        this.wake();
      });
    this.#running.add(work);
  }

  /** Requeues the image after an internal error. If the check outlasted its lease, the lease expires, which counts as lost. */
  async #requeue(image: WantedImage, error: unknown): Promise<void> {
    const { store, telemetry } = this.#options;
    if (this.#abort.signal.aborted) return;
    telemetry.observe('work_failed', { kind: IMAGE_KIND, accountId: 0, error });
    if (error instanceof LeaseOutlastedError) return;
    await store.images.delayImage(image, ERROR_RETRY_MS).catch((failure: unknown) => {
      telemetry.observe('work_stalled', { kind: IMAGE_KIND, error: failure });
    });
  }

  async #inspect(image: WantedImage): Promise<void> {
    const { store, onMarked } = this.#options;
    const found = this.#recentEvidence(image) ?? (await this.#evidenceOf(image));
    if (found === undefined) return;
    if (found.verdict === 'retry') {
      await store.images.delayImage(image, found.retryDelay_ms ?? 0, found);
      return;
    }
    const { address, known } = image;
    const { checkedAtMs: reviewedMs, etag } = found;
    const isOther = known !== undefined && !saysTheSame(known.evidence, found);
    let waiting = await store.images.storeImage(image, { address, evidence: found, reviewedMs, etag }, isOther);
    while (waiting.length > 0) {
      for (const [accountId, skuIds] of byAccount(waiting)) await store.review.markDue(accountId, skuIds);
      onMarked();
      waiting = await store.images.forgetWaiting(image, waiting);
    }
  }

  /**
   * Returns the stored evidence if it is less than RECENT_MS old. Then no new check is needed; only the waiting offers
   * must be marked.
   */
  #recentEvidence({ known, isAsked }: WantedImage): ImageEvidence | undefined {
    const { nowMs, isCurrent } = this.#options;
    if (known === undefined || isAsked || nowMs() - known.reviewedMs >= RECENT_MS) return undefined;
    return isCurrent?.(known.evidence) === false ? undefined : known.evidence;
  }

  /** Returns undefined if another process has taken the image. */
  async #evidenceOf(image: WantedImage): Promise<ImageEvidence | undefined> {
    if (image.lost >= LOST_MAX) return evidenceOfLost(image.address, this.#options.nowMs());
    if (image.lost === 0) return this.#check(image);
    const earlier = this.#lastAlone;
    const alone = (async () => {
      await earlier;
      // A check that starts now would be aborted and counted as lost.
      if (this.#loop.isStopping) return undefined;
      const isHeld = await this.#options.store.images.beginAlone(image, this.#options.lease_ms);
      return isHeld ? this.#check(image) : undefined;
    })();
    // Later checks run even if this one fails.
    this.#lastAlone = alone.catch(() => {});
    return alone;
  }

  async #check(image: WantedImage): Promise<ImageEvidence> {
    const { check, check_ms_max, lease_ms } = this.#options;
    const deadline = new AbortController();
    const outlasted = Promise.withResolvers<never>();
    const timers = [
      setTimeout(() => deadline.abort(new Error('An image check did not start to decode in time.')), check_ms_max),
      setTimeout(() => outlasted.reject(new LeaseOutlastedError('An image check outlasted its lease.')), lease_ms),
    ];
    const signal = AbortSignal.any([this.#abort.signal, deadline.signal]);
    try {
      return await Promise.race([check(image.address, earlierEvidence(image), signal), outlasted.promise]);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }
}

/** Returns the previous evidence with the number of attempts since, so that the count of transient failures continues. */
function earlierEvidence({ known, attempts }: WantedImage): ImageEvidence | undefined {
  if (known === undefined && attempts === 0) return undefined;
  return { ...(known?.evidence ?? NOT_CHECKED), attempts };
}

const NOT_CHECKED: ImageEvidence = Object.freeze({
  ...NOTHING_SEEN,
  verdict: 'retry',
  checks: [],
  checkedAtMs: 0,
  attempts: 0,
  retryDelay_ms: null,
  finalAddress: '',
});

function byAccount(offers: readonly SkuKey[]): ReadonlyMap<number, readonly string[]> {
  const grouped = Map.groupBy(offers, ({ accountId }) => accountId);
  return new Map(Array.from(grouped, ([accountId, some]) => [accountId, some.map(({ skuId }) => skuId)]));
}
