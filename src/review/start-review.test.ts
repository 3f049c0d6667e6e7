/** Tests start-review.ts: which work its loops take. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { REVIEW_KIND } from '../store/port/review.ts';
import { type ReviewOptions, startReview } from './start-review.ts';

it('reviews are taken by one loop in order, and by another one if they are fresh', async () => {
  const asked: (string | undefined)[] = [];
  const both = Promise.withResolvers<void>();
  const takeWork = async (kind: string, _holder: string, _lease_ms: number, order?: 'fresh') => {
    if (kind === REVIEW_KIND) asked.push(order);
    if (asked.length === 2) both.resolve();
    return undefined;
  };
  const review = await startReview({
    store: { work: { takeWork }, review: { announceForgotten: async () => {} } },
    telemetry: { observe: (...event: unknown[]) => assert.fail(String(event)) },
    setup: { rules: { imageCheck: 'off' }, activeRules: { areOwn: true, hold: async () => {} } },
  } as unknown as ReviewOptions);
  await both.promise;
  await review.close(0);
  assert.deepEqual(asked.slice(0, 2).toSorted(), ['fresh', undefined]);
});
