/** Tests the swatch image: when it is checked, which failures count, and how the review names it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { imageAddresses } from '../../../operations/review-knowledge.ts';
import { IMAGE_FAILURES, type ImageFailure } from '../../vocabulary/image-failures.ts';
import type { KnownImage, ReviewedDocument } from '../facts.ts';
import { reviewOffer } from '../review-offer.ts';
import {
  BAD_IMAGE,
  GOOD_DOCUMENT,
  GOOD_EVIDENCE,
  GOOD_FACTS,
  GOOD_IMAGE,
  KNOWLEDGE,
  MAIN_IMAGE,
  NAMES,
  SLOW_IMAGE,
} from '../testing/good-offer.ts';

const SWATCH = 'https://img.example/swatch.png';
const SIDE = 'https://img.example/side.jpg';

function check(
  document: Partial<ReviewedDocument>,
  images: Readonly<Record<string, KnownImage>> = {},
  archived = false,
) {
  const facts = { ...GOOD_FACTS, document: { ...GOOD_DOCUMENT, ...document }, archived };
  const evidence = { ...GOOD_EVIDENCE, images: { ...GOOD_EVIDENCE.images, ...images } };
  const { checks, subStatuses } = reviewOffer(facts, KNOWLEDGE, evidence, NAMES);
  const found = checks.find((one) => one.check === 'alternate_images') ?? assert.fail();
  return { ...found, subStatuses };
}

const failing = (...failures: ImageFailure[]): KnownImage => ({
  verdict: 'failed',
  checks: failures.map((failure) => ({ check: IMAGE_FAILURES[failure].check, state: 'failed', failure })),
});

it('is checked if it is an http or https URL, and only then', () => {
  for (const swatch_image_url of [SWATCH, 'http://img.example/x']) {
    assert.equal(check({ swatch_image_url }).state, 'pending');
    assert.equal(check({ swatch_image_url }, {}, true).state, 'skipped');
    assert.deepEqual(imageAddresses({ ...GOOD_DOCUMENT, swatch_image_url }), [MAIN_IMAGE, swatch_image_url]);
  }
  for (const swatch_image_url of ['ftp://img.example/x', 'swatch.png', '', 'https://img.example/a b', 7, true]) {
    assert.equal(check({ swatch_image_url }).state, 'skipped', String(swatch_image_url));
    assert.deepEqual(imageAddresses({ ...GOOD_DOCUMENT, swatch_image_url }), [MAIN_IMAGE]);
  }
});

it('is named by its field when it fails, next to the slot of an alternate image', () => {
  const document = { swatch_image_url: SWATCH, alternate_images: [{ image_slot_id: 3, image_url: SIDE }] };
  const passed = check(document, { [SWATCH]: GOOD_IMAGE, [SIDE]: GOOD_IMAGE });
  assert.deepEqual([passed.state, passed.subStatuses], ['passed', []]);
  const failed = check(document, { [SWATCH]: failing('http_refused'), [SIDE]: BAD_IMAGE });
  assert.deepEqual([failed.state, failed.subStatuses], ['failed', ['Missing image']]);
  assert.match(
    failed.remedy ?? '',
    /^Replace or remove image 3: The image is blank\..* swatch_image_url: The image server /,
  );
  const images = failed.evidence.images as readonly Record<string, unknown>[];
  assert.deepEqual(
    images.map(({ image_slot_id, field, image_url, verdict }) => [image_slot_id ?? field, image_url, verdict]),
    [
      [3, SIDE, 'failed'],
      ['swatch_image_url', SWATCH, 'failed'],
    ],
  );
  const failedTries = { [SWATCH]: { ...SLOW_IMAGE, nextMs: null } };
  const facts = { ...GOOD_FACTS, document: { ...GOOD_DOCUMENT, ...document } };
  const evidence = { ...GOOD_EVIDENCE, images: { ...GOOD_EVIDENCE.images, [SIDE]: GOOD_IMAGE }, failedTries };
  const { checks } = reviewOffer(facts, KNOWLEDGE, evidence, NAMES);
  const pending = checks.find((one) => one.check === 'alternate_images');
  assert.match(pending?.remedy ?? '', /Problem with swatch_image_url: The image server took too long/);
});

it('may be small and of one color, unlike an alternate image', () => {
  const small = failing('too_small', 'blank');
  const swatch = check({ swatch_image_url: SWATCH }, { [SWATCH]: small });
  assert.deepEqual([swatch.state, swatch.subStatuses], ['passed', []]);
  const alternate_images = [{ image_slot_id: 1, image_url: SWATCH }];
  assert.equal(check({ alternate_images }, { [SWATCH]: small }).state, 'failed');
  for (const failure of Object.keys(IMAGE_FAILURES) as ImageFailure[]) {
    const { state, remedy } = check({ swatch_image_url: SWATCH }, { [SWATCH]: failing('blank', failure) });
    const isExcused = failure === 'too_small' || failure === 'blank';
    assert.equal(state, isExcused ? 'passed' : 'failed', failure);
    if (!isExcused) assert.doesNotMatch(remedy ?? '', /blank/);
  }
  assert.equal(check({ swatch_image_url: SWATCH }, { [SWATCH]: { verdict: 'failed' } }).state, 'failed');
});
