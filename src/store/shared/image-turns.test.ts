/** Whose pictures are fetched next: due longest, few of each host and of each account, and they take turns. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageLimits } from '../port/images.ts';
import { type LaneLook, pickImages } from './image-turns.ts';

interface Named {
  readonly name: string;
  readonly dueMs: number;
}

const MANY: ImageLimits = { limit: 9, perHost: 9, perAccount: 9 };

/** Pictures by the times at which they are due. */
function lane(accountId: number, host: string, turnMs: number, ...dueMs: readonly number[]): LaneLook<Named> {
  return { accountId, host, turnMs, candidates: dueMs.map((due) => ({ name: `${host}${due}`, dueMs: due })) };
}

function picked(
  lanes: readonly LaneLook<Named>[],
  limits: Partial<ImageLimits>,
  underWay: { hosts?: Record<string, number>; accounts?: Record<number, number> } = {},
) {
  const counts = {
    ofHost: new Map(Object.entries(underWay.hosts ?? {})),
    ofAccount: new Map(Object.entries(underWay.accounts ?? {}).map(([id, count]) => [Number(id), count])),
  };
  const { taken, fullHosts, fullAccounts } = pickImages(lanes, counts, { ...MANY, ...limits });
  return { taken: taken.map(({ name }) => name), full: [...fullHosts, ...fullAccounts] };
}

describe('pictures to fetch', () => {
  it('are those that are due longest, whatever their hosts and accounts', () => {
    const lanes = [lane(1, 'a', 1, 1, 5), lane(2, 'b', 2, 2, 3)];
    assert.deepEqual(picked(lanes, { limit: 3 }), { taken: ['a1', 'b2', 'b3'], full: [] });
  });

  it('are few of each host, those that others fetch and those of other accounts counted', () => {
    const lanes = [lane(1, 'a', 1, 1, 2, 3), lane(1, 'b', 4, 4, 5, 6), lane(2, 'b', 5, 5, 5), lane(1, 'c', 0, 0)];
    assert.deepEqual(picked(lanes, { perHost: 2 }, { hosts: { a: 1, c: 2 } }), {
      taken: ['a1', 'b4', 'b5'],
      full: ['a', 'c', 'b'],
    });
  });

  it('are few of each account, however many hosts it has', () => {
    const lanes = [lane(1, 'a', 1, 1), lane(1, 'b', 2, 2), lane(1, 'c', 3, 3), lane(2, 'd', 4, 4)];
    assert.deepEqual(picked(lanes, { perAccount: 2 }), { taken: ['a1', 'b2', 'd4'], full: [1] });
    assert.deepEqual(picked(lanes, { perAccount: 2 }, { accounts: { 1: 1 } }), { taken: ['a1', 'd4'], full: [1] });
    assert.deepEqual(picked(lanes, { perAccount: 3 }), { taken: ['a1', 'b2', 'c3', 'd4'], full: [1] });
    assert.deepEqual(picked(lanes, { perAccount: 4 }), { taken: ['a1', 'b2', 'c3', 'd4'], full: [] });
  });

  it('are none of a host or an account that has more under way than it may have', () => {
    assert.deepEqual(picked([lane(1, 'a', 1, 1)], { perHost: 2 }, { hosts: { a: 5 } }), { taken: [], full: ['a'] });
    assert.deepEqual(picked([lane(1, 'a', 1, 1)], { perAccount: 2 }, { accounts: { 1: 5 } }), { taken: [], full: [1] });
  });

  it('of a lane that got its turn late count as due from then on', () => {
    const lanes = [lane(1, 'a', 10, 1, 12), lane(1, 'b', 9, 9)];
    assert.deepEqual(picked(lanes, {}).taken, ['b9', 'a1', 'a12']);
  });

  it('that the limit cuts off do not make their host or their account full', () => {
    const limits = { limit: 2, perHost: 3, perAccount: 3 };
    assert.deepEqual(picked([lane(1, 'a', 1, 1, 2, 3)], limits), { taken: ['a1', 'a2'], full: [] });
  });

  it('are none where no lane has its turn', () => {
    assert.deepEqual(picked([], {}), { taken: [], full: [] });
  });
});
