/** Tests that the bulk file thread starts when there is work, and not before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BulkOnDemand } from './bulk-on-demand.ts';

class World {
  work: boolean | Error = false;
  fault: Error | undefined;
  readonly calls: string[] = [];
  readonly events: unknown[] = [];
  looks = 0;
  #changed: () => void = () => {};

  open(): BulkOnDemand {
    return new BulkOnDemand({
      poll_ms: 1,
      hasWork: async () => {
        this.looks++;
        this.#changed();
        if (this.work instanceof Error) throw this.work;
        return this.work;
      },
      start: async () => {
        this.#note('start');
        if (this.fault !== undefined) throw this.fault;
        return { wake: () => this.#note('wake'), close: async () => this.#note('close') };
      },
      telemetry: { observe: (event, fields) => void this.events.push([event, fields]) },
    });
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  #note(call: string): void {
    this.calls.push(call);
    this.#changed();
  }
}

describe('the bulk file thread on demand', () => {
  it('is not started without waiting work, whether or not the store responds', async () => {
    const world = new World();
    const bulk = world.open();
    await world.until(() => world.looks === 3);
    world.work = new Error('The store is away.');
    await world.until(() => world.looks === 6);
    await bulk.close(0);
    assert.deepEqual(world.calls, []);
    assert.deepEqual(world.events[0], ['work_stalled', { kind: 'file', error: world.work }]);
  });

  it('is started once for work that another process received, and closed', async () => {
    const world = new World();
    const bulk = world.open();
    await world.until(() => world.looks === 2);
    world.work = true;
    await world.until(() => world.calls.length === 1);
    await bulk.close(0);
    assert.deepEqual(world.calls, ['start', 'close']);
  });

  it('is started by the first file of this process, and woken by the next', async () => {
    const world = new World();
    const bulk = world.open();
    bulk.wake();
    bulk.wake();
    await world.until(() => world.calls.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    const { looks } = world;
    bulk.wake();
    await bulk.close(0);
    assert.deepEqual(world.calls, ['start', 'wake', 'close']);
    assert.ok(world.looks <= looks, 'it looks for itself then');
  });

  it('is started again after a failed start, which is reported', async () => {
    const world = new World();
    world.fault = new Error('No memory.');
    world.work = true;
    const bulk = world.open();
    await world.until(() => world.calls.length === 2);
    world.fault = undefined;
    await world.until(() => world.calls.length === 3);
    await bulk.close(0);
    assert.deepEqual(world.events[0], ['bulk_thread_ended', { error: new Error('No memory.'), pause_ms: 1 }]);
    assert.equal(world.calls.at(-1), 'close');
  });

  it('is not started once the process stops', async () => {
    const world = new World();
    const bulk = world.open();
    await bulk.close(0);
    bulk.wake();
    world.work = true;
    await bulk.close(0);
    assert.deepEqual(world.calls, []);
  });
});
