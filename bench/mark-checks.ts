/**
 * Measures the figures of docs/explanation/images.md: precision and recall of the logo and watermark checks on generated images.
 * Run: node bench/mark-checks.ts [images with a watermark] [seed]
 */
import { generatedImages } from '../src/review/images/testing/marked-images.ts';
import { measureMarks } from '../src/review/images/testing/measure-marks.ts';

/** The limits of the checks were chosen on seed 1000. */
const [watermarks = 230, seed = 700_000] = process.argv.slice(2).map(Number);

const images = generatedImages(watermarks, seed);
const { figures, similar, find_ms } = await measureMarks(images);
console.log('Generated images:', images.length);
for (const [kind, all] of Map.groupBy(images, (image) => image.kind)) console.log(`  ${kind}: ${all.length}`);
for (const { kind, found, missed, mistaken, precision, recall } of figures) {
  console.log(`${kind}: precision ${percent(precision)}, recall ${percent(recall)}`);
  console.log(`  found ${found}, missed ${missed.length}, mistaken ${mistaken.length}`);
  for (const name of missed) console.log(`    missed ${name}`);
  for (const name of mistaken) console.log(`    mistaken ${name}`);
}
console.log(`similar marks: ${similar[0]}, taken for the sample: ${similar[1]}`);
console.log(`compared in ${find_ms.logo.toFixed(1)} ms a logo, ${find_ms.watermark.toFixed(1)} ms a watermark`);

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
