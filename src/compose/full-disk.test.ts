/** Tests full-disk.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StoreFullError, StoreUnavailableError } from '../store/port/errors.ts';
import { reportFullDisk } from './full-disk.ts';

it('reports a full disk and lets the server start, and ends the start with any other error', async () => {
  const messages: unknown[] = [];
  const reported = (ping: () => Promise<void>) =>
    reportFullDisk({ ping }, { observe: (event) => void messages.push(event) }, (line) => messages.push(line));
  assert.equal(await reported(async () => {}), false);
  const down = new StoreUnavailableError('The database does not respond.');
  await assert.rejects(
    reported(() => Promise.reject(down)),
    down,
  );
  assert.deepEqual(messages, []);
  assert.equal(await reported(() => Promise.reject(new StoreFullError('The disk is full.'))), true);
  assert.equal(messages[0], 'store_full');
  assert.match(String(messages[1]), /^The disk is full\. Reads work;/);
});
