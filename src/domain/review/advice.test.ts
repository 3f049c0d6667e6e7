/** Tests the advice about an offer: each kind at its bound and one beyond. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AdvisedOffer, adviceFor } from './advice.ts';
import type { KnownImage, ReviewedDocument } from './facts.ts';
import { BAD_IMAGE, GOOD_DOCUMENT, GOOD_IMAGE, MAIN_IMAGE } from './testing/good-offer.ts';

const SIDE = 'https://img.example/side.jpg';

function adviceOf(document: Partial<ReviewedDocument>, rest: Partial<AdvisedOffer> = {}) {
  const offer = { ...GOOD_DOCUMENT, bullets: ['Made of iron'], ...document };
  return adviceFor({ document: offer, hasShippingException: false, images: undefined, ...rest });
}

const codesOf = (...asked: Parameters<typeof adviceOf>) => adviceOf(...asked).map(({ code }) => code);

describe('advice', () => {
  it('is not given about a good offer', () => assert.deepEqual(adviceOf({}), []));

  it('is given about a title in capitals, but not about names in capitals', () => {
    assert.deepEqual(adviceOf({ product_title: 'CAST-IRON POT 5 L' }), [
      {
        code: 'title_in_capitals',
        field: '/product_title',
        text: 'The title is in capitals. Normal case is easier to read.',
      },
    ]);
    assert.deepEqual(codesOf({ product_title: 'ABCDE FGHIJ' }), ['title_in_capitals']);
    assert.deepEqual(codesOf({ product_title: 'ABCDE FGHI' }), []);
    assert.deepEqual(codesOf({ product_title: 'CAST-IRON POT for 5 L' }), []);
    assert.deepEqual(codesOf({ product_title: '鋳鉄製の鍋、5リットル、蓋付き' }), []);
  });

  it('is given about an offer without bullets', () => {
    const text = 'Add bullets: up to 5 short texts about the product.';
    for (const bullets of [[], [' ']]) {
      assert.deepEqual(adviceOf({ bullets }), [{ code: 'bullets_missing', field: '/bullets', text }]);
    }
    const { bullets: _none, ...document } = GOOD_DOCUMENT;
    assert.equal(adviceFor({ document, hasShippingException: false, images: undefined }).length, 1);
  });

  it('is given about images that are smaller than recommended, and about small alternate images', () => {
    const sized = (width: number, height: number): KnownImage => ({ verdict: 'passed', width, height });
    const alternate_images = [{ image_slot_id: 3, image_url: SIDE }];
    const shown = (main: KnownImage, side: KnownImage) =>
      adviceOf({ alternate_images }, { images: { [MAIN_IMAGE]: main, [SIDE]: side } }).map(Object.values);
    const good = sized(1500, 1500);
    assert.deepEqual(shown(good, good), []);
    assert.deepEqual(shown(sized(1499, 2000), sized(2000, 500)), [
      [
        'image_below_recommended',
        '/main_image_url',
        'The main image has 1499 x 2000 pixels. Use at least 1500 x 1500.',
      ],
      [
        'image_below_recommended',
        '/alternate_images/0/image_url',
        'Image 3 has 2000 x 500 pixels. Use at least 1500 x 1500.',
      ],
    ]);
    const small = 'Image 3 has 2000 x 499 pixels. Use at least 500 x 500.';
    assert.deepEqual(shown(good, sized(2000, 499)), [
      ['alternate_image_small', '/alternate_images/0/image_url', small],
    ]);
    assert.deepEqual(
      shown(sized(499, 499), good).map(([code]) => code),
      ['image_below_recommended'],
    );
    assert.deepEqual(shown({ verdict: 'passed' }, { ...GOOD_IMAGE, width: null }), [], 'their size is not known');
    assert.deepEqual(shown(BAD_IMAGE, good), [], 'a fault already says more');
  });

  it('is given about freight without a shipping exception', () => {
    const inches = (length: number, width: number, height: number) => {
      return { package_length_inches: length, package_width_inches: width, package_height_inches: height };
    };
    for (const parcel of [{ shipping_weight_pounds: 150 }, inches(20, 108, 8.5), inches(65, 25, 25)]) {
      assert.deepEqual(codesOf(parcel), []);
    }
    for (const freight of [{ shipping_weight_pounds: 150.1 }, inches(1, 108.1, 1), inches(65, 25, 25.1)]) {
      assert.deepEqual(codesOf(freight), ['freight_without_exception']);
      assert.deepEqual(codesOf(freight, { hasShippingException: true }), []);
    }
    const [found] = adviceOf({ shipping_weight_pounds: 200 });
    const text = 'The package is too heavy or too large for parcels. Add a shipping exception.';
    assert.deepEqual(found, { code: 'freight_without_exception', field: '', text });
  });
});
