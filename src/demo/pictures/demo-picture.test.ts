/** The demo's pictures are such as the review passes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUILTIN_PLACEHOLDERS } from '../../review/images/builtin-placeholders.ts';
import { ImageJudge } from '../../review/images/judge-image.ts';
import { PlaceholderList } from '../../review/images/placeholder-list.ts';
import { testDecoders } from '../../review/images/testing/test-decoders.ts';
import { DEMO_PICTURE_NAMES, demoPicture } from './demo-picture.ts';

const decoders = testDecoders();

describe('demoPicture', () => {
  for (const name of DEMO_PICTURE_NAMES) {
    it(`draws a ${name} that passes every check`, async () => {
      const file = await demoPicture(name);
      assert.ok(file.length < 60_000, `${file.length}`);
      const judge = new ImageJudge({ placeholders: () => new PlaceholderList(BUILTIN_PLACEHOLDERS), decoders });
      const judgement = await judge.judge(file);
      assert.deepEqual([judgement.type, judgement.width, judgement.height], ['image/jpeg', 600, 600]);
      assert.deepEqual(
        judgement.checks.filter(({ state }) => state === 'failed'),
        [],
      );
    });
  }

  it('draws each once', () => {
    assert.equal(demoPicture('mug'), demoPicture('mug'));
  });
});
