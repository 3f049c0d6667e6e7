/** Tests the detection of logos and watermarks on a few generated images; docs/explanation/images.md has the figures of the larger set. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { samplePlanesOf, thumbnailOf } from '../decoding/thumbnail.ts';
import { IMAGE_LIMITS } from '../image-limits.ts';
import { generatedImages } from '../testing/marked-images.ts';
import { measureMarks, sampleOf } from '../testing/measure-marks.ts';
import { MARK_SCORE_MIN, markFinder } from './find-marks.ts';
import { makeSample, SAMPLE_SIDE } from './make-sample.ts';

it('logos and watermarks are found as reliably as the docs say', async () => {
  const { figures } = await measureMarks(generatedImages(12, 3_000));
  for (const { kind, mistaken, missed, recall } of figures) {
    assert.deepEqual(mistaken, [], kind);
    assert.ok(recall >= 0.9, `${kind}: ${missed.join('; ')}`);
  }
});

describe('a sample', () => {
  it('keeps the mark without the ground around it, and may be transparent and white', async () => {
    const { width, height, pixels } = await sampleOf(4);
    assert.deepEqual([width, height, Buffer.from(pixels, 'base64').length], [SAMPLE_SIDE, 88, SAMPLE_SIDE * 88]);
    assert.ok((await made(star('#ffffff', 'none'))) !== null);
    assert.ok((await made(star('#000000', 'none'))) !== null);
  });

  it('is refused if it is blank, too plain, not on a plain ground, or a line', async () => {
    assert.equal(await made(svg('<rect width="300" height="300" fill="#eee"/>')), null);
    assert.equal(await made(star('#ffffff', '#f4f4f4')), null);
    assert.equal(await made(svg('<rect width="150" height="300" fill="#333"/>')), null);
    assert.equal(await made(svg('<rect x="10" y="140" width="280" height="12" fill="#000"/>')), null);
  });
});

describe('a mark', () => {
  it('is a logo only if the image shows nothing else, and a watermark also on other content', async () => {
    const sample = (await made(star('#000000', '#ffffff'))) ?? assert.fail();
    const alone = await finder(star('#205080', '#f0e8d8'));
    const beside = await finder(svg(`${STAR}<rect x="190" y="170" width="80" height="90" rx="9" fill="#b03020"/>`));
    for (const [find, isLogo] of [
      [alone, true],
      [beside, false],
    ] as const) {
      assert.equal(find({ kind: 'logo', ...sample }) >= MARK_SCORE_MIN.logo, isLogo);
      assert.equal(find({ kind: 'watermark', ...sample }) >= MARK_SCORE_MIN.watermark, true);
    }
  });

  it('is found neither in a blank image nor in an image with other edges', async () => {
    const sample = (await made(star('#000000', '#ffffff'))) ?? assert.fail();
    for (const other of ['', '<circle cx="150" cy="150" r="90"/>']) {
      const find = await finder(svg(`<rect width="300" height="300" fill="#fff"/>${other}`));
      assert.ok(find({ kind: 'logo', ...sample }) < MARK_SCORE_MIN.logo);
      assert.ok(find({ kind: 'watermark', ...sample }) < MARK_SCORE_MIN.watermark);
    }
  });
});

const STAR = '<path d="M80 20L98 62L142 65L108 93L120 138L80 112L40 138L52 93L18 65L62 62Z"/>';

function star(ink: string, ground: string): string {
  return svg(`<rect width="300" height="300" fill="${ground}"/><g fill="${ink}">${STAR}</g>`);
}

function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300">${content}</svg>`;
}

async function made(image: string) {
  return makeSample(await samplePlanesOf(await sharp(Buffer.from(image)).png().toBuffer(), IMAGE_LIMITS));
}

async function finder(image: string) {
  const { brightness } = await thumbnailOf(await sharp(Buffer.from(image)).png().toBuffer(), IMAGE_LIMITS);
  return markFinder({ brightness, aspect: 1 });
}
