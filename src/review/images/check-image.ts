/**
 * Checks one file: whether it is an image in a supported format, large enough, and not blank. Runs in a decoder process; the
 * server itself never reads the bytes of an image.
 */
import sharp, { type Metadata } from 'sharp';
import type { ImageFailure } from '../../domain/vocabulary/image-failures.ts';
import { isBlank } from './blank.ts';
import { checksOf, type ImageFindings, UNSEEN } from './check-results.ts';
import { decodeMemoryOf } from './decoding/decode-memory.ts';
import { hasMoreParts } from './decoding/file-parts.ts';
import { type Frames, framesOfPages, framesOfPng, isSequence } from './decoding/frames.ts';
import { FORMATS, formatOf, type ImageFormat } from './decoding/image-format.ts';
import { jpegScans } from './decoding/jpeg-scans.ts';
import { samplePlanesOf, thumbnailOf } from './decoding/thumbnail.ts';
import { imageHash } from './image-hash.ts';
import { IMAGE_LIMITS } from './image-limits.ts';
import { findMarks, type KnownSample } from './marks/find-marks.ts';
import { makeSample, type SampleRaster } from './marks/make-sample.ts';

export interface CheckImageOptions {
  /** An image that needs more memory is refused. */
  readonly memory_bytes_max: number;
  /** Waits until this much memory is available for decoding. */
  readonly reserve: (memory_bytes: number) => Promise<void>;
  /** Logos and watermarks to find. */
  readonly samples?: readonly KnownSample[];
  /** Reads the pixels of a file. */
  readonly decode?: typeof thumbnailOf;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly frames: Frames;
  readonly memory_bytes: number;
}

/** Before the process counts as hanging. */
const MARKS_UNTIL_MS = IMAGE_LIMITS.review_ms_max - 2_000;

// For the whole process: one thread per image, so that requests keep a core, and no cache. With the cache, each damaged
// progressive JPEG of 49 megapixels leaked 150 MB.
sharp.concurrency(1);
sharp.cache(false);

export async function checkImage(file: Buffer, options: CheckImageOptions): Promise<ImageFindings> {
  const { memory_bytes_max, reserve, samples = [], decode = thumbnailOf } = options;
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
  const faults = faultsOf(header, memory_bytes_max);
  if (faults.length > 0) return { ...seen, checks: checksOf(faults, 'pixels') };
  await reserve(header.memory_bytes);
  const until_ms = performance.now() + MARKS_UNTIL_MS;
  const thumbnail = await decode(file, IMAGE_LIMITS).catch(failureOfDecoder);
  if (typeof thumbnail === 'string') return { ...seen, checks: checksOf([thumbnail], 'pixels') };
  const hash = imageHash(thumbnail);
  if (isBlank(thumbnail)) return { ...seen, hash, checks: checksOf(['blank'], 'blank') };
  const image = { brightness: thumbnail.brightness, aspect: header.width / header.height };
  const marks = samples.length === 0 ? {} : { marks: findMarks(image, samples, until_ms) };
  return { ...seen, hash, ...marks, checks: checksOf([], 'blank') };
}

/** Makes a sample from the image of a logo or watermark. It may be small, because it is a part of other images. */
export async function sampleOfImage(file: Buffer, options: CheckImageOptions): Promise<SampleRaster | null> {
  const format = formatOf(file);
  const decoder = format && FORMATS[format].decoder;
  if (format === undefined || decoder == null || isSequence(file)) return null;
  const header = await headerOf(file, format, decoder);
  if (typeof header === 'string') return null;
  if (faultsOf(header, options.memory_bytes_max).some((fault) => fault !== 'too_small')) return null;
  await options.reserve(header.memory_bytes);
  return makeSample(await samplePlanesOf(file, IMAGE_LIMITS).catch(() => []));
}

/** Reads the header without decoding pixels. Counts markers and chunks before a library reads them. */
async function headerOf(file: Buffer, format: ImageFormat, decoder: string): Promise<Header | ImageFailure> {
  const jpeg = format === 'jpeg' ? jpegScans(file, IMAGE_LIMITS.jpeg_markers_max) : NO_SCANS;
  const png = format === 'png' ? framesOfPng(file, IMAGE_LIMITS.png_chunks_max) : NO_FRAMES;
  if (jpeg === undefined || jpeg.scans > IMAGE_LIMITS.jpeg_scans_max || png === undefined) return 'damaged';
  if (hasMoreParts(file, format, IMAGE_LIMITS.file_parts_max)) return 'damaged';
  let header: Metadata;
  try {
    // No pixel limit here, because it would hide the actual size.
    header = await sharp(file, { failOn: 'error', limitInputPixels: false }).metadata();
  } catch (error) {
    return failureOfDecoder(error);
  }
  if (header.format !== decoder) return 'damaged';
  return {
    width: header.width,
    height: header.height,
    frames: format === 'png' ? png : framesOfPages(format, header.pages ?? 1),
    memory_bytes: decodeMemoryOf(file.length, format, header) + jpeg.coefficient_bytes,
  };
}

const NO_SCANS = Object.freeze({ scans: 0, coefficient_bytes: 0 });
const NO_FRAMES: Frames = Object.freeze({ count: 1, fault: null });

function faultsOf({ width, height, frames, memory_bytes }: Header, memory_bytes_max: number): ImageFailure[] {
  const faults: ImageFailure[] = [];
  if (frames.fault !== null) faults.push(frames.fault);
  if (width * height > IMAGE_LIMITS.pixels_max || memory_bytes > memory_bytes_max) faults.push('too_many_pixels');
  else if (
    width * height < IMAGE_LIMITS.area_pixels_min ||
    Math.max(width, height) < IMAGE_LIMITS.longer_side_pixels_min ||
    Math.min(width, height) < IMAGE_LIMITS.shorter_side_pixels_min
  ) {
    faults.push('too_small');
  }
  return faults;
}

/** Messages by sharp for a timeout, and by its libraries for lack of memory. */
const MAY_PASS =
  /timeout: \d+% complete|out of memory|insufficient memory|memory allocation|(?:failed to|cannot|can't) allocate/i;

/** Tells whether decoding failed because of the file, or because there was not enough time or memory this time. */
function failureOfDecoder(error: unknown): Extract<ImageFailure, 'damaged' | 'not_reviewed'> {
  return error instanceof Error && MAY_PASS.test(error.message) ? 'not_reviewed' : 'damaged';
}
