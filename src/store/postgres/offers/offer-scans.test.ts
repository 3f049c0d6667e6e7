/** Tests that lists are queued with limits on number and time, which leaves connections for other calls. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import type { Database } from '../engine/engine.ts';
import { OfferScans, type ScanLimits } from './offer-scans.ts';

const LIMITS: ScanLimits = { waiting_calls_max: 3, waiting_characters_max: 100, running_max: 1 };
const PAGE = { after: undefined, offset: 0, limit: 10 };

/** Scans on a database that responds when the test tells it to. */
function heldScans({ limits = {}, call_ms_max = 10_000 }: { limits?: Partial<ScanLimits>; call_ms_max?: number } = {}) {
  const answers: (() => void)[] = [];
  const run = () => new Promise<[]>((resolve) => answers.push(() => resolve([])));
  const database = { run, call_ms_max } as unknown as Database;
  return { answers, scans: new OfferScans(database, { ...LIMITS, ...limits }) };
}

describe('lists', () => {
  test('run one after the other if only one may run', async () => {
    const { answers, scans } = heldScans();
    const lists = [scans.listSkus(1, PAGE), scans.readMembers(1, ['a'], [119])];
    await eventLoopTick();
    assert.equal(answers.length, 1);
    assert.equal(scans.waiting.figures().waiting, 2);
    answers[0]?.();
    await eventLoopTick();
    assert.equal(answers.length, 2);
    answers[1]?.();
    assert.deepEqual(await Promise.all(lists), [{ skuIds: [], more: false }, []]);
    assert.equal(scans.waiting.figures().waiting, 0);
  });

  test('run concurrently if several may run', async () => {
    const { answers, scans } = heldScans({ limits: { running_max: 2 } });
    const lists = [scans.listSkus(1, PAGE), scans.listSkus(2, PAGE)];
    await eventLoopTick();
    assert.equal(answers.length, 2);
    for (const answer of answers) answer();
    await Promise.all(lists);
  });

  test('are refused beyond the queue limits, by number and by characters', async () => {
    const { answers, scans } = heldScans();
    const lists = [scans.listSkus(1, PAGE), scans.listSkus(1, PAGE), scans.listSkus(1, PAGE)];
    await assert.rejects(scans.listSkus(1, PAGE), StoreOverloadedError);
    for (let answered = 0; answered < 3; answered++) {
      await eventLoopTick();
      answers[answered]?.();
    }
    await Promise.all(lists);
    await assert.rejects(scans.readMembers(1, ['a'.repeat(101)], [119]), StoreOverloadedError);
  });

  test('a scan that cannot start in time is refused, and does not delay the next', async () => {
    const { answers, scans } = heldScans({ call_ms_max: 1_000 });
    const first = scans.listSkus(1, PAGE);
    await assert.rejects(scans.listSkus(1, PAGE), StoreUnavailableError);
    const next = scans.listSkus(1, PAGE);
    answers[0]?.();
    await first;
    await eventLoopTick();
    answers[1]?.();
    assert.deepEqual(await next, { skuIds: [], more: false });
  });

  test('closing finishes accepted scans and refuses the rest', async () => {
    const { answers, scans } = heldScans();
    const taken = scans.listSkus(1, PAGE);
    const closed = scans.waiting.close();
    await assert.rejects(scans.listSkus(1, PAGE), StoreUnavailableError);
    answers[0]?.();
    await taken;
    await closed;
  });
});
