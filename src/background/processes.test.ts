/** Tests background work of several processes on one PostgreSQL; each store represents a process. */
import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import type { Store } from '../store/port.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { administer } from '../store/postgres/testing/administer.ts';
import { postgresSkipped } from '../store/postgres/testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../store/postgres/testing/test-database.ts';
import { HOUSEKEEPING_KIND, startHousekeeping } from './housekeeping.ts';
import { LeasedLoop, type LeasedLoopOptions } from './leased-loop.ts';

const LONG_MS = 600_000;

describe('background work of several processes', { skip: postgresSkipped() }, () => {
  let url: string;
  before(async () => {
    ({ url } = await createReadyDatabase());
  });

  const open = () => openPostgresStore({ url, ...PATIENCE });

  async function openFor(t: TestContext): Promise<Store> {
    const store = await open();
    t.after(() => store.close());
    return store;
  }

  async function start(t: TestContext, options: Pick<LeasedLoopOptions, 'kind' | 'holder' | 'handler' | 'lease_ms'>) {
    const store = await open();
    const loop = new LeasedLoop({
      store: store.work,
      telemetry: { observe: () => {} },
      poll_ms: 10,
      retry_ms: LONG_MS,
      ...options,
    });
    t.after(async () => {
      await loop.close(0);
      await store.close();
    });
    return { loop, store };
  }

  test('each piece of work is run by one process only', async (t) => {
    const kind = 'shared';
    const accounts = 40;
    const store = await openFor(t);
    for (let accountId = 1; accountId <= accounts; accountId++) await store.work.announceWork(kind, accountId, 0);
    const done: number[] = [];
    const all = Promise.withResolvers<void>();
    for (const holder of ['a', 'b', 'c']) {
      const handler = async ({ accountId }: { accountId: number }) => {
        done.push(accountId);
        if (done.length >= accounts) all.resolve();
        return undefined;
      };
      await start(t, { kind, holder, handler, lease_ms: LONG_MS });
    }
    await all.promise;
    assert.deepEqual(
      done.sort((a, b) => a - b),
      Array.from({ length: accounts }, (_, place) => place + 1),
    );
  });

  test('work of a killed process continues elsewhere, and late writes of that process are ignored', async (t) => {
    const kind = 'dying';
    const begun = Promise.withResolvers<void>();
    const awake = Promise.withResolvers<undefined>();
    const first = await start(t, {
      kind,
      holder: 'dying',
      lease_ms: 200,
      handler: () => {
        begun.resolve();
        return awake.promise;
      },
    });
    await first.store.work.announceWork(kind, 7, 0);
    await begun.promise;
    // Closes the connections as if the process was killed; its handler hangs.
    await first.store.close();

    const taken = Promise.withResolvers<number>();
    const end = Promise.withResolvers<undefined>();
    const second = await start(t, {
      kind,
      holder: 'heir',
      lease_ms: LONG_MS,
      handler: ({ accountId }) => {
        taken.resolve(accountId);
        return end.promise;
      },
    });
    assert.equal(await taken.promise, 7);
    awake.resolve(undefined);
    await first.loop.close(LONG_MS);
    end.resolve(undefined);
    assert.ok(await second.loop.close(LONG_MS));
    assert.equal(
      await second.store.work.takeWork(kind, 'anybody', LONG_MS),
      undefined,
      'it was done, and finished once',
    );
  });

  test('housekeeping runs once for all processes, and is rescheduled', async (t) => {
    const nowMs = () => Date.UTC(2026, 0, 31);
    const stores = [await open(), await open()] as const;
    const loops: LeasedLoop[] = [];
    t.after(async () => {
      for (const loop of loops) await loop.close(0);
      for (const store of stores) await store.close();
    });
    const [keeper] = stores;
    const user = { email: 'a@b.example', role: 'operator', merchantId: null, createdMs: 0 } as const;
    await keeper.people.addPortalUser(user, { tokenHash: Uint8Array.of(1), endsMs: nowMs() });
    const events: unknown[] = [];
    const telemetry = { observe: (event: string, fields: unknown) => events.push([event, fields]) };
    const starting = stores.map((store, place) => startHousekeeping({ store, nowMs, holder: `${place}`, telemetry }));
    loops.push(...(await Promise.all(starting)));
    while ((await keeper.people.readLink(Uint8Array.of(1), 0)) !== undefined);
    // The second process may announce housekeeping while the first one runs it: then it runs twice before it is rescheduled.
    const rescheduled = `SELECT 1 FROM work_lease WHERE kind = $1 AND fence = 0
      AND due_ms > extract(epoch FROM clock_timestamp()) * 1000 + $2`;
    while ((await administer(url, rescheduled, [HOUSEKEEPING_KIND, LONG_MS / 2])).length === 0);
    assert.equal(await keeper.work.takeWork(HOUSEKEEPING_KIND, 'early', LONG_MS), undefined);
    assert.deepEqual(events, []);
  });
});
