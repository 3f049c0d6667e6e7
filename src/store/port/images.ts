/** Port for reviewed images and for the queue of images to fetch. */
import type { ImageEvidence } from '../../domain/vocabulary/image-failures.ts';
import type { SkuKey } from './offers.ts';

export interface StoredImage {
  readonly address: string;
  readonly evidence: ImageEvidence;
  readonly reviewedMs: number;
  /** The value for `If-None-Match`. */
  readonly etag: string | null;
}

export interface WantedImage {
  readonly address: string;
  /** Number of failed downloads since the image was queued. */
  readonly attempts: number;
  /** Number of checks started since the last result. When a process dies, each of its images has 1; `beginAlone` adds 1. */
  readonly lost: number;
  /** The result of an earlier check. */
  readonly known: StoredImage | undefined;
  /** A person requested a new check, so the known result must not be reused. */
  readonly isAsked: boolean;
  /** Higher than the fence of every earlier holder. */
  readonly fence: number;
}

/** The last failed download of an image that is retried. */
export interface FailedTry extends Pick<StoredImage, 'address' | 'evidence'> {
  /** When the next attempt is due; null while it is in flight. */
  readonly nextMs: number | null;
}

/** An offer that uses, or waits for, the image at a URL. */
export interface ImageUser extends SkuKey {
  readonly address: string;
}

export interface ImageLimits {
  /** The maximum number of images to take now. */
  readonly limit: number;
  /** The maximum number of images in flight per host, and per account, over all processes. */
  readonly perHost: number;
  readonly perAccount: number;
}

export interface ImageFigures {
  /** Number of images in the queue. */
  readonly waiting: number;
  /** How long the oldest image has waited, without images whose download failed. */
  readonly oldestWait_ms: number;
  /** Number of images whose download failed and is retried. */
  readonly retrying: number;
  readonly oldestRetry_ms: number;
}

/**
 * Images by address, and the queue of images to fetch.
 *
 * An image stays in the queue until every waiting offer is marked as due. If a process dies, the next lease holder continues. Calls by a
 * holder that has lost its lease have no effect.
 */
export interface ImageStore {
  readImages(addresses: readonly string[]): Promise<readonly StoredImage[]>;
  /** Returns failed attempts in any order. Images that are not retried are left out. */
  readFailedTries(addresses: readonly string[]): Promise<readonly FailedTry[]>;
  /**
   * Records that offers wait for images, and queues the images. `pause_ms`: a person requests a new check. It starts immediately, but at
   * least `pause_ms` after the last requested check ended. If a check is in flight, the new check follows it.
   */
  wantImages(wants: readonly ImageUser[], pause_ms?: number): Promise<void>;
  /** Records that the review of these offers uses the images, until the offers are erased or forgotten. */
  noteImageUsers(users: readonly ImageUser[]): Promise<void>;
  forgetImageUsers(users: readonly ImageUser[]): Promise<void>;
  /**
   * Leases the images that are due longest, within the limits. After each check the account, and its images at the host, queue behind
   * those already waiting. An image is charged to the account that requested it first, until an account with few queued images requests
   * it too.
   */
  takeImages(limits: ImageLimits, lease_ms: number): Promise<readonly WantedImage[]>;
  /**
   * Counts one more check of an image whose earlier check was lost, and restarts the lease. Returns false if another process has the image.
   * Checking such images one at a time shows which of them crashes the process.
   */
  beginAlone(image: WantedImage, lease_ms: number): Promise<boolean>;
  /** Puts the image back for a retry. `failedTry` is the evidence (see `FailedTry`); without it the attempt does not count. */
  delayImage(image: WantedImage, delay_ms: number, failedTry?: ImageEvidence): Promise<void>;
  /**
   * Stores the result and returns the first waiting offers, at most a few hundred; none if the image is done. `isOther`: the result differs
   * from the known one, so all offers that use the image wait from now on.
   */
  storeImage(image: WantedImage, found: StoredImage, isOther?: boolean): Promise<readonly SkuKey[]>;
  /** Call this after marking the offers as due. Returns the next waiting offers, as `storeImage` does. */
  forgetWaiting(image: WantedImage, offers: readonly SkuKey[]): Promise<readonly SkuKey[]>;
  /**
   * Examines the next `limit` results after the key `after`, and drops those older than `beforeMs` whose image no offer uses or waits for.
   * Returns the last key examined; undefined at the end.
   */
  dropUnusedImages(beforeMs: number, after: Uint8Array, limit: number): Promise<Uint8Array | undefined>;
  /** Counts images in the queue by the account that they are charged to. */
  countImagesByAccount(): Promise<ReadonlyMap<number, number>>;
  readImageFigures(): Promise<ImageFigures>;
}
