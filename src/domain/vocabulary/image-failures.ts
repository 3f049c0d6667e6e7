/**
 * The checks of an image, how each can fail, and what the merchant should do. Transient failures are retried; the
 * others stay until the image or its URL changes. Codes are stored in evidence, so they are never renamed or reused.
 */

/** The checks in the order in which they run. A check is skipped when an earlier failure leaves nothing to check. */
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

/** A failure that stays until the image or its URL changes. */
const lasting = (check: ImageCheck, remedy: string): FailureDescription => ({ check, mayPass: false, remedy });
/** A failure that may pass, so that the image is retried. */
const transient = (check: ImageCheck, remedy: string): FailureDescription => ({ check, mayPass: true, remedy });

export const IMAGE_FAILURES = Object.freeze({
  address_refused: lasting(
    'reachable',
    'Use a URL that starts with http:// or https:// and contains no user name or password.',
  ),
  host_not_public: lasting('reachable', 'Use a URL on the public internet.'),
  host_unknown: transient('reachable', 'This host was not found. Check the URL.'),
  connection_failed: transient(
    'reachable',
    'The image server refused or dropped the connection. Check that it is running.',
  ),
  certificate_invalid: lasting(
    'reachable',
    'The TLS certificate of the image server is not valid for this URL. Renew or correct it.',
  ),
  timed_out: transient('reachable', 'The image server took too long to respond. Use a faster one.'),
  http_refused: lasting(
    'reachable',
    'The image server refused the request. Check that the URL exists and needs no login.',
  ),
  http_failed: transient('reachable', 'The image server returned an error. Check the server.'),
  redirects_too_many: lasting('reachable', 'The URL redirects too many times. Use the final URL of the image.'),
  redirect_refused: lasting(
    'reachable',
    'The URL redirects to a URL that is not allowed. Use the final http(s) URL of the image.',
  ),
  answer_invalid: lasting('reachable', 'The image server did not respond with valid HTTP. Use another host.'),
  body_encoded: lasting(
    'reachable',
    'The image server compressed the response although the request forbids it. Turn compression off for images.',
  ),
  too_many_bytes: lasting('reachable', 'The image file is too large. Save a smaller file.'),
  not_an_image: lasting(
    'image',
    'The URL does not return an image. Use the URL of the image itself, not of a page that shows it.',
  ),
  damaged: lasting('image', 'The image is damaged or incomplete. Save it and upload it again.'),
  /** The decoder crashed or exceeded its time or memory limit several times. */
  not_reviewed: transient(
    'image',
    'The image could not be read after several attempts. Save it again as JPEG or PNG and upload it.',
  ),
  gif: lasting('format', 'GIF images are not accepted. Use JPEG, PNG, WebP, AVIF or TIFF.'),
  format_unsupported: lasting('format', 'This image format is not accepted. Use JPEG, PNG, WebP, AVIF or TIFF.'),
  animated: lasting('frames', 'The image is animated. Use a still image.'),
  layered: lasting('frames', 'The image has several layers or pages. Save it as a single flat image.'),
  too_small: lasting(
    'pixels',
    'The image is too small. It needs at least 40,000 pixels, with a longer side of at least 200 and a shorter side of at least 100.',
  ),
  too_many_pixels: lasting(
    'pixels',
    'The image has too many pixels for its format. Make it smaller, or save it as a baseline JPEG.',
  ),
  blank: lasting('blank', 'The image is blank. Use one that shows the product.'),
  placeholder: lasting('placeholder', 'The image is a placeholder. Use one that shows the product.'),
  logo: lasting('logo', 'The image shows only a logo. Use one that shows the product.'),
  watermark: lasting('watermark', 'The image has a watermark. Use one without it.'),
});

export type ImageFailure = keyof typeof IMAGE_FAILURES;

/** Failures of the URL itself: only another URL fixes them. */
export const FAILURES_OF_ADDRESSES: ReadonlySet<ImageFailure> = new Set(['address_refused', 'host_not_public']);

export interface ImageCheckResult {
  readonly check: ImageCheck;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failure: ImageFailure | null;
  /** The name of the logo or watermark that was found. */
  readonly sample?: string;
}

export type MarkKind = Extract<ImageCheck, 'logo' | 'watermark'>;

/** A logo or watermark that an operator added: its brightness without the ground around it. */
export interface MarkSample {
  readonly kind: MarkKind;
  readonly width: number;
  readonly height: number;
  /** A byte per pixel, in base64. */
  readonly pixels: string;
}

/** The samples that an image was compared with, by id, and those that it shows. */
export interface FoundMarks {
  readonly compared: readonly string[];
  /** The score is 1 if the image shows exactly the sample. */
  readonly found: readonly { readonly id: string; readonly score: number }[];
}

/** The result of checking one URL, as plain data that is kept as JSON. */
export interface ImageEvidence {
  /** `retry`: a transient failure. The image is checked again after `retryDelay_ms`. */
  readonly verdict: 'passed' | 'failed' | 'retry';
  readonly checks: readonly ImageCheckResult[];
  readonly checkedAtMs: number;
  /** Consecutive transient failures, this one included. 0: this check did not fail that way. */
  readonly attempts: number;
  readonly retryDelay_ms: number | null;
  /** The URL after all redirects. */
  readonly finalAddress: string;
  readonly httpStatus: number | null;
  readonly bytes: number | null;
  /** Detected from the bytes, not from the response header: `image/jpeg`. */
  readonly type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frames: number | null;
  /** Perceptual hash. An operator can add it to the list of placeholders. */
  readonly hash: string | null;
  /** The nearest known placeholder within the threshold, with its distance from 0 (identical) to 1. */
  readonly placeholder: { readonly name: string; readonly distance: number } | null;
  /** The surest logo or watermark. */
  readonly mark?: { readonly kind: MarkKind; readonly name: string; readonly score: number };
  /** Absent if there were no samples. */
  readonly marks?: FoundMarks;
  readonly etag: string | null;
}

/** A transient failure of an image that will be retried. */
export interface FailedImageTry
  extends Pick<ImageEvidence, 'checks' | 'checkedAtMs' | 'attempts' | 'finalAddress' | 'httpStatus'> {
  /** Null: the next attempt is in progress. */
  readonly nextMs: number | null;
}
