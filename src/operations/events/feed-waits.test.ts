/** Tests what ends a wait for events. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import { AccountUnavailableError } from '../../store/port/errors.ts';
import type { FeedState } from '../../store/port/feed.ts';
import { FeedWaits } from './feed-waits.ts';

const STATE: FeedState = { tag: 'a', dropped: 0, end: 5, hasUnnumbered: false };
const LONG_MS = 60_000;

describe('waits for events', () => {
  const wait = (waits: FeedWaits, accountId: number, gone = new AbortController()) =>
    waits.wait(accountId, { end: 5, wait_ms: LONG_MS, gone: gone.signal });

  it('end with a write to the account, and not with a write to another', async () => {
    const waits = new FeedWaits({ readFeedState: async () => STATE });
    const [own, other] = [wait(waits, 1), wait(waits, 2)];
    waits.wake(1);
    await own;
    assert.equal(await Promise.race([other, Promise.resolve('waits')]), 'waits');
    waits.close();
    await other;
  });

  it('end when another process has added an event', async () => {
    let state = STATE;
    const waits = new FeedWaits({ readFeedState: async () => state });
    const waiting = wait(waits, 1);
    state = { ...STATE, hasUnnumbered: true };
    await waiting;
    const next = wait(waits, 1);
    state = { ...STATE, end: 6 };
    await next;
  });

  it('end even while the database node of another account is down', async () => {
    const waits = new FeedWaits({
      readFeedState: async (accountId) => {
        if (accountId === 1) throw new AccountUnavailableError('The node is down.');
        return { ...STATE, end: 6 };
      },
    });
    const down = wait(waits, 1);
    await wait(waits, 2);
    assert.equal(await Promise.race([down, Promise.resolve('waits')]), 'waits');
    waits.close();
    await down;
  });

  it('end when the client disconnects, which frees its slot', async () => {
    const waits = new FeedWaits({ readFeedState: async () => STATE });
    const clients = Array.from({ length: LIMITS.event_waits_max }, () => new AbortController());
    const all = clients.map((gone) => wait(waits, 1, gone));
    assert.ok(waits.isFull(1));
    assert.ok(!waits.isFull(2));
    clients[0]?.abort();
    await all[0];
    assert.ok(!waits.isFull(1));
    waits.close();
    await Promise.all(all);
  });

  it('end when the server stops, and no wait begins afterwards', async () => {
    const waits = new FeedWaits({ readFeedState: async () => STATE });
    const waiting = wait(waits, 1);
    waits.close();
    await waiting;
    assert.ok(waits.isOver);
    await wait(waits, 1);
  });
});
