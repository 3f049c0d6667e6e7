/** Whose pictures are fetched next: due longest, few of each host, and hosts take turns. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HostLook, pickImages } from './image-turns.ts';

interface Named {
  readonly name: string;
  readonly dueMs: number;
}

/** Pictures by the times at which they are due. */
function look(host: string, turnMs: number, underWay: number, ...dueMs: readonly number[]): HostLook<Named> {
  return { host, turnMs, underWay, candidates: dueMs.map((due) => ({ name: `${host}${due}`, dueMs: due })) };
}

function picked(looks: readonly HostLook<Named>[], limit: number, perHost: number) {
  const { taken, full } = pickImages(looks, limit, perHost);
  return { taken: taken.map(({ name }) => name), full: [...full] };
}

describe('pictures to fetch', () => {
  it('are those that are due longest, whatever their hosts', () => {
    const looks = [look('a', 1, 0, 1, 5), look('b', 2, 0, 2, 3)];
    assert.deepEqual(picked(looks, 3, 9), { taken: ['a1', 'b2', 'b3'], full: [] });
  });

  it('are few of each host, those that others fetch counted', () => {
    const looks = [look('a', 1, 1, 1, 2, 3), look('b', 4, 0, 4, 5, 6), look('c', 0, 2, 0)];
    assert.deepEqual(picked(looks, 9, 2), { taken: ['a1', 'b4', 'b5'], full: ['a', 'b', 'c'] });
  });

  it('are none of a host that has more under way than it may have', () => {
    assert.deepEqual(picked([look('a', 1, 5, 1)], 9, 2), { taken: [], full: ['a'] });
  });

  it('of a host that got its turn late count as due from then on', () => {
    const looks = [look('a', 10, 0, 1, 12), look('b', 9, 0, 9)];
    assert.deepEqual(picked(looks, 9, 9).taken, ['b9', 'a1', 'a12']);
  });

  it('that the limit cuts off do not make their host full', () => {
    assert.deepEqual(picked([look('a', 1, 0, 1, 2, 3)], 2, 3), { taken: ['a1', 'a2'], full: [] });
  });

  it('are none where no host has its turn', () => {
    assert.deepEqual(picked([], 9, 9), { taken: [], full: [] });
  });
});
