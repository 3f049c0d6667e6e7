/** Tests that lookups of invalid tokens are limited per client, and lookups of sessions are not. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { PortalSessionStore, StoredSession } from '../../store/port/people.ts';
import { issueSession } from './portal-sessions.ts';
import { SessionLookup } from './session-lookup.ts';

const NOW_MS = 1_000_000;
const TIMES = { nowMs: NOW_MS, monotonicMs: 5 };
const WINDOW_MS = LIMITS.request_window_seconds * 1000;
const MAX = LIMITS.session_misses_per_window_max;
const CLIENT = () => '192.0.2.1';
const user = { email: 'ann@shop.example', role: 'operator', merchantId: null, createdMs: 0 } as const;

/** A store that counts how often it is read. */
class FakeSessions {
  reads = 0;
  writes = 0;
  isReadOnly = false;
  failure: Error | undefined;
  readonly #stored = new Map<string, StoredSession>();

  begin(): string {
    const { token, stored } = issueSession(NOW_MS);
    this.#stored.set(Buffer.from(stored.tokenHash).toString('hex'), {
      ...stored,
      user,
      needsPasskey: false,
      nextNonce: null,
    });
    return token;
  }

  end(): void {
    this.#stored.clear();
  }

  async extendSession(): Promise<void> {
    this.writes++;
    if (this.isReadOnly) throw new StoreUnavailableError('A node does not respond.');
  }

  async rotateSession(): Promise<'rotated'> {
    await this.extendSession();
    return 'rotated';
  }

  async readSession(tokenHash: Uint8Array): Promise<StoredSession | undefined> {
    this.reads++;
    if (this.failure !== undefined) throw this.failure;
    return this.#stored.get(Buffer.from(tokenHash).toString('hex'));
  }
}

function create(): { store: FakeSessions; lookup: SessionLookup } {
  const store = new FakeSessions();
  return { store, lookup: new SessionLookup(store as unknown as PortalSessionStore) };
}

const madeUp = () => issueSession(NOW_MS).token;
const isThrottled = (found: object | undefined) => found !== undefined && 'throttled' in found;

async function miss(lookup: SessionLookup, count: number): Promise<void> {
  const tries = Array.from({ length: count }, () => lookup.find(madeUp(), CLIENT, TIMES));
  assert.deepEqual(await Promise.all(tries), new Array(count).fill(undefined));
}

it('a client gets a limited number of lookups per minute, even in parallel', async () => {
  const { store, lookup } = create();
  await miss(lookup, MAX);
  assert.ok(isThrottled(await lookup.find(madeUp(), CLIENT, TIMES)));
  assert.equal(store.reads, MAX);
  assert.equal(await lookup.find(madeUp(), () => '192.0.2.2', TIMES), undefined);
  const later = { ...TIMES, monotonicMs: TIMES.monotonicMs + WINDOW_MS };
  assert.equal(await lookup.find(madeUp(), CLIENT, later), undefined);
});

it('a token that was found or issued is looked up beyond the limit while it is valid', async () => {
  const { store, lookup } = create();
  const [found, handedOut, unknown] = [store.begin(), store.begin(), store.begin()];
  await lookup.find(found, CLIENT, TIMES);
  lookup.handedOut(handedOut);
  await miss(lookup, MAX);
  for (const token of [found, handedOut, found]) {
    const session = await lookup.find(token, CLIENT, TIMES);
    assert.deepEqual(session && 'person' in session && session.person.email, user.email);
  }
  assert.ok(isThrottled(await lookup.find(unknown, CLIENT, TIMES)));
  store.end();
  assert.equal(await lookup.find(found, CLIENT, TIMES), undefined);
  assert.ok(isThrottled(await lookup.find(found, CLIENT, TIMES)));
});

it('a failed read of the store does not count against the client', async () => {
  const { store, lookup } = create();
  const token = store.begin();
  const failure = new Error('The store is unavailable.');
  store.failure = failure;
  for (let n = 0; n <= MAX; n++) await assert.rejects(lookup.find(token, CLIENT, TIMES), failure);
  store.failure = undefined;
  assert.ok(!isThrottled(await lookup.find(token, CLIENT, TIMES)));
});

it('a token that is found does not count', async () => {
  const { store, lookup } = create();
  for (let n = 0; n <= MAX; n++) assert.ok(!isThrottled(await lookup.find(store.begin(), CLIENT, TIMES)));
  await miss(lookup, MAX);
  assert.ok(isThrottled(await lookup.find(madeUp(), CLIENT, TIMES)));
});

it('a session that cannot be extended continues, and the next attempt is 10 seconds later', async () => {
  const { store, lookup } = create();
  const token = store.begin();
  store.isReadOnly = true;
  for (const [used_seconds, writes] of [
    [900, 1],
    [909, 1],
    [910, 2],
    [1_900, 3],
  ] as const) {
    const ms = used_seconds * 1000;
    const found = await lookup.find(token, CLIENT, { nowMs: NOW_MS + ms, monotonicMs: ms });
    assert.ok(found !== undefined && 'person' in found, `after ${used_seconds} s`);
    assert.deepEqual([found.person.email, found.nextToken, store.writes], [user.email, undefined, writes]);
  }
  store.isReadOnly = false;
  const ms = 1_910_000;
  const found = await lookup.find(token, CLIENT, { nowMs: NOW_MS + ms, monotonicMs: ms });
  assert.ok(found !== undefined && 'person' in found && found.nextToken !== undefined);
});
