/** Tests active-rules.ts: which processes review while two releases run at the same time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ActiveRules } from './active-rules.ts';

/** The database that several processes share. */
function sharedStore() {
  let [rules, holds, version]: [string | undefined, number, number] = [undefined, 0, 0];
  let isDown = false;
  return {
    get version() {
      return version;
    },
    set isDown(value: boolean) {
      isDown = value;
    },
    async noteRules(noted: string) {
      if (noted === rules) return;
      rules = noted;
      version++;
    },
    readRules: async () => rules,
    async holdRules(held: string) {
      if (isDown) throw new Error('down');
      const isActive = held === rules;
      if (isActive) holds++;
      return { isActive, holds };
    },
  };
}

async function started(store: ReturnType<typeof sharedStore>, rules: string): Promise<ActiveRules> {
  const process = new ActiveRules(store, rules);
  await process.note();
  await process.follow(store.version);
  return process;
}

async function reviewing(store: ReturnType<typeof sharedStore>, ...processes: ActiveRules[]): Promise<boolean[]> {
  for (const process of processes) await process.follow(store.version);
  return processes.map(({ areOwn }) => areOwn);
}

async function times(count: number, ...calls: (() => Promise<void>)[]): Promise<void> {
  for (let time = 0; time < count; time++) for (const call of calls) await call();
}

describe('active rules', () => {
  it('are those of the process that started last', async () => {
    const store = sharedStore();
    const older = await started(store, 'a');
    assert.deepEqual(await reviewing(store, older), [true]);
    const newer = await started(store, 'b');
    const another = await started(store, 'b');
    assert.deepEqual(await reviewing(store, older, newer, another), [false, true, true]);
    const olderAgain = await started(store, 'a');
    assert.deepEqual(await reviewing(store, older, newer, another, olderAgain), [true, false, false, true]);
  });

  it('stay active while a process with them is alive', async () => {
    const store = sharedStore();
    const [older, newer] = [await started(store, 'a'), await started(store, 'b')];
    await times(
      20,
      () => older.hold(),
      () => newer.hold(),
    );
    assert.deepEqual(await reviewing(store, older, newer), [false, true]);
  });

  it('switch to the others when no such process is alive, at the fifth check and not before', async () => {
    const store = sharedStore();
    const [older, newer] = [await started(store, 'a'), await started(store, 'b')];
    await newer.hold();
    await times(4, () => older.hold());
    assert.deepEqual(await reviewing(store, older), [false]);
    await older.hold();
    assert.deepEqual(await reviewing(store, older), [true]);
  });

  it('stay active through a database outage', async () => {
    const store = sharedStore();
    const [older, newer] = [await started(store, 'a'), await started(store, 'b')];
    await times(4, () => older.hold());
    store.isDown = true;
    await assert.rejects(older.hold(), { message: 'down' });
    store.isDown = false;
    await times(4, () => older.hold());
    await newer.hold();
    await older.hold();
    assert.deepEqual(await reviewing(store, older, newer), [false, true]);
  });

  it('of an older version do not replace those of a newer one', async () => {
    const store = sharedStore();
    const process = await started(store, 'a');
    const [oldVersion, readLate] = [store.version, Promise.withResolvers<string>()];
    await store.noteRules('b');
    const slow = new ActiveRules({ ...store, readRules: () => readLate.promise }, 'a');
    const early = slow.follow(oldVersion);
    const late = slow.follow(store.version);
    readLate.resolve('b');
    await Promise.all([early, late]);
    assert.deepEqual(await reviewing(store, process, slow), [false, false]);
  });
});
