/** Tests blank and placeholder detection on generated images; docs/explanation/images.md has the figures of the larger set. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { BUILTIN_PLACEHOLDERS } from './builtin-placeholders.ts';
import { thumbnailOf } from './decoding/thumbnail.ts';
import { hashDistance, imageHash, isDistinct, isImageHash } from './image-hash.ts';
import { IMAGE_LIMITS } from './image-limits.ts';
import { reviewImage } from './inspect-image.ts';
import { PlaceholderList } from './placeholder-list.ts';
import { labeledImages } from './testing/labeled-images.ts';
import { measureChecks } from './testing/measure-checks.ts';
import { LISTED_COLORS, LISTED_LAYOUTS, placeholderSvg, UNLISTED_LAYOUTS } from './testing/placeholder-images.ts';
import { FAINT_PRODUCTS, productImages } from './testing/product-images.ts';
import { seededRandom } from './testing/seeded-random.ts';
import { testDecoders } from './testing/test-decoders.ts';

const list = new PlaceholderList(BUILTIN_PLACEHOLDERS);
const decoders = testDecoders();
const review = (file: Buffer) => reviewImage({ placeholders: () => list, decoders }, file);

describe('a product on a white background', () => {
  for (const { name, svg } of [...productImages(11, seededRandom(1)), ...FAINT_PRODUCTS]) {
    it(`passes: ${name}`, async () => {
      const { checks } = await review(await sharp(Buffer.from(svg)).jpeg({ quality: 70 }).toBuffer());
      assert.deepEqual(
        checks.filter(({ state }) => state === 'failed'),
        [],
      );
    });
  }

  it('passes on a transparent background, even if it is white itself', async () => {
    for (const color of ['#ffffff', '#000000']) {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><circle cx="150" cy="150" r="60" fill="${color}"/></svg>`;
      const { checks } = await review(await sharp(Buffer.from(svg)).png().toBuffer());
      assert.equal(checks.find(({ check }) => check === 'blank')?.state, 'passed', color);
    }
  });
});

it('blank and placeholder detection is as good as the docs say', async () => {
  const measured = await measureChecks(review, labeledImages(33, 3));
  const [blank, listed] = measured.figures;
  assert.deepEqual([blank?.precision, blank?.recall], [1, 1]);
  assert.equal(listed?.precision, 1);
  assert.ok((listed?.recall ?? 0) >= 0.98, `${listed?.recall}: ${listed?.missed.join(', ')}`);
});

describe('placeholders', () => {
  it('of the built-in list match what the code draws', async () => {
    assert.deepEqual(
      BUILTIN_PLACEHOLDERS.map(({ name }) => name),
      Object.keys(LISTED_LAYOUTS),
    );
    for (const { name, hash } of BUILTIN_PLACEHOLDERS) {
      const drawn = await hashOf(placeholderSvg(LISTED_LAYOUTS[name] ?? assert.fail(), LISTED_COLORS));
      // Other libvips releases may round differently.
      assert.ok(hashDistance(Buffer.from(hash, 'hex'), Buffer.from(drawn, 'hex')) < 0.1, name);
    }
  });

  it('can be added by an operator', async () => {
    const layout = UNLISTED_LAYOUTS['words-at-the-top'] ?? assert.fail();
    const file = await sharp(Buffer.from(placeholderSvg(layout, { ground: '#ffffff', ink: '#444444' })))
      .jpeg()
      .toBuffer();
    const before = await review(file);
    assert.equal(before.placeholder, null);
    const hash = await hashOf(placeholderSvg(layout, LISTED_COLORS));
    const extended = new PlaceholderList([...BUILTIN_PLACEHOLDERS, { name: 'ours', hash }]);
    const after = await reviewImage({ placeholders: () => extended, decoders }, file);
    assert.equal(after.placeholder?.name, 'ours');
    assert.equal(after.checks.find(({ check }) => check === 'placeholder')?.failure, 'placeholder');
  });

  it('are not added if they are too plain to be distinct', async () => {
    const plain = await hashOf(
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300" fill="#eee"/></svg>',
    );
    assert.equal(isImageHash(plain), true);
    assert.equal(isDistinct(plain), false);
    assert.throws(() => new PlaceholderList([{ name: 'plain', hash: plain }]), /plain/);
    assert.throws(() => new PlaceholderList([{ name: 'odd', hash: 'xyz' }]), /odd/);
    assert.equal(isImageHash('xyz'), false);
  });
});

async function hashOf(svg: string): Promise<string> {
  return imageHash(await thumbnailOf(await sharp(Buffer.from(svg)).png().toBuffer(), IMAGE_LIMITS));
}
