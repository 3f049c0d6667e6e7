/** Port of reviewed images and of the queue of images to fetch. */
import type { OfferReference } from './review.ts';

export interface StoredImage {
  readonly address: string;
  /** JSON text of domain/review/facts.ts ImageEvidence. */
  readonly evidence: string;
  readonly reviewedMs: number;
  /** For `If-None-Match`. */
  readonly etag: string | null;
}

export interface WantedImage {
  readonly address: string;
  /** How often it was put back since it was wanted: it could not be fetched. */
  readonly attempts: number;
  /** Looks that were begun since anybody came back with it: 1 for all that somebody had who died, more for `beginAlone`. */
  readonly lost: number;
  /** What is known of it, where it was reviewed before. */
  readonly known: StoredImage | undefined;
  /** Somebody asked for a new look since it came into the queue: what is known does not do. */
  readonly isAsked: boolean;
  /** Higher than the fence of every earlier holder. */
  readonly fence: number;
}

/** The last of the tries at an image that failed in a way that may pass: it is still in the queue. */
export interface FailedTry {
  readonly address: string;
  /** JSON text of domain/vocabulary/image-checks.ts ImageEvidence. */
  readonly evidence: string;
  /** Null: the next one is under way. */
  readonly nextMs: number | null;
}

/** An offer that shows, or waits for, the image at an address. */
export interface ImageUser extends OfferReference {
  readonly address: string;
}

/** How many images may be under way. */
export interface ImageLimits {
  /** In all, for whoever asks. */
  readonly limit: number;
  /** These two over all processes. */
  readonly perHost: number;
  readonly perAccount: number;
}

/**
 * Images by their address, whichever offers show them, and the queue of those that are to be fetched.
 *
 * An image stays in the queue until everybody who waits for it was told: whoever dies in between leaves it to the next
 * holder. What a holder whose lease went to another still sends changes nothing, and tells nobody: the newer one does.
 */
export interface ImageStore {
  readImages(addresses: readonly string[]): Promise<readonly StoredImage[]>;
  /** In any order; images that are not tried again are left out. */
  readFailedTries(addresses: readonly string[]): Promise<readonly FailedTry[]>;
  /**
   * The offers wait for these images; each is queued unless it is already. `pause_ms`: somebody asks for a new look, which
   * begins now, but no sooner than so long after the end of the last one that was asked for. A look that is under way does not
   * do, since it may have seen what was there before: another one follows it.
   */
  wantImages(wants: readonly ImageUser[], pause_ms?: number): Promise<void>;
  /** Remembers that the offers are reviewed by these images, until they are erased or it is forgotten. */
  noteImageUsers(users: readonly ImageUser[]): Promise<void>;
  /** They are not reviewed by these images any more. */
  forgetImageUsers(users: readonly ImageUser[]): Promise<void>;
  /**
   * Leases the images that are due longest for `lease_ms`: at most `perHost` of one host and `perAccount` of one account over all
   * processes, which pass the same numbers. After each check the account, and its images at the host, go behind those that wait
   * already. An image counts for the account that wanted it first, until one that has few in the queue wants it too.
   */
  takeImages(limits: ImageLimits, lease_ms: number): Promise<readonly WantedImage[]>;
  /**
   * Counts one more look at an image that was lost before, and has the lease begin anew. False: another has it now. Whoever
   * begins such looks one by one finds out which of those that were lost together is to blame.
   */
  beginAlone(image: WantedImage, lease_ms: number): Promise<boolean>;
  /**
   * It is to be tried again: `failedTry` is what was found, as in `FailedTry`. Without it nobody has tried, which does not
   * count against it.
   */
  delayImage(image: WantedImage, delay_ms: number, failedTry?: string): Promise<void>;
  /**
   * Stores what was found and gives the first offers that wait for it, some hundred at most; none: it is done with.
   * `isOther`: what was known of it before is not so any more, and all who are reviewed by it wait from now on.
   */
  storeImage(image: WantedImage, found: StoredImage, isOther?: boolean): Promise<readonly OfferReference[]>;
  /** After they were marked due: gives the next ones that wait for it, as above, for the same to be done with them. */
  forgetWaiting(image: WantedImage, offers: readonly OfferReference[]): Promise<readonly OfferReference[]>;
  /**
   * Drops what was found before that time of images by which no offer is reviewed and for which none waits, among the next
   * `limit` behind the key `after`. Gives the last key that was looked at; undefined: there are no more.
   */
  dropUnusedImages(beforeMs: number, after: Uint8Array, limit: number): Promise<Uint8Array | undefined>;
  readImageFigures(): Promise<{ readonly waiting: number; readonly oldestWait_ms: number }>;
}
