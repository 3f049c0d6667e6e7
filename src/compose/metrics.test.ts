/** Which port the metrics of a process have, and what they show while the store does not answer. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReviewMeter } from '../review/review-meter.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../store/port/errors.ts';
import { readReview, readWork } from './background.ts';
import { metricsPortOf, unlessStoreIsDown } from './metrics.ts';

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

it('what a store that is down or has too much to do cannot say is left out', async () => {
  for (const error of [new StoreUnavailableError('down'), new StoreOverloadedError('busy')]) {
    assert.deepEqual(await unlessStoreIsDown(readWork(storeFailingWith(error)), []), []);
    const { offers, images } = await readReview(storeFailingWith(error), new ReviewMeter());
    assert.deepEqual([offers, images], [undefined, undefined]);
  }
});

it('a fault of ours is not taken for a store that is down', async () => {
  const fault = new TypeError('a bug');
  await assert.rejects(unlessStoreIsDown(readWork(storeFailingWith(fault)), []), fault);
  await assert.rejects(readReview(storeFailingWith(fault), new ReviewMeter()), fault);
});

it('what waits is not said to be nothing, where it is shown to people, while the store is down', async () => {
  const error = new StoreUnavailableError('down');
  await assert.rejects(readWork(storeFailingWith(error)), error);
});

function storeFailingWith(error: Error) {
  const fail = () => Promise.reject(error);
  return { readWorkFigures: fail, review: { readReviewFigures: fail }, images: { readImageFigures: fail } };
}
