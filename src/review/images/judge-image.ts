/**
 * In charge of judging a file: is it a picture, one that we take, large enough, and does it show something. sharp decodes
 * on threads of its own; how many at once, and for how long, is bounded here.
 */
import sharp from 'sharp';
import type { ImageCheckResult, ImageFailure } from '../../domain/vocabulary/image-checks.ts';
import { AtMost, OutOfTimeError } from './at-most.ts';
import { isBlank } from './blank.ts';
import { checksOf } from './check-results.ts';
import { failureOfDecoder } from './decoder-failure.ts';
import { type Frames, framesOf, isSequence } from './frames.ts';
import { FORMATS, formatOf, type ImageFormat } from './image-format.ts';
import { IMAGE_LIMITS } from './image-limits.ts';
import { jpegScans } from './jpeg-scans.ts';
import { type PictureHash, pictureHash } from './picture-hash.ts';
import type { PlaceholderList, PlaceholderMatch } from './placeholder-list.ts';
import { thumbnailOf } from './thumbnail.ts';

export interface Judgement {
  readonly checks: readonly ImageCheckResult[];
  readonly type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frames: number | null;
  readonly hash: PictureHash | null;
  readonly placeholder: PlaceholderMatch | null;
}

export interface ImageJudgeOptions {
  /** Asked for each picture: operators change the list. */
  readonly placeholders: () => PlaceholderList;
  readonly judged_at_once_max?: number;
  readonly judge_ms_max?: number;
  /** Reads the pixels of a file. */
  readonly decode?: typeof thumbnailOf;
}

const UNSEEN = Object.freeze({ type: null, width: null, height: null, frames: null, hash: null, placeholder: null });

interface Header {
  readonly width: number;
  readonly height: number;
  readonly frames: Frames;
}

export class ImageJudge {
  readonly #placeholders: () => PlaceholderList;
  readonly #atMost: AtMost;
  readonly #decode: typeof thumbnailOf;

  constructor(options: ImageJudgeOptions) {
    this.#placeholders = options.placeholders;
    this.#decode = options.decode ?? thumbnailOf;
    this.#atMost = new AtMost({
      at_once_max: options.judged_at_once_max ?? IMAGE_LIMITS.judged_at_once_max,
      threads_max: IMAGE_LIMITS.judge_threads_max,
      work_ms_max: options.judge_ms_max ?? IMAGE_LIMITS.judge_ms_max,
    });
    // For the whole process: one thread a picture, so that requests keep a core, and nothing kept between pictures. With
    // the cache each damaged progressive JPEG of 49 megapixels left 150 MB behind.
    sharp.concurrency(1);
    sharp.cache(false);
  }

  /** Rejects only where the signal gave up before its turn came. */
  async judge(file: Buffer, signal?: AbortSignal): Promise<Judgement> {
    try {
      return await this.#atMost.run(() => this.#judge(file), signal);
    } catch (error) {
      if (!(error instanceof OutOfTimeError)) throw error;
      return { ...UNSEEN, checks: checksOf(['not_judged'], 'image') };
    }
  }

  async #judge(file: Buffer): Promise<Judgement> {
    const format = formatOf(file);
    if (format === undefined) return { ...UNSEEN, checks: checksOf(['not_an_image'], 'image') };
    const { type, decoder } = FORMATS[format];
    if (decoder === null) {
      const failure = format === 'gif' ? 'gif' : 'format_unsupported';
      return { ...UNSEEN, type, checks: checksOf([failure], 'format') };
    }
    if (isSequence(file)) return { ...UNSEEN, type, checks: checksOf(['animated'], 'frames') };
    const header = await headerOf(file, format, decoder);
    if (typeof header === 'string') return { ...UNSEEN, type, checks: checksOf([header], 'image') };
    const seen = { ...UNSEEN, type, width: header.width, height: header.height, frames: header.frames.count };
    const faults = faultsOf(header);
    if (faults.length > 0) return { ...seen, checks: checksOf(faults, 'pixels') };
    if (format === 'jpeg' && jpegScans(file) > IMAGE_LIMITS.jpeg_scans_max) {
      return { ...seen, checks: checksOf(['damaged'], 'pixels') };
    }
    const thumbnail = await this.#decode(file, IMAGE_LIMITS).catch(failureOfDecoder);
    if (typeof thumbnail === 'string') return { ...seen, checks: checksOf([thumbnail], 'pixels') };
    const hash = pictureHash(thumbnail);
    if (isBlank(thumbnail)) return { ...seen, hash, checks: checksOf(['blank'], 'blank') };
    const placeholder = this.#placeholders().match(hash);
    return { ...seen, hash, placeholder, checks: checksOf(placeholder === null ? [] : ['placeholder'], 'placeholder') };
  }
}

/** What the file says of itself, without decoding pixels. */
async function headerOf(file: Buffer, format: ImageFormat, decoder: string): Promise<Header | ImageFailure> {
  try {
    // Without a limit of pixels, which would hide how many there are.
    const header = await sharp(file, { failOn: 'error', limitInputPixels: false }).metadata();
    if (header.format !== decoder) return 'damaged';
    return { width: header.width, height: header.height, frames: framesOf(file, format, header.pages ?? 1) };
  } catch (error) {
    return failureOfDecoder(error);
  }
}

function faultsOf({ width, height, frames }: Header): ImageFailure[] {
  const faults: ImageFailure[] = [];
  if (frames.fault !== null) faults.push(frames.fault);
  if (width * height > IMAGE_LIMITS.pixels_max) faults.push('too_many_pixels');
  else if (
    width * height < IMAGE_LIMITS.area_pixels_min ||
    Math.max(width, height) < IMAGE_LIMITS.longer_side_pixels_min ||
    Math.min(width, height) < IMAGE_LIMITS.shorter_side_pixels_min
  ) {
    faults.push('too_small');
  }
  return faults;
}
