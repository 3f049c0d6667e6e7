/** Tests supervisor.ts with fake workers: start order, restart pauses, replacement, stop. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { restartPauseMs, SETTLED_MS, Supervisor, WorkerFailedError, type WorkerListener } from './supervisor.ts';

interface Played extends WorkerListener {
  readonly number: number;
  readonly messages: string[];
}

function play(t: TestContext, count: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const forked: Played[] = [];
  const events: Record<string, unknown>[] = [];
  const seen = { nowMs: 0 };
  const supervisor = new Supervisor({
    count,
    monotonicMs: () => seen.nowMs,
    observe: (event, fields) => void events.push({ event, ...fields }),
    fork: (number, listener) => {
      const messages: string[] = [];
      forked.push({ number, messages, ...listener });
      return {
        pid: forked.length,
        tell: ({ kind }) => void messages.push(kind),
        kill: () => void messages.push('kill'),
      };
    },
  });
  const pass = (ms: number) => {
    seen.nowMs += ms;
    t.mock.timers.tick(ms);
  };
  const numbers = () => forked.map(({ number }) => number);
  return { supervisor, forked, events, pass, numbers };
}

type Stage = ReturnType<typeof play>;

const ready = (worker: Played | undefined) => {
  worker?.reported({ kind: 'ready', url: `http://x:${worker.number}`, said: [`I am ${worker.number}`] });
};

async function startAll({ supervisor, forked }: Stage) {
  const started = supervisor.start();
  ready(forked[0]);
  await eventLoopTick();
  for (const worker of forked.slice(1)) ready(worker);
  return started;
}

describe('the start', () => {
  it('starts the first worker alone, and resolves when all are ready', async (t) => {
    const stage = play(t, 3);
    const started = stage.supervisor.start();
    await eventLoopTick();
    assert.deepEqual(stage.numbers(), [1]);
    ready(stage.forked[0]);
    await eventLoopTick();
    assert.deepEqual(stage.numbers(), [1, 2, 3]);
    ready(stage.forked[2]);
    let isDone = false;
    void started.then(() => {
      isDone = true;
    });
    await eventLoopTick();
    assert.equal(isDone, false);
    ready(stage.forked[1]);
    assert.deepEqual(await started, { kind: 'ready', url: 'http://x:1', said: ['I am 1'] });
  });

  it('fails with the error output of the first worker, and starts no other', async (t) => {
    const { supervisor, forked, numbers } = play(t, 3);
    const started = supervisor.start();
    forked[0]?.reported({ kind: 'failed', lines: ['offerbook: no database'] });
    forked[0]?.ended(1);
    await assert.rejects(started, { fault: ['offerbook: no database'] });
    assert.deepEqual(numbers(), [1]);
    assert.deepEqual(await supervisor.stop(), []);
  });

  it('fails when a later worker ends without a report', async (t) => {
    const { supervisor, forked } = play(t, 2);
    const started = supervisor.start();
    ready(forked[0]);
    await eventLoopTick();
    forked[1]?.ended('SIGSEGV');
    await assert.rejects(started, new WorkerFailedError('Process 2 ended (SIGSEGV) before it was ready.'));
  });

  it('that is stopped halfway is not a failure', async (t) => {
    const { supervisor, forked, numbers } = play(t, 2);
    const started = supervisor.start();
    const stopped = supervisor.stop();
    assert.deepEqual(forked[0]?.messages, ['stop']);
    forked[0]?.ended('SIGINT');
    assert.deepEqual([await started, await stopped, numbers()], [undefined, [], [1]]);
  });
});

describe('a worker that ends', () => {
  it('is restarted with the same number, after pauses that grow up to 5 seconds', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    const pauses: number[] = [];
    for (let n = 1; n <= 9; n++) {
      const worker = stage.forked.at(-1);
      // Every other restart fails before it is ready.
      if (n % 2 === 0) ready(worker);
      worker?.ended('SIGKILL');
      const pause_ms = Number(stage.events.at(-1)?.pause_ms);
      pauses.push(pause_ms);
      stage.pass(pause_ms - 1);
      assert.equal(stage.forked.length, n + 1);
      stage.pass(1);
      assert.equal(stage.forked.length, n + 2);
      assert.equal(stage.forked.at(-1)?.number, 2);
    }
    assert.deepEqual(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  });

  it('is restarted quickly again after one has run for a minute', async (t) => {
    const stage = play(t, 1);
    await startAll(stage);
    stage.forked[0]?.ended(1);
    stage.pass(100);
    stage.pass(SETTLED_MS - 1);
    stage.forked[1]?.ended(1);
    assert.equal(stage.events.at(-1)?.pause_ms, 200);
    stage.pass(200);
    stage.pass(SETTLED_MS);
    stage.forked[2]?.ended(1);
    assert.equal(stage.events.at(-1)?.pause_ms, 100);
  });

  it('is reported with its error output', async (t) => {
    const stage = play(t, 1);
    await startAll(stage);
    stage.forked[0]?.reported({ kind: 'failed', lines: ['offerbook: The store is gone.'] });
    stage.forked[0]?.ended(1);
    assert.deepEqual(stage.events, [
      { event: 'worker_ready', number: 1, pid: 1 },
      { event: 'worker_ended', number: 1, how: 1, reason: 'offerbook: The store is gone.', pause_ms: 100 },
    ]);
  });
});

describe('the replacement', () => {
  it('stops and starts one worker after the other, without a pause', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    const replaced = stage.supervisor.replaceAll();
    assert.deepEqual([stage.forked[0]?.messages, stage.forked[1]?.messages], [['stop'], []]);
    stage.forked[0]?.ended(0);
    assert.deepEqual(stage.numbers(), [1, 2, 1]);
    await eventLoopTick();
    assert.deepEqual(stage.forked[1]?.messages, [], 'the second runs until the first is replaced');
    ready(stage.forked[2]);
    await eventLoopTick();
    assert.deepEqual(stage.forked[1]?.messages, ['stop']);
    stage.forked[1]?.ended(0);
    ready(stage.forked[3]);
    await replaced;
    assert.deepEqual(stage.numbers(), [1, 2, 1, 2]);
    assert.deepEqual(stage.events.at(-1), { event: 'workers_replaced', replaced: 2, of: 2 });
    assert.ok(!stage.events.some(({ event }) => event === 'worker_ended'));
  });

  it('leaves the others alone if a new worker cannot start, and keeps trying to start it', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    const replaced = stage.supervisor.replaceAll();
    stage.forked[0]?.ended(0);
    stage.forked[2]?.reported({ kind: 'failed', lines: ['offerbook: PORT must be a number'] });
    stage.forked[2]?.ended(1);
    await replaced;
    assert.deepEqual(stage.events.slice(2), [
      { event: 'worker_ended', number: 1, how: 1, reason: 'offerbook: PORT must be a number', pause_ms: 100 },
      { event: 'workers_replaced', replaced: 0, of: 2 },
    ]);
    assert.deepEqual(stage.forked[1]?.messages, []);
    stage.pass(100);
    assert.deepEqual(stage.numbers(), [1, 2, 1, 1]);
  });

  it('starts a worker at once whose restart is scheduled', async (t) => {
    const stage = play(t, 1);
    await startAll(stage);
    stage.forked[0]?.ended('SIGKILL');
    const replaced = stage.supervisor.replaceAll();
    assert.deepEqual(stage.numbers(), [1, 1]);
    ready(stage.forked[1]);
    await replaced;
    stage.pass(100_000);
    assert.deepEqual(stage.numbers(), [1, 1]);
  });

  it('is repeated if it is requested again before its end', async (t) => {
    const stage = play(t, 1);
    await startAll(stage);
    const replaced = stage.supervisor.replaceAll();
    stage.forked[0]?.ended(0);
    await stage.supervisor.replaceAll();
    ready(stage.forked[1]);
    await eventLoopTick();
    assert.deepEqual(stage.forked[1]?.messages, ['stop']);
    stage.forked[1]?.ended(0);
    ready(stage.forked[2]);
    await replaced;
    assert.deepEqual(stage.numbers(), [1, 1, 1]);
  });

  it('waits until all workers are ready', async (t) => {
    const stage = play(t, 2);
    const started = stage.supervisor.start();
    await stage.supervisor.replaceAll();
    assert.deepEqual([stage.numbers(), stage.forked[0]?.messages], [[1], []]);
    ready(stage.forked[0]);
    await eventLoopTick();
    assert.deepEqual(stage.forked[0]?.messages, []);
    ready(stage.forked[1]);
    assert.ok(await started);
    for (const [index, next] of [2, 3].entries()) {
      assert.deepEqual(stage.forked[index]?.messages, ['stop']);
      stage.forked[index]?.ended(0);
      ready(stage.forked[next]);
      await eventLoopTick();
    }
    assert.deepEqual(stage.numbers(), [1, 2, 1, 2]);
    assert.deepEqual(stage.events.at(-1), { event: 'workers_replaced', replaced: 2, of: 2 });
  });

  it('ends when the server stops', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    const replaced = stage.supervisor.replaceAll();
    const stopped = stage.supervisor.stop();
    for (const worker of stage.forked) worker.ended(0);
    await replaced;
    assert.deepEqual([await stopped, stage.numbers()], [[], [1, 2]]);
  });
});

describe('the stop', () => {
  it('asks all workers, and resolves when the last has ended', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    let isDone = false;
    const stopped = stage.supervisor.stop().finally(() => {
      isDone = true;
    });
    assert.deepEqual(
      stage.forked.map(({ messages }) => messages),
      [['stop'], ['stop']],
    );
    stage.forked[1]?.ended(0);
    await eventLoopTick();
    assert.equal(isDone, false);
    stage.forked[0]?.ended(0);
    assert.deepEqual(await stopped, []);
    stage.pass(100_000);
    assert.equal(stage.forked.length, 2, 'no worker is restarted');
  });

  it('reports workers that did not stop cleanly', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    const stopped = stage.supervisor.stop();
    stage.forked[0]?.ended('SIGKILL');
    stage.forked[1]?.ended(0);
    assert.deepEqual(await stopped, ['Process 1 did not stop cleanly (SIGKILL).']);
  });

  it('does not wait for a scheduled restart', async (t) => {
    const stage = play(t, 1);
    await startAll(stage);
    stage.forked[0]?.ended(1);
    assert.deepEqual(await stage.supervisor.stop(), []);
    stage.pass(100_000);
    assert.equal(stage.forked.length, 1);
  });

  it('by kill ends all workers immediately', async (t) => {
    const stage = play(t, 2);
    await startAll(stage);
    stage.supervisor.kill();
    assert.deepEqual(
      stage.forked.map(({ messages }) => messages),
      [['kill'], ['kill']],
    );
  });
});

it('the pause doubles from 100 ms on and never exceeds 5 s', () => {
  assert.deepEqual([1, 2, 6, 7, 2000].map(restartPauseMs), [100, 200, 3200, 5000, 5000]);
});
