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
import { HEALTH_CHECK, LoadShedder, STRANGERS } from './load-shedding.ts';

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
  it('are accepted up to a wait of 50 ms at the initial rate of 10 per millisecond, and refused beyond it', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 500);
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
  it('accepts 256 requests, then more for 25 ms, and refuses requests that it reads later; the next tick accepts again', async (t) => {
    const shedder = shedderOf(t);
    for (let n = 0; n < 256; n++) assert.equal(shedder.isTooMuch(1, SOCKET, n * 10), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 26), true);
    assert.equal(shedder.isTooMuch(1, SOCKET, 25), false);
    await new Promise(setImmediate);
    assert.equal(shedder.isTooMuch(1, SOCKET, 52), false);
  });

  it('accepts 64 health checks, however long it lasts, and refuses more', (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 10_000);
    for (let n = 0; n < 64; n++) assert.equal(shedder.isTooMuch(HEALTH_CHECK, SOCKET, n * 1000), false);
    assert.equal(shedder.isTooMuch(HEALTH_CHECK, SOCKET, 0), true);
  });
});

describe('accounts', () => {
  it('that send more than their share are refused beyond 15 ms; others are accepted up to 200 ms', (t) => {
    const shedder = shedderOf(t);
    assert.equal(shedder.isTooMuch(2, SOCKET, 0), false);
    for (let n = 0; n < 300; n++) assert.equal(shedder.isTooMuch(1, SOCKET, 7.5), false);
    assert.equal(shedder.isTooMuch(1, SOCKET, 8), true);
    assert.equal(shedder.isTooMuch(2, SOCKET, 100), false);
    assert.equal(shedder.isTooMuch(2, SOCKET, 101), true);
  });

  it('count as the only sender when all others are strangers', (t) => {
    const shedder = shedderOf(t);
    shedder.isTooMuch(STRANGERS, SOCKET, 0);
    for (let n = 0; n < 10; n++) shedder.isTooMuch(1, SOCKET, 0);
    begin(shedder, 300);
    assert.equal(shedder.isTooMuch(1, SOCKET, 0), false);
    for (let n = 0; n < 100; n++) shedder.isTooMuch(STRANGERS, SOCKET, 0);
    assert.equal(shedder.isTooMuch(STRANGERS, SOCKET, 0), true, 'a flood by strangers is refused');
  });

  it('count as the only sender again when no other account has sent for two seconds', (t) => {
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

  function rest(shedder: LoadShedder, socket = new Resting()) {
    const response = new EventEmitter();
    const seconds = shedder.rest(socket as unknown as Socket, response as unknown as ServerResponse);
    return { socket, response, seconds };
  }

  it('resume at 500 per second, and get the latest time in Retry-After', async (t) => {
    const shedder = shedderOf(t);
    // The time is measured from the first refusal.
    const startMs = performance.now();
    const all = Array.from({ length: 501 }, () => rest(shedder));
    assert.deepEqual([all[0]?.seconds, all[499]?.seconds, all[500]?.seconds], [1, 1, 2]);
    for (const { response } of all) response.emit('finish');
    const last = all.at(-1)?.socket as Resting;
    while (last.calls.at(-1) !== 'resume') {
      await pause(5);
      const woken = all.filter(({ socket }) => socket.calls.includes('resume')).length;
      // A late timer also resumes the connections it missed.
      assert.ok(woken <= (performance.now() - startMs) / 2 + 50, `${woken} were woken early`);
    }
    for (const { socket } of all) assert.equal(socket.calls.at(-1), 'resume');
  });

  it('that are closed leave their place in the queue', async (t) => {
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

  it('are refused again for requests sent during the pause, as long as others wait', async (t) => {
    const shedder = shedderOf(t);
    begin(shedder, 300);
    const woken = await new Promise<{ first: boolean; later: boolean; other: boolean }>((resolve) => {
      const socket = new Resting();
      const isTooMuch = (one: unknown): boolean => shedder.isTooMuch(1, one as Socket, 0);
      socket.resume = () => {
        const [first, other] = [isTooMuch(socket), isTooMuch(SOCKET)];
        setImmediate(() => setImmediate(() => resolve({ first, other, later: isTooMuch(socket) })));
      };
      rest(shedder, socket);
    });
    assert.deepEqual(woken, { first: true, other: false, later: false });
  });

  for (const isApart of [false, true]) {
    it(`are not read while they rest: head and body ${isApart ? 'apart' : 'in one packet'}`, async (t) => {
      const shedder = shedderOf(t);
      const startMs = performance.now();
      // A queue that makes it wait for a second.
      for (let n = 0; n < 500; n++) rest(shedder);
      const readMs: number[] = [];
      const server = createServer({ keepAliveTimeout: 0 }, (message, response) => {
        readMs.push(performance.now());
        if (readMs.length === 1) shedder.rest(message.socket, response);
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
      await pause(100);
      client.write(head + body);
      await once(client, 'data');
      const waitedMs = (readMs[1] ?? 0) - startMs;
      assert.ok(waitedMs > 900, `it was read after ${waitedMs} ms`);
    });
  }
});
