/** Which port the metrics of a process have. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { metricsPortOf } from './metrics.ts';

it('workers have the ports after the one that is set', () => {
  assert.equal(metricsPortOf(9464, undefined), 9464);
  assert.deepEqual(
    [1, 2, 3].map((worker) => metricsPortOf(9464, worker)),
    [9465, 9466, 9467],
  );
});

it('each takes a free one where 0 is set, and none where nothing is', () => {
  assert.deepEqual([metricsPortOf(0, undefined), metricsPortOf(0, 2)], [0, 0]);
  assert.deepEqual([metricsPortOf(undefined, undefined), metricsPortOf(undefined, 2)], [undefined, undefined]);
});
