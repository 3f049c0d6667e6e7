/**
 * Measures the figures of docs/explanation/images.md: precision and recall of the blank and the placeholder check on generated images, and
 * how similar others are to the listed placeholders. Run: node bench/image-checks.ts [--hashes]
 *
 * With --hashes it prints the data of src/review/images/builtin-placeholders.ts instead.
 */
import sharp from 'sharp';
import { BUILTIN_PLACEHOLDERS } from '../src/review/images/builtin-placeholders.ts';
import { ImageDecoders } from '../src/review/images/decoding/image-decoders.ts';
import { thumbnailOf } from '../src/review/images/decoding/thumbnail.ts';
import { hashDistance, imageHash } from '../src/review/images/image-hash.ts';
import { IMAGE_LIMITS } from '../src/review/images/image-limits.ts';
import { reviewImage } from '../src/review/images/inspect-image.ts';
import { PlaceholderList } from '../src/review/images/placeholder-list.ts';
import { type ImageLabel, labeledImages } from '../src/review/images/testing/labeled-images.ts';
import { measureChecks } from '../src/review/images/testing/measure-checks.ts';
import { LISTED_COLORS, LISTED_LAYOUTS, placeholderSvg } from '../src/review/images/testing/placeholder-images.ts';

const PRODUCTS = 440;
/** The limits of the checks were chosen on seed 7. */
const SEED = 2_026;

if (process.argv.includes('--hashes')) await printHashes();
else await printFigures();

async function printHashes(): Promise<void> {
  for (const [name, layout] of Object.entries(LISTED_LAYOUTS)) {
    const image = await sharp(Buffer.from(placeholderSvg(layout, LISTED_COLORS)))
      .png()
      .toBuffer();
    const hash = imageHash(await thumbnailOf(image, IMAGE_LIMITS));
    console.log(`  {\n    name: '${name}',\n    hash: '${hash}',\n  },`);
  }
}

async function printFigures(): Promise<void> {
  const images = labeledImages(PRODUCTS, SEED);
  const list = new PlaceholderList(BUILTIN_PLACEHOLDERS);
  const reviewer = { placeholders: () => list, decoders: new ImageDecoders({ memory_mb_max: 256 }) };
  const review = (file: Buffer) => reviewImage(reviewer, file);
  const { counts, figures, review_ms } = await measureChecks(review, images);
  console.log('Generated images:', counts);
  for (const { check, sought, found, missed, mistaken, precision, recall } of figures) {
    // Precision is undefined if nothing was found.
    const precisely = found === 0 ? 'not defined' : percent(precision);
    console.log(`${check}, of ${sought}: precision ${precisely}, recall ${percent(recall)}`);
    console.log(`  found ${found}, missed ${missed.length}, mistaken ${mistaken.length}`);
    for (const name of [...missed.slice(0, 5), ...mistaken.slice(0, 5)]) console.log(`    ${name}`);
  }
  console.log(`reviewed in ${review_ms.toFixed(1)} ms an image, one after the other`);
  await printDistances();
}

/** Prints the margin between the threshold and the images on both sides. */
async function printDistances(): Promise<void> {
  const known = BUILTIN_PLACEHOLDERS.map(({ hash }) => Buffer.from(hash, 'hex'));
  const distances = new Map<ImageLabel, number[]>();
  for (const image of labeledImages(PRODUCTS, SEED)) {
    const hash = Buffer.from(imageHash(await thumbnailOf(await image.make(), IMAGE_LIMITS)), 'hex');
    const nearest = Math.min(...known.map((other) => hashDistance(other, hash)));
    distances.set(image.label, [...(distances.get(image.label) ?? []), nearest]);
  }
  for (const [label, all] of distances) {
    const sorted = all.toSorted((one, other) => one - other);
    const at = (share: number) => (sorted[Math.round((sorted.length - 1) * share)] as number).toFixed(2);
    console.log(
      `distance to the nearest listed, ${label}: ${at(0)} / ${at(0.5)} / ${at(0.95)} / ${at(1)} (min, median, p95, max)`,
    );
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
