/** Tests that reads of one tick share a snapshot, and that a client with an acknowledged write never reads an older state. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { putPrice, putSku } from '../../contract/put-parts.ts';
import { documentOf, NOW_MS, newKey } from '../../contract/subject.ts';
import { openForReading, openForWriting } from '../engine/engine.ts';
import { openStoreFor } from '../testing/open-for.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { TickSnapshot } from './tick-snapshot.ts';

function openPair() {
  const file = join(temporaryDir(), 'new.db');
  const writing = openForWriting(file);
  writing.exec('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)');
  const reading = openForReading(file);
  const snapshot = new TickSnapshot(reading);
  const value = reading.query<[number]>('SELECT a FROM t');
  const read = () => {
    snapshot.enter();
    return value.get()?.[0];
  };
  const close = () => {
    reading.close();
    writing.close();
  };
  return { writing, snapshot, read, close };
}

describe('the snapshot of a tick', () => {
  test('is shared by the reads of a tick and ends with it', async (t) => {
    const { writing, read, close } = openPair();
    t.after(close);
    assert.equal(read(), 1);
    writing.exec('UPDATE t SET a = 2');
    assert.equal(read(), 1);
    await eventLoopTick();
    assert.equal(read(), 2);
  });

  test('ends at once on request', (t) => {
    const { writing, snapshot, read, close } = openPair();
    t.after(close);
    assert.equal(read(), 1);
    writing.exec('UPDATE t SET a = 2');
    snapshot.end();
    assert.equal(read(), 2);
  });

  test('ends before a write is acknowledged, even in a tick with earlier reads', async (t) => {
    const store = await openStoreFor(t, { dataDir: temporaryDir() });
    const key = newKey();
    await putSku(store.offers, key, documentOf(), NOW_MS);
    // Every tick starts with a read, which begins a snapshot. Writes are served in the meantime.
    let isReading = true;
    const readEveryTick = () => {
      void store.offers.readPrice(key);
      if (isReading) setImmediate(readEveryTick);
    };
    readEveryTick();
    for (let price = 1; price <= 500; price++) {
      await putPrice(store.offers, key, { price, nodes: [] }, NOW_MS);
      assert.deepEqual(await store.offers.readPrice(key), { price, nodes: [], updatedMs: NOW_MS });
    }
    isReading = false;
  });
});
