/** Tests which failures skip an account, and which fail the whole read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AccountUnavailableError, StoreUnavailableError } from './errors.ts';
import { ReadsByAccount } from './reads-by-account.ts';

const fail = (error: Error) => () => Promise.reject(error);
const unavailable = fail(new AccountUnavailableError('The node does not respond.'));

it('skips accounts whose node does not respond, and counts them', async () => {
  const reads = new ReadsByAccount();
  assert.equal(await reads.read(async () => 'found'), 'found');
  assert.equal(await reads.read(unavailable), undefined);
  assert.equal(reads.missing, 1);
});

it('fails with any other error', async () => {
  const reads = new ReadsByAccount();
  for (const error of [new StoreUnavailableError('down'), new TypeError('a bug')]) {
    await assert.rejects(reads.read(fail(error)), error);
  }
});

it('fails when unresponsive accounts have taken more than 10 seconds', async (t) => {
  const reads = new ReadsByAccount();
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const slowly = (call_ms: number) =>
    reads.read(async () => {
      nowMs += call_ms;
      return unavailable();
    });
  assert.equal(await slowly(5_000), undefined);
  assert.equal(await slowly(5_000), undefined);
  await assert.rejects(slowly(1), AccountUnavailableError);
});
