/**
 * In charge of the queue of pictures: takes those that are wanted, looks at each, and has the offers that wait for it
 * judged again.
 *
 * A picture that was taken belongs to this process for the time of its lease. Killed at any line, another takes it then
 * and looks again; offers stop waiting for it only after they were marked.
 */
import type { ImageEvidence } from '../domain/vocabulary/image-checks.ts';
import type { ImageStore, OfferReference, OfferReviewStore, WantedImage } from '../store/review-port.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export const IMAGE_KIND = 'images';

export type Look = (address: string, earlier: ImageEvidence | undefined, signal: AbortSignal) => Promise<ImageEvidence>;

export interface ImageLoopOptions {
  readonly store: Pick<ImageStore, 'takeImages' | 'delayImage' | 'storeImage' | 'forgetWaiting'> &
    Pick<OfferReviewStore, 'markDue'>;
  readonly telemetry: Pick<Telemetry, 'observe'>;
  readonly look: Look;
  /** Offers were marked as due. */
  readonly onMarked: () => void;
  /** At once in this process. */
  readonly images_max: number;
  /** At once of one host, over all processes. */
  readonly images_per_host_max: number;
  /** Longer than a look takes, waiting for a place included. */
  readonly lease_ms: number;
  /** How long it rests when no picture is wanted, unless it is woken. */
  readonly poll_ms: number;
}

export class ImageLoop {
  readonly #options: ImageLoopOptions;
  readonly #abort = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #ended: Promise<void>;
  #isStopping = false;
  #isWoken = false;
  #endRest: (() => void) | undefined;

  constructor(options: ImageLoopOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Pictures were wanted: looks at once, if it rests. */
  wake(): void {
    this.#isWoken = true;
    this.#endRest?.();
  }

  /** Takes no further pictures, and waits so long for those under way; others are left to the next process. */
  async close(wait_ms_max: number): Promise<boolean> {
    this.#isStopping = true;
    this.wake();
    const deadline = setTimeout(() => this.#abort.abort(new Error('The process stops.')), wait_ms_max);
    await this.#ended;
    await Promise.all(this.#underWay);
    clearTimeout(deadline);
    return !this.#abort.signal.aborted;
  }

  async #run(): Promise<void> {
    const { store, telemetry, images_max, images_per_host_max, lease_ms, poll_ms } = this.#options;
    while (!this.#isStopping) {
      this.#isWoken = false;
      try {
        const room = images_max - this.#underWay.size;
        const taken = room === 0 ? [] : await store.takeImages(room, images_per_host_max, lease_ms);
        for (const image of taken) this.#begin(image);
        if (taken.length === 0 && !this.#isWoken) await this.#rest(poll_ms);
      } catch (error) {
        telemetry.observe('work_stalled', { kind: IMAGE_KIND, error });
        await this.#rest(poll_ms);
      }
    }
  }

  #begin(image: WantedImage): void {
    const work = this.#lookAt(image)
      .catch((error: unknown) => {
        // Its lease lapses, and it is taken again.
        if (!this.#abort.signal.aborted)
          this.#options.telemetry.observe('work_failed', { kind: IMAGE_KIND, accountId: 0, error });
      })
      .finally(() => {
        this.#underWay.delete(work);
        // There is room again, and maybe a place at the host.
        this.wake();
      });
    this.#underWay.add(work);
  }

  async #lookAt(image: WantedImage): Promise<void> {
    const { store, look, onMarked } = this.#options;
    const found = await look(image.address, earlierLook(image), this.#abort.signal);
    if (found.verdict === 'retry') {
      await store.delayImage(image, found.retryInMs ?? 0);
      return;
    }
    const { address } = image;
    const { lookedAtMs: judgedMs, etag } = found;
    let waiting = await store.storeImage(image, { address, evidence: JSON.stringify(found), judgedMs, etag });
    while (waiting.length > 0) {
      for (const [accountId, skuIds] of byAccount(waiting)) await store.markDue(accountId, skuIds);
      onMarked();
      waiting = await store.forgetWaiting(image, waiting);
    }
  }

  #rest(rest_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#endRest = undefined;
        resolve();
      };
      const timer = setTimeout(end, rest_ms);
      this.#endRest = end;
    });
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
  lookedAtMs: 0,
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
