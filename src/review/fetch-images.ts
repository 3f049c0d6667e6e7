/**
 * In charge of the queue of images: takes those that are wanted, looks at each, and has the offers that wait for it
 * reviewed again.
 *
 * An image that was taken belongs to this process for the time of its lease. Killed at any line, another takes it then
 * and looks again; offers stop waiting for it only after they were marked.
 *
 * Decoders crash in processes of their own, but whatever else ends this process ends it with all images that it had. Those that
 * were lost so are checked one after the other, each counted before it begins: the next crash tells which it was. After
 * a few it ends as failed, and is not checked again until a new check is requested.
 */

import { PollingLoop } from '../background/polling-loop.ts';
import type { ImageEvidence } from '../domain/vocabulary/image-checks.ts';
import type { ImageStore, WantedImage } from '../store/port/images.ts';
import type { OfferReference, OfferReviewStore } from '../store/port/review.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { evidenceOfLost, saysTheSame } from './images/inspect-image.ts';

const IMAGE_KIND = 'images';

export type Look = (address: string, earlier: ImageEvidence | undefined, signal: AbortSignal) => Promise<ImageEvidence>;

export interface ImageLoopOptions {
  readonly store: {
    readonly images: Pick<ImageStore, 'takeImages' | 'beginAlone' | 'delayImage' | 'storeImage' | 'forgetWaiting'>;
    readonly review: Pick<OfferReviewStore, 'markDue'>;
  };
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly look: Look;
  /** Time of day. */
  readonly nowMs: () => number;
  /** Offers were marked as due. */
  readonly onMarked: () => void;
  /** At once in this process. */
  readonly images_max: number;
  /** At once of one host, over all processes. */
  readonly images_per_host_max: number;
  /** At once of one account, over all processes. */
  readonly images_per_account_max: number;
  /** After this long a look is told to end: whatever it waits for, it has not begun to decode. Its image is put back. */
  readonly check_ms_max: number;
  /** Longer than that, by what it takes to decode. A look that outlasts it is given up: another has the image. */
  readonly lease_ms: number;
  /** How long it rests when no image is wanted, unless it is woken. */
  readonly poll_ms: number;
}

/** Checks without an answer: the first may be the crash of another image, each later one is this image's own. */
const LOST_MAX = 5;

/** Before an image is looked at again after a fault of ours. */
const FAULT_PAUSE_MS = 60_000;

/**
 * Far above the time from a verdict to its wish for an image, and far below the age at which images are looked at again:
 * processes that do not agree on that age would otherwise send one image back and forth.
 */
const SEEN_LATELY_MS = 3_600_000;

class LeaseOutlastedError extends Error {}

export class ImageLoop {
  readonly #options: ImageLoopOptions;
  readonly #abort = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #loop: PollingLoop;
  /** The last of those that were lost before; they wait for each other. */
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

  /** Images were wanted: looks at once, if it rests. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no further images, and waits so long for those under way; others are left to the next process. */
  async close(wait_ms_max: number): Promise<boolean> {
    const ended = this.#loop.stop();
    const deadline = setTimeout(() => this.#abort.abort(new Error('The process stops.')), wait_ms_max);
    await ended;
    await Promise.all(this.#underWay);
    clearTimeout(deadline);
    return !this.#abort.signal.aborted;
  }

  /** Says whether there was an image to take. */
  async #take(): Promise<boolean> {
    const { store, images_max, lease_ms } = this.#options;
    const limits = {
      limit: images_max - this.#underWay.size,
      perHost: this.#options.images_per_host_max,
      perAccount: this.#options.images_per_account_max,
    };
    const taken = limits.limit === 0 ? [] : await store.images.takeImages(limits, lease_ms);
    for (const image of taken) this.#begin(image);
    return taken.length > 0;
  }

  #begin(image: WantedImage): void {
    const work = this.#inspect(image)
      .catch((error: unknown) => this.#putDown(image, error))
      .finally(() => {
        this.#underWay.delete(work);
        // There is room again, and maybe a place at the host.
        this.wake();
      });
    this.#underWay.add(work);
  }

  /** A fault of ours is none of the image: it is put back. One that outlasted its lease lapses, which counts. */
  async #putDown(image: WantedImage, error: unknown): Promise<void> {
    const { store, telemetry } = this.#options;
    if (this.#abort.signal.aborted) return;
    telemetry.observe('work_failed', { kind: IMAGE_KIND, accountId: 0, error });
    if (error instanceof LeaseOutlastedError) return;
    await store.images.delayImage(image, FAULT_PAUSE_MS).catch((failure: unknown) => {
      telemetry.observe('work_stalled', { kind: IMAGE_KIND, error: failure });
    });
  }

  async #inspect(image: WantedImage): Promise<void> {
    const { store, onMarked } = this.#options;
    const found = this.#seenLately(image) ?? (await this.#evidenceOf(image));
    if (found === undefined) return;
    if (found.verdict === 'retry') {
      await store.images.delayImage(image, found.retryInMs ?? 0, JSON.stringify(found));
      return;
    }
    const { address } = image;
    const { checkedAtMs: reviewedMs, etag } = found;
    const { known } = image;
    const isOther = known !== undefined && !saysTheSame(JSON.parse(known.evidence) as ImageEvidence, found);
    let waiting = await store.images.storeImage(
      image,
      { address, evidence: JSON.stringify(found), reviewedMs, etag },
      isOther,
    );
    while (waiting.length > 0) {
      for (const [accountId, skuIds] of byAccount(waiting)) await store.review.markDue(accountId, skuIds);
      onMarked();
      waiting = await store.images.forgetWaiting(image, waiting);
    }
  }

  /** Whoever wanted it did not know yet of a look that was stored meanwhile: that one does, and only has to be told of. */
  #seenLately({ known, isAsked }: WantedImage): ImageEvidence | undefined {
    if (known === undefined || isAsked || this.#options.nowMs() - known.reviewedMs >= SEEN_LATELY_MS) return undefined;
    return JSON.parse(known.evidence) as ImageEvidence;
  }

  /** Undefined: it is left to others. */
  async #evidenceOf(image: WantedImage): Promise<ImageEvidence | undefined> {
    if (image.lost >= LOST_MAX) return evidenceOfLost(image.address, this.#options.nowMs());
    if (image.lost === 0) return this.#look(image);
    const earlier = this.#lastAlone;
    const alone = (async () => {
      await earlier;
      // A look that is only begun to be broken off would count against the image.
      if (this.#loop.isStopping) return undefined;
      const isHeld = await this.#options.store.images.beginAlone(image, this.#options.lease_ms);
      return isHeld ? this.#look(image) : undefined;
    })();
    // Those behind it go on whatever becomes of it.
    this.#lastAlone = alone.catch(() => {});
    return alone;
  }

  async #look(image: WantedImage): Promise<ImageEvidence> {
    const { look, check_ms_max, lease_ms } = this.#options;
    const giveUp = new AbortController();
    const outlasted = Promise.withResolvers<never>();
    const timers = [
      setTimeout(() => giveUp.abort(new Error('A look at an image had not begun to decode in time.')), check_ms_max),
      setTimeout(() => outlasted.reject(new LeaseOutlastedError('A look at an image outlasted its lease.')), lease_ms),
    ];
    const signal = AbortSignal.any([this.#abort.signal, giveUp.signal]);
    try {
      return await Promise.race([look(image.address, earlierLook(image), signal), outlasted.promise]);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }
}

/** What was seen before, with the tries since: failures that may pass are counted on from there. */
function earlierLook({ known, attempts }: WantedImage): ImageEvidence | undefined {
  if (known === undefined && attempts === 0) return undefined;
  const seen = known === undefined ? NOTHING_SEEN : (JSON.parse(known.evidence) as ImageEvidence);
  return { ...seen, attempts };
}

const NOTHING_SEEN: ImageEvidence = Object.freeze({
  verdict: 'retry',
  checks: [],
  checkedAtMs: 0,
  attempts: 0,
  retryInMs: null,
  finalAddress: '',
  httpStatus: null,
  bytes: null,
  type: null,
  width: null,
  height: null,
  frames: null,
  hash: null,
  placeholder: null,
  etag: null,
});

function byAccount(offers: readonly OfferReference[]): ReadonlyMap<number, readonly string[]> {
  const grouped = Map.groupBy(offers, ({ accountId }) => accountId);
  return new Map(Array.from(grouped, ([accountId, some]) => [accountId, some.map(({ skuId }) => skuId)]));
}
