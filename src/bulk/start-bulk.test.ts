/** Tests the messages, restart and stop of the bulk file thread. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEUTRAL_NAMES } from '../domain/names.ts';
import { type BulkOptions, type RunningBulk, startBulk } from './start-bulk.ts';

class Observer {
  readonly events: [event: string, fields: unknown][] = [];
  readonly telemetry = {
    observe: (event: string, fields: unknown) => {
      this.events.push([event, fields]);
      this.#heard();
    },
  };
  written = 0;
  shares = 0;
  #heard: () => void = () => {};

  start(manner: string): Promise<RunningBulk> {
    return startBulk({
      shareStore: () => {
        this.shares++;
        this.#heard();
        return { store: undefined as unknown as ReturnType<BulkOptions['shareStore']>['store'], transfer: [] };
      },
      telemetry: this.telemetry as BulkOptions['telemetry'],
      onRowsWritten: () => {
        this.written++;
      },
      filesFolder: manner,
      names: NEUTRAL_NAMES,
      feeds: { currency: 'USD', storefrontUrl: undefined },
      unpacked_bytes_max: 1,
      free_bytes_min: 0,
      kept_bytes_max: 1,
      check_threads_max: 0,
      holder: 'test',
      threadFile: new URL('./testing/mortal-thread.ts', import.meta.url),
      pause_ms_first: 1,
    });
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

describe('the bulk file thread', () => {
  it('reports its events, and ends when it is stopped', async () => {
    const observer = new Observer();
    const bulk = await observer.start('well');
    bulk.wake();
    await observer.until(() => observer.events.length === 1);
    assert.deepEqual(observer.events, [['work_lost', { kind: 'file-Price', accountId: 7 }]]);
    assert.equal(observer.written, 1);
    await bulk.close(1_000);
    assert.equal(observer.events.length, 1, 'that end is no event');
    assert.equal(observer.shares, 1);
  });

  it('fails the start if it cannot start', async () => {
    const observer = new Observer();
    await assert.rejects(observer.start('stillborn'), new Error('The store cannot be opened.'));
    assert.deepEqual([observer.events, observer.shares], [[], 1]);
  });

  it('is replaced by a thread with its own store, after a pause that doubles', async () => {
    const observer = new Observer();
    const bulk = await observer.start('dies');
    const ends = () => observer.events.filter(([event]) => event === 'bulk_thread_ended');
    for (let count = 1; count <= 3; count++) {
      // The new thread receives only messages sent after its start.
      const asking = setInterval(() => bulk.wake(), 5);
      await observer.until(() => ends().length === count);
      clearInterval(asking);
      await observer.until(() => observer.shares === count + 1);
    }
    assert.deepEqual(
      ends().map(([, fields]) => {
        const { error, pause_ms } = fields as { error: Error; pause_ms: number };
        return [error.message, pause_ms];
      }),
      [
        ['Out of luck.', 1],
        ['Out of luck.', 2],
        ['Out of luck.', 4],
      ],
    );
    await bulk.close(1_000);
  });

  it('is not replaced once the process stops', async () => {
    const observer = new Observer();
    const bulk = await observer.start('dies');
    bulk.wake();
    await bulk.close(1_000);
    await bulk.close(1_000);
    assert.equal(observer.shares, 1);
  });

  it('is terminated if it does not end in time', async () => {
    const observer = new Observer();
    const bulk = await observer.start('deaf');
    await bulk.close(-2_000 + 10);
    assert.deepEqual(observer.events, []);
  });
});
