/** Tests which images are fetched next: due longest, within the limits per host and account. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageLimits } from '../../port/images.ts';
import { pickImages, type WaitingLane } from './image-lanes.ts';

const MANY: ImageLimits = { limit: 9, perHost: 9, perAccount: 9 };

interface DueLane {
  readonly lane: Omit<WaitingLane, 'ofHost' | 'ofAccount'>;
  readonly due: readonly { readonly name: string; readonly dueMs: number }[];
}

/** A lane with images that are due at these times. */
function lane(accountId: number, host: string, turnMs: number, ...dueMs: readonly number[]): DueLane {
  return { lane: { accountId, host, turnMs }, due: dueMs.map((due) => ({ name: `${host}${due}`, dueMs: due })) };
}

function picked(
  lanes: readonly DueLane[],
  limits: Partial<ImageLimits>,
  underWay: { hosts?: Record<string, number>; accounts?: Record<number, number> } = {},
): string[] {
  const images = lanes.flatMap(({ lane, due }) => {
    const ofHost = underWay.hosts?.[lane.host] ?? 0;
    const ofAccount = underWay.accounts?.[lane.accountId] ?? 0;
    return due.map((image) => ({ ...image, lane: { ...lane, ofHost, ofAccount } }));
  });
  return pickImages(images, { ...MANY, ...limits }).map(({ name }) => name);
}

describe('images to fetch', () => {
  it('are the images due longest, from any host and account', () => {
    const lanes = [lane(1, 'a', 1, 1, 5), lane(2, 'b', 2, 2, 3)];
    assert.deepEqual(picked(lanes, { limit: 3 }), ['a1', 'b2', 'b3']);
  });

  it('are limited per host, including images in flight and those of other accounts', () => {
    const lanes = [lane(1, 'a', 1, 1, 2, 3), lane(1, 'b', 4, 4, 5, 6), lane(2, 'b', 5, 5, 5), lane(1, 'c', 0, 0)];
    assert.deepEqual(picked(lanes, { perHost: 2 }, { hosts: { a: 1, c: 2 } }), ['a1', 'b4', 'b5']);
  });

  it('are limited per account, even over many hosts', () => {
    const lanes = [lane(1, 'a', 1, 1), lane(1, 'b', 2, 2), lane(1, 'c', 3, 3), lane(2, 'd', 4, 4)];
    assert.deepEqual(picked(lanes, { perAccount: 2 }), ['a1', 'b2', 'd4']);
    assert.deepEqual(picked(lanes, { perAccount: 2 }, { accounts: { 1: 1 } }), ['a1', 'd4']);
    assert.deepEqual(picked(lanes, { perAccount: 3 }), ['a1', 'b2', 'c3', 'd4']);
  });

  it('of a lane that was reached late count as due from then on', () => {
    const lanes = [lane(1, 'a', 10, 1, 12), lane(1, 'b', 9, 9)];
    assert.deepEqual(picked(lanes, {}), ['b9', 'a1', 'a12']);
  });

  it('do not exist if no lane is due', () => {
    assert.deepEqual(picked([], {}), []);
  });
});
