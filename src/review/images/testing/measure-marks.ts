/** Measures precision and recall of the logo and watermark checks on generated images. */
import sharp from 'sharp';
import type { MarkSample } from '../../../domain/vocabulary/image-failures.ts';
import { samplePlanesOf, thumbnailOf } from '../decoding/thumbnail.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import { MARK_SCORE_MIN, markFinder } from '../marks/find-marks.ts';
import { makeSample, type SampleRaster } from '../marks/make-sample.ts';
import { type GeneratedImage, SAMPLE_MARKS, sampleFile } from './marked-images.ts';

export interface MarkFigures {
  readonly kind: MarkSample['kind'];
  readonly found: number;
  /** With the scores of both samples. */
  readonly missed: readonly string[];
  /** Images in which another sample was found, or one although they show none. */
  readonly mistaken: readonly string[];
  readonly precision: number;
  readonly recall: number;
}

type Score = readonly [sample: number, score: number];

export interface MeasuredMarks {
  readonly figures: readonly MarkFigures[];
  /** Images with marks that resemble a sample, and how many of them were mistaken for it. */
  readonly similar: readonly [images: number, found: number];
  /** Average time per image and sample. */
  readonly find_ms: Readonly<Record<MarkSample['kind'], number>>;
}

/** Compares each image with the sample that it shows and another one, or with two samples. */
export async function measureMarks(images: readonly GeneratedImage[]): Promise<MeasuredMarks> {
  const samples = await Promise.all(SAMPLE_MARKS.map((_, index) => sampleOf(index)));
  const seen: {
    readonly image: GeneratedImage;
    readonly kind: MarkSample['kind'];
    readonly scores: readonly Score[];
    readonly found: readonly number[];
  }[] = [];
  const spent_ms = { logo: 0, watermark: 0 };
  for (const [index, image] of images.entries()) {
    const file = await image.make();
    const { width, height } = await sharp(file).metadata();
    const { brightness } = await thumbnailOf(file, IMAGE_LIMITS);
    const finder = markFinder({ brightness, aspect: width / height });
    const first = image.shows ?? index % samples.length;
    for (const kind of image.kind === 'logo' ? (['logo'] as const) : (['logo', 'watermark'] as const)) {
      const started_ms = performance.now();
      const compared = [first, (first + 1) % samples.length];
      const scores = compared.map((sample): Score => [sample, finder({ kind, ...(samples[sample] as SampleRaster) })]);
      spent_ms[kind] += (performance.now() - started_ms) / compared.length;
      const found = scores.flatMap(([sample, score]) => (score >= MARK_SCORE_MIN[kind] ? [sample] : []));
      seen.push({ image, kind, scores, found });
    }
  }
  const figures = (['logo', 'watermark'] as const).map((kind): MarkFigures => {
    const own = seen.filter((it) => it.kind === kind && it.image.kind !== 'similar mark');
    const shown = own.filter(({ image }) => image.kind === kind);
    const missed = shown.filter(({ image, found }) => !found.includes(image.shows ?? -1));
    const mistaken = own.filter(({ image, found }) => found.some((it) => it !== image.shows));
    const found = shown.length - missed.length;
    const names = (some: typeof seen) =>
      some.map(({ image, scores }) => `${image.name}: ${scores.map(([, score]) => score.toFixed(2)).join(', ')}`);
    return {
      kind,
      found,
      missed: names(missed),
      mistaken: names(mistaken),
      precision: found / (found + mistaken.length),
      recall: found / shown.length,
    };
  });
  const similar = seen.filter(({ image, kind }) => image.kind === 'similar mark' && kind === 'watermark');
  return {
    figures,
    similar: [similar.length, similar.filter(({ found }) => found.length > 0).length],
    find_ms: { logo: spent_ms.logo / images.length, watermark: spent_ms.watermark / images.length },
  };
}

export async function sampleOf(index: number): Promise<SampleRaster> {
  const made = makeSample(await samplePlanesOf(await sampleFile(index), IMAGE_LIMITS));
  if (made === null) throw new Error(`Sample ${index} is too plain.`);
  return made;
}
