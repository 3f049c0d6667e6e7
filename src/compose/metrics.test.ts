/** Tests the metrics port of each process, and the metrics during a database outage. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReviewMeter } from '../review/review-meter.ts';
import { StoreOverloadedError, StoreUnavailableError, unlessStoreIsDown } from '../store/port/errors.ts';
import { readReview, readWork } from './background.ts';
import { metricsPortOf } from './metrics.ts';

it('workers use the ports after METRICS_PORT', () => {
  assert.equal(metricsPortOf(9464, undefined), 9464);
  assert.deepEqual(
    [1, 2, 3].map((worker) => metricsPortOf(9464, worker)),
    [9465, 9466, 9467],
  );
});

it('each worker uses a free port if 0 is set, and none if nothing is set', () => {
  assert.deepEqual([metricsPortOf(0, undefined), metricsPortOf(0, 2)], [0, 0]);
  assert.deepEqual([metricsPortOf(undefined, undefined), metricsPortOf(undefined, 2)], [undefined, undefined]);
});

it('figures of an unavailable or overloaded database are omitted', async () => {
  for (const error of [new StoreUnavailableError('down'), new StoreOverloadedError('busy')]) {
    assert.deepEqual(await unlessStoreIsDown(readWork(storeFailingWith(error)), []), []);
    const { offers, images } = await readReview(storeFailingWith(error), new ReviewMeter());
    assert.deepEqual([offers, images], [undefined, undefined]);
  }
});

it('an internal error is not treated as a database outage', async () => {
  const fault = new TypeError('a bug');
  await assert.rejects(unlessStoreIsDown(readWork(storeFailingWith(fault)), []), fault);
  await assert.rejects(readReview(storeFailingWith(fault), new ReviewMeter()), fault);
});

it('the system page does not show zeros during a database outage', async () => {
  const error = new StoreUnavailableError('down');
  await assert.rejects(readWork(storeFailingWith(error)), error);
});

function storeFailingWith(error: Error) {
  const fail = () => Promise.reject(error);
  return { readWorkFigures: fail, review: { readReviewFigures: fail }, images: { readImageFigures: fail } };
}
