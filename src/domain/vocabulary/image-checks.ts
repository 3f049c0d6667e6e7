/**
 * The checks of an image, how each may fail, and what the merchant is told then. A failure that may pass is tried again;
 * the others stay until the image or its address changes. Codes are kept in evidence: never renamed, never reused.
 */

/** In the order in which they are made. A check is skipped where an earlier one leaves nothing to look at. */
export const IMAGE_CHECKS = Object.freeze([
  'reachable',
  'image',
  'format',
  'frames',
  'pixels',
  'blank',
  'placeholder',
  'logo',
  'watermark',
] as const);

export type ImageCheck = (typeof IMAGE_CHECKS)[number];

interface FailureDescription {
  readonly check: ImageCheck;
  readonly mayPass: boolean;
  readonly remedy: string;
}

export const IMAGE_FAILURES = Object.freeze({
  address_refused: {
    check: 'reachable',
    mayPass: false,
    remedy: 'Give an address that starts with http:// or https:// and has no user name or password in it.',
  },
  host_not_public: {
    check: 'reachable',
    mayPass: false,
    remedy: 'Give an address on a host that is on the public internet.',
  },
  host_unknown: {
    check: 'reachable',
    mayPass: true,
    remedy: 'The host of the address was not found. Check its name.',
  },
  connection_failed: {
    check: 'reachable',
    mayPass: true,
    remedy: 'The host did not take the connection or broke it off. Check that it is up.',
  },
  certificate_invalid: {
    check: 'reachable',
    mayPass: false,
    remedy: 'The certificate or encryption of the host is not valid for this address. Have it renewed or corrected.',
  },
  timed_out: {
    check: 'reachable',
    mayPass: true,
    remedy: 'The host took too long to deliver the image. Put it on a faster one.',
  },
  http_refused: {
    check: 'reachable',
    mayPass: false,
    remedy: 'The host refuses to deliver the image. Check that the address exists and needs no login.',
  },
  http_failed: {
    check: 'reachable',
    mayPass: true,
    remedy: 'The host reports a failure of its own instead of the image. Check it.',
  },
  redirects_too_many: {
    check: 'reachable',
    mayPass: false,
    remedy: 'The address is forwarded too often. Give the address at which the image is.',
  },
  redirect_refused: {
    check: 'reachable',
    mayPass: false,
    remedy: 'The address forwards to one that is not followed. Give the http(s) address at which the image is.',
  },
  answer_invalid: {
    check: 'reachable',
    mayPass: false,
    remedy: 'What the host answers is not valid HTTP. Put the image on another host.',
  },
  body_encoded: {
    check: 'reachable',
    mayPass: false,
    remedy: 'The host delivers the image compressed although it was asked not to. Switch that off for images.',
  },
  too_many_bytes: {
    check: 'reachable',
    mayPass: false,
    remedy: 'The image has too many bytes. Save it smaller.',
  },
  not_an_image: {
    check: 'image',
    mayPass: false,
    remedy: 'What the address delivers is not an image. Give the address of the image, not of a page that shows it.',
  },
  damaged: {
    check: 'image',
    mayPass: false,
    remedy: 'The image is damaged or incomplete. Save and upload it again.',
  },
  /** Time or memory did not suffice, or the decoder crashed, again and again. */
  not_reviewed: {
    check: 'image',
    mayPass: true,
    remedy:
      'The image could not be reviewed: reading it failed again and again. Save it anew as JPEG or PNG and upload it.',
  },
  gif: {
    check: 'format',
    mayPass: false,
    remedy: 'GIF is not taken. Save the image as JPEG or PNG.',
  },
  format_unsupported: {
    check: 'format',
    mayPass: false,
    remedy: 'This image format is not taken. Save the image as JPEG or PNG.',
  },
  animated: {
    check: 'frames',
    mayPass: false,
    remedy: 'The image is animated. Save a single frame of it.',
  },
  layered: {
    check: 'frames',
    mayPass: false,
    remedy: 'The image has several layers or pages. Save it flattened.',
  },
  too_small: {
    check: 'pixels',
    mayPass: false,
    remedy: 'The image is too small. It needs 40,000 pixels, 200 along its longer and 100 along its shorter side.',
  },
  too_many_pixels: {
    check: 'pixels',
    mayPass: false,
    remedy: 'The image has too many pixels for its format. Save it smaller, or as a baseline JPEG.',
  },
  blank: {
    check: 'blank',
    mayPass: false,
    remedy: 'The image shows nothing but one colour. Give one that shows the product.',
  },
  placeholder: {
    check: 'placeholder',
    mayPass: false,
    remedy: 'The image is a placeholder for a missing one. Give one that shows the product.',
  },
} as const satisfies Record<string, FailureDescription>);

export type ImageFailure = keyof typeof IMAGE_FAILURES;

/** Nothing that is done at the address fixes these: it takes another one. */
export const FAILURES_OF_ADDRESSES: ReadonlySet<ImageFailure> = new Set(['address_refused', 'host_not_public']);

export interface ImageCheckResult {
  readonly check: ImageCheck;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failure: ImageFailure | null;
}

/** What a look at one address found. Plain data, kept as JSON. */
export interface ImageEvidence {
  /** `retry`: it failed in a way that may pass, and is looked at again after `retryInMs`. */
  readonly verdict: 'passed' | 'failed' | 'retry';
  readonly checks: readonly ImageCheckResult[];
  readonly checkedAtMs: number;
  /** Looks in a row that failed in a way that may pass, this one counted. 0: this one did not. */
  readonly attempts: number;
  readonly retryInMs: number | null;
  /** Where redirects ended. */
  readonly finalAddress: string;
  readonly httpStatus: number | null;
  readonly bytes: number | null;
  /** As its bytes say, not as its host says: `image/jpeg`. */
  readonly type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frames: number | null;
  /** Perceptual hash; also what an operator adds to the list of placeholders. */
  readonly hash: string | null;
  /** The nearest known placeholder, with its distance from 0 (the same) to 1, where it is near enough. */
  readonly placeholder: { readonly name: string; readonly distance: number } | null;
  readonly etag: string | null;
}

/** A try that failed in a way that may pass, of an image that is tried again. */
export interface FailedImageTry
  extends Pick<ImageEvidence, 'checks' | 'checkedAtMs' | 'attempts' | 'finalAddress' | 'httpStatus'> {
  /** Null: the next one is under way. */
  readonly nextMs: number | null;
}
