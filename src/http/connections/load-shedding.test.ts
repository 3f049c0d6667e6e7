/**
 * Tests that requests are refused by their expected wait, that a flooding account is refused first, and that refusals
 * have a bounded cost.
 */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { timedIt } from '../../../test/harness/lost-time.ts';
import { HEALTH_CHECK, LoadShedder, STRANGERS } from './load-shedding.ts';

const SOCKET = {} as Socket;

function shedderOf(t: TestContext): LoadShedder {
  const shedder = new LoadShedder();
  t.after(() => shedder.stop());
  return shedder;
}

function begin(shedder: LoadShedder, count: number, sender = 1): void {
  for (let n = 0; n < count; n++) shedder.begin(sender);
}

function end(shedder: LoadShedder, count: number, nowMs: number): void {
  for (let n = 0; n < count; n++) shedder.end(1, nowMs);
}

/** Pauses connections of a sender. */
function restAll(shedder: LoadShedder, sender: number, count: number): void {
  for (let n = 0; n < count; n++) shedder.rest(sender, {} as Socket, new EventEmitter() as unknown as ServerResponse);
}

/** Sends as many requests as it takes to count as demand. */
function compete(shedder: LoadShedder, sender: number, nowMs: number): void {
  for (let n = 0; n < 20; n++) assert.equal(shedder.isTooMuch(sender, SOCKET, nowMs), false);
}

describe('requests in flight', () => {
  it('of a client with 512 connections are accepted; more are a flood, refused beyond a wait of 25 ms', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 512);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    begin(shedder, 1);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), true);
    end(shedder, 1, 1);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1), false);
  });

  it('are limited by the rate of responses while there are many', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 400);
    // The rate moves towards 1 per millisecond, window by window.
    const answerUntil = (endMs: number, startMs: number): void => {
      for (let nowMs = startMs; nowMs < endMs; nowMs += 10) {
        begin(shedder, 10);
        end(shedder, 10, nowMs);
      }
    };
    answerUntil(100, 0);
    assert.equal(shedder.isTooMuch(1, SOCKET, 100), false, 'one pause does not lower the rate');
    answerUntil(1000, 100);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1000), true);
    end(shedder, 144, 1001);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1001), false, '256 are always accepted');
  });

  it('do not count as slow when the server had little to do', (t) => {
    const shedder = shedderOf(t);
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 1000) {
      begin(shedder, 96);
      end(shedder, 96, nowMs + 900);
    }
    begin(shedder, 500);
    assert.equal(shedder.isTooMuch(1, SOCKET, 11_000), false);
  });
});

describe('a tick of the event loop', () => {
  it('accepts 256 requests, then more for 125 ms, and refuses requests that it reads later; the next tick accepts again', async (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 256; n++) assert.equal(shedder.isTooMuch(1, SOCKET, n * 10), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 126), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 125), false);
    await new Promise(setImmediate);
    assert.equal(shedder.isTooMuch(1, SOCKET, 252), false);
  });

  it('refuses a flood that it reads for more than 12.5 ms', (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 512; n++) assert.equal(shedder.isTooMuch(1, SOCKET, n / 40), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 12.5), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 13), true);
  });

  it('accepts 64 health checks, however long it lasts, and refuses more', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 10_000);
    for (let n = 0; n < 64; n++) assert.equal(shedder.isTooMuch(HEALTH_CHECK, SOCKET, n * 1000), false);
    assert.equal(shedder.isTooMuch(HEALTH_CHECK, SOCKET, 0), true);
  });
});

describe('accounts', () => {
  it('with 512 requests in flight are not refused because another account sends too', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 512);
    for (let n = 0; n < 400; n++) assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    compete(shedder, 2, 0);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
  });

  it('that flood are refused beyond 15 ms while others send; the others are accepted up to 250 ms', (t) => {
    const shedder = shedderOf(t);
    compete(shedder, 2, 0);
    for (let n = 0; n < 30; n++) assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    // Paused connections count, because their clients would send again.
    restAll(shedder, 1, 400);
    begin(shedder, 150);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    begin(shedder, 1);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), true);
    begin(shedder, 2349);
    assert.equal(shedder.isTooMuch(2, SOCKET, 0), false);
    begin(shedder, 1);
    assert.equal(shedder.isTooMuch(2, SOCKET, 0), true);
  });

  it('that flood are accepted up to 32 while others send, however slow the server is', (t) => {
    const shedder = shedderOf(t);
    restAll(shedder, 1, 513);
    begin(shedder, 33);
    // One response per window, until the rate is far below 32 in 15 ms.
    for (let nowMs = 100; nowMs <= 3000; nowMs += 100) {
      begin(shedder, 1);
      end(shedder, 1, nowMs);
    }
    for (let n = 0; n < 20; n++) shedder.isTooMuch(2, SOCKET, 3000);
    assert.equal(shedder.isTooMuch(1, SOCKET, 3000), true);
    end(shedder, 1, 3001);
    assert.equal(shedder.isTooMuch(1, SOCKET, 3001), false);
  });

  it('are refused less strictly for a flood when others send fewer than 20 requests in two seconds', (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 19; n++) shedder.isTooMuch(2, SOCKET, 0);
    begin(shedder, 200);
    restAll(shedder, 1, 400);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    shedder.isTooMuch(2, SOCKET, 0);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1000), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 2000), false);
  });

  it('above their share divide 1,024 requests among them', async (t) => {
    const shedder = shedderOf(t);
    const heavy = [1, 2, 3, 4];
    // Four heavy accounts and one with few requests, for one window.
    for (const sender of heavy) for (let n = 0; n < 500; n++) shedder.isTooMuch(sender, SOCKET, 0);
    compete(shedder, 5, 0);
    await new Promise(setImmediate);
    for (const sender of heavy) begin(shedder, 256, sender);
    for (const sender of heavy) assert.equal(shedder.isTooMuch(sender, SOCKET, 1000), false);
    begin(shedder, 1, 4);
    assert.equal(shedder.isTooMuch(4, SOCKET, 1000), true);
    assert.equal(shedder.isTooMuch(3, SOCKET, 1000), false);
  });

  it('behind a proxy flood when more than 512 requests were turned away in the last second', (t) => {
    const shedder = shedderOf(t);
    compete(shedder, 2, 0);
    begin(shedder, 200);
    shedder.isTooMuch(1, SOCKET, 0);
    for (let n = 0; n < 313; n++) shedder.turnAway(1);
    assert.equal(shedder.isTooMuch(1, SOCKET, 999), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 1000), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 2000), false);
  });

  it('do not compete with strangers, but a flood by strangers competes with them', (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 100; n++) shedder.isTooMuch(STRANGERS, SOCKET, 0);
    begin(shedder, 200);
    restAll(shedder, 1, 400);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    compete(shedder, 2, 0);
    restAll(shedder, STRANGERS, 513);
    assert.equal(shedder.isTooMuch(STRANGERS, SOCKET, 0), true);
  });
});

describe('refused connections', () => {
  class Resting extends EventEmitter {
    readonly calls: string[] = [];
    destroyed = false;
    pause(): void {
      this.calls.push('pause');
    }
    isPaused(): boolean {
      return this.calls.at(-1) === 'pause';
    }
    resume(): void {
      this.calls.push('resume');
    }
  }

  function rest(shedder: LoadShedder, socket = new Resting(), sender = 1) {
    const response = new EventEmitter();
    const seconds = shedder.rest(sender, socket as unknown as Socket, response as unknown as ServerResponse);
    return { socket, response, seconds };
  }

  it('resume at 250 per second under load, and get the latest time in Retry-After', (t) => {
    // The time is measured from the first refusal.
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    t.mock.timers.enable({ apis: ['setInterval'] });
    const shedder = shedderOf(t);
    begin(shedder, 16);
    const all = Array.from({ length: 251 }, () => rest(shedder));
    assert.deepEqual([all[0]?.seconds, all[249]?.seconds, all[250]?.seconds], [1, 1, 2]);
    for (const { response } of all) response.emit('finish');
    // The timer is late each time, and each fraction of a connection counts.
    for (let ticks = 1; nowMs < 1004; ticks++) {
      nowMs = ticks * 10.7;
      t.mock.timers.tick(10);
      const woken = all.filter(({ socket }) => socket.calls.includes('resume')).length;
      assert.equal(woken, Math.min(Math.floor(nowMs / 4), all.length));
    }
    for (const { socket } of all) assert.equal(socket.calls.at(-1), 'resume');
  });

  timedIt('resume ten times as fast once few requests are in flight', async (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 15);
    const startMs = performance.now();
    const all = Array.from({ length: 1000 }, () => rest(shedder));
    while (!all.every(({ socket }) => socket.calls.includes('resume'))) await pause(5);
    assert.ok(performance.now() - startMs < 3000, 'they waited as if under load');
  });

  timedIt('of a sender with few resume before those of a flood, and so does their Retry-After', async (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 16);
    const flood = Array.from({ length: 1000 }, () => rest(shedder));
    const { socket, seconds } = rest(shedder, new Resting(), 2);
    while (!socket.calls.includes('resume')) await pause(1);
    const before = flood.filter((one) => one.socket.calls.includes('resume')).length;
    assert.ok(before <= 100, `${before} connections of the flood resumed first`);
    assert.deepEqual([seconds, flood.at(-1)?.seconds, rest(shedder).seconds], [1, 4, 4]);
  });

  timedIt('that are closed leave their place in the queue', async (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 5000; n++) rest(shedder).socket.destroyed = true;
    const { socket } = rest(shedder);
    const startMs = performance.now();
    while (!socket.calls.includes('resume')) await pause(5);
    assert.ok(performance.now() - startMs < 3000, 'it waited for closed connections');
    assert.equal(rest(shedder).seconds, 1);
  });

  it('that are read again before their response is sent are not paused', async (t) => {
    const shedder = shedderOf(t);
    const { socket, response } = rest(shedder);
    while (socket.calls.length < 1) await pause(5);
    response.emit('finish');
    await new Promise(setImmediate);
    assert.deepEqual(socket.calls, ['resume']);
  });

  for (const [sender, isRefused] of [
    ['a flood are refused again', true],
    ['others are accepted', false],
  ] as const) {
    it(`with requests of ${sender} that were sent during the pause, while requests wait`, async (t) => {
      const shedder = shedderOf(t);
      begin(shedder, 200);
      const woken = await new Promise<{ first: boolean; later: boolean; other: boolean }>((resolve) => {
        const socket = new Resting();
        const isTooMuch = (one: unknown): boolean => shedder.isTooMuch(1, one as Socket, 0);
        socket.resume = () => {
          const [first, other] = [isTooMuch(socket), isTooMuch(SOCKET)];
          setImmediate(() => setImmediate(() => resolve({ first, other, later: isTooMuch(socket) })));
        };
        rest(shedder, socket);
        for (let n = 0; n < (isRefused ? 400 : 100); n++) rest(shedder);
      });
      assert.deepEqual(woken, { first: isRefused, other: false, later: false });
    });
  }

  for (const isApart of [false, true]) {
    it(`are not read while they rest: head and body ${isApart ? 'apart' : 'in one packet'}`, async (t) => {
      const shedder = shedderOf(t);
      const startMs = performance.now();
      // A queue that makes it wait for a second.
      begin(shedder, 128);
      for (let n = 0; n < 250; n++) rest(shedder);
      const readMs: number[] = [];
      const server = createServer({ keepAliveTimeout: 0 }, (message, response) => {
        readMs.push(performance.now());
        if (readMs.length === 1) shedder.rest(1, message.socket, response);
        response.writeHead(503, { 'content-length': '0' }).end();
      });
      t.after(() => server.close());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      t.after(() => client.destroy());
      const [head, body] = ['PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n', '{}'];
      client.write(isApart ? head : head + body);
      await once(client, 'data');
      if (isApart) client.write(body);
      // Waits until after the next check of resting connections.
      await pause(200);
      client.write(head + body);
      await once(client, 'data');
      const waitedMs = (readMs[1] ?? 0) - startMs;
      assert.ok(waitedMs > 900, `it was read after ${waitedMs} ms`);
    });
  }
});
