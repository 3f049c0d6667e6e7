/** Promise: requests are refused by the wait they would have, an account that floods before the others, and at a bounded cost. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { LoadShedder } from './load-shedding.ts';

const SOCKET = {} as Socket;

function shedderOf(t: TestContext): LoadShedder {
  const shedder = new LoadShedder();
  t.after(() => shedder.stop());
  return shedder;
}

function begin(shedder: LoadShedder, count: number): void {
  for (let n = 0; n < count; n++) shedder.begin();
}

function end(shedder: LoadShedder, count: number, nowMs: number): void {
  for (let n = 0; n < count; n++) shedder.end(nowMs);
}

describe('requests in flight', () => {
  it('are taken up to a wait of 50 ms at the first rate of 10 a millisecond, and refused beyond', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 500);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    begin(shedder, 1);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), true);
    end(shedder, 1, 1);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1), false);
  });

  it('count by the rate of answers while there are many', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 400);
    // 1 a millisecond, towards which the rate moves window by window.
    const answerUntil = (endMs: number, startMs: number): void => {
      for (let nowMs = startMs; nowMs < endMs; nowMs += 10) {
        begin(shedder, 10);
        end(shedder, 10, nowMs);
      }
    };
    answerUntil(100, 0);
    assert.equal(shedder.isTooMuch(1, SOCKET, 100), false, 'one pause is no lower rate');
    answerUntil(1000, 100);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1000), true);
    end(shedder, 144, 1001);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1001), false, '256 are always taken');
  });

  it('do not count as slow where the server had little to do', (t) => {
    const shedder = shedderOf(t);
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 1000) {
      begin(shedder, 128);
      end(shedder, 128, nowMs + 900);
    }
    begin(shedder, 500);
    assert.equal(shedder.isTooMuch(1, SOCKET, 11_000), false);
  });
});

describe('a tick of the event loop', () => {
  it('takes 256 requests, then more for 50 ms, and refuses those that it reads later; the next tick takes again', async (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 256; n++) assert.equal(shedder.isTooMuch(1, SOCKET, n * 10), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 51), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 50), false);
    await new Promise(setImmediate);
    assert.equal(shedder.isTooMuch(1, SOCKET, 52), false);
  });
});

describe('accounts', () => {
  it('that send more than their share are refused beyond 20 ms, the others are taken', (t) => {
    const shedder = shedderOf(t);
    assert.equal(shedder.isTooMuch(2, SOCKET, 0), false);
    for (let n = 0; n < 300; n++) assert.equal(shedder.isTooMuch(1, SOCKET, 20), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 21), true);
    assert.equal(shedder.isTooMuch(2, SOCKET, 200), false);
    assert.equal(shedder.isTooMuch(2, SOCKET, 201), true);
  });

  it('are alone again when no other has sent for two seconds', (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 10; n++) shedder.isTooMuch(1, SOCKET, 0);
    shedder.isTooMuch(2, SOCKET, 0);
    begin(shedder, 300);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), true);
    shedder.isTooMuch(1, SOCKET, 1000);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1999), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 2000), false);
  });
});

describe('refused connections', () => {
  class Resting extends EventEmitter {
    readonly calls: string[] = [];
    pause(): void {
      this.calls.push('pause');
    }
    resume(): void {
      this.calls.push('resume');
    }
  }

  it('are paused behind their answer and resumed, 1,000 a second, and told when at the latest', async (t) => {
    const shedder = shedderOf(t);
    const all = Array.from({ length: 1001 }, () => ({ socket: new Resting(), response: new EventEmitter() }));
    const seconds = all.map(({ socket, response }) =>
      shedder.rest(socket as unknown as Socket, response as unknown as ServerResponse),
    );
    assert.deepEqual([seconds[0], seconds[999], seconds[1000]], [1, 1, 2]);
    for (const { response } of all) response.emit('finish');
    const startMs = performance.now();
    const last = all.at(-1)?.socket as Resting;
    while (last.calls.length < 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const woken = all.filter(({ socket }) => socket.calls.length === 2).length;
      // A timer that comes late wakes those of the time that it missed.
      assert.ok(woken <= performance.now() - startMs + 1001 / 10, `${woken} were woken early`);
    }
    for (const { socket } of all) assert.deepEqual(socket.calls, ['pause', 'resume']);
  });

  it('that are read again before their answer is sent are not paused', async (t) => {
    const shedder = shedderOf(t);
    const socket = new Resting();
    const response = new EventEmitter();
    shedder.rest(socket as unknown as Socket, response as unknown as ServerResponse);
    while (socket.calls.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    response.emit('finish');
    assert.deepEqual(socket.calls, ['resume']);
  });

  it('are refused again for what they sent meanwhile, as long as others wait', async (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 300);
    const woken = await new Promise<{ first: boolean; later: boolean; other: boolean }>((resolve) => {
      const socket = new Resting();
      socket.resume = () => {
        const first = shedder.isTooMuch(1, socket as unknown as Socket, 0);
        const other = shedder.isTooMuch(1, SOCKET, 0);
        setImmediate(() =>
          setImmediate(() => resolve({ first, other, later: shedder.isTooMuch(1, socket as unknown as Socket, 0) })),
        );
      };
      shedder.rest(socket as unknown as Socket, new EventEmitter() as unknown as ServerResponse);
    });
    assert.deepEqual(woken, { first: true, other: false, later: false });
  });
});
