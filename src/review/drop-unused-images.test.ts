/** Tests drop-unused-images.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dropUnusedImages } from './drop-unused-images.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;

/** A store in which this many slices follow any key. Each slice returns its number as the key. */
function withSlices(slices: number) {
  const asked: { readonly beforeMs: number; readonly after: string }[] = [];
  const store = {
    dropUnusedImages: async (beforeMs: number, after: Uint8Array) => {
      asked.push({ beforeMs, after: Buffer.from(after).toString('hex') });
      const last = after.length === 1 ? (after[0] ?? 0) : 0;
      return last < slices ? Uint8Array.of(last + 1) : undefined;
    },
  };
  return { asked, round: dropUnusedImages({ store, image_recheck_days: 30, nowMs: () => NOW_MS }) };
}

it('deletes expired results, from a random key to the end, then from the start', async () => {
  const { asked, round } = withSlices(2);
  await round();
  await round();
  assert.ok(asked.every(({ beforeMs }) => beforeMs === 970 * DAY_MS));
  const [first, ...others] = asked.map(({ after }) => after);
  assert.match(first ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual(others, ['01', '02', '', '01', '02']);
});

it('continues in the next round where this one ended', async () => {
  const { asked, round } = withSlices(25);
  await round();
  assert.equal(asked.length, 10);
  await round();
  assert.equal(asked[10]?.after, '0a');
  assert.equal(asked.length, 20);
});
