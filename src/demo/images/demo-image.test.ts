/** Tests that the demo's images pass the review. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUILTIN_PLACEHOLDERS } from '../../review/images/builtin-placeholders.ts';
import { reviewImage } from '../../review/images/inspect-image.ts';
import { PlaceholderList } from '../../review/images/placeholder-list.ts';
import { testDecoders } from '../../review/images/testing/test-decoders.ts';
import { DEMO_IMAGE_NAMES, demoImage } from './demo-image.ts';

const decoders = testDecoders();

describe('demoImage', () => {
  for (const name of DEMO_IMAGE_NAMES) {
    it(`draws a ${name} that passes every check`, async () => {
      const file = await demoImage(name);
      assert.ok(file.length < 60_000, `${file.length}`);
      const placeholders = () => new PlaceholderList(BUILTIN_PLACEHOLDERS);
      const verdict = await reviewImage({ placeholders, decoders }, file);
      assert.deepEqual([verdict.type, verdict.width, verdict.height], ['image/jpeg', 600, 600]);
      assert.deepEqual(
        verdict.checks.filter(({ state }) => state === 'failed'),
        [],
      );
    });
  }

  it('draws each once', () => {
    assert.equal(demoImage('mug'), demoImage('mug'));
  });
});
