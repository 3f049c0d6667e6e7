/** Tests that event-log.ts writes one JSON line per event and spaces events that clients can cause at any rate. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { describeError, EventLog, SPACING_SECONDS } from './event-log.ts';

const SPACING_MS = SPACING_SECONDS * 1000;
const REQUEST = { requestId: 'r-1', route: '/token' };

function openLog(t: TestContext, level = 'info'): { log: EventLog; lines: Record<string, unknown>[] } {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: Record<string, unknown>[] = [];
  return { log: new EventLog(level, { write: (line) => void lines.push(JSON.parse(line)) }), lines };
}

describe('lines', () => {
  it('are JSON with level, time, event, fields and message', (t) => {
    const { log, lines } = openLog(t);
    log.write('server_started', {
      role: 'all',
      database: 'sqlite:/data',
      url: 'http://127.0.0.1:1',
      publicUrl: undefined,
      metricsUrl: undefined,
    });
    assert.equal(lines.length, 1);
    const { time, ...rest } = lines[0] ?? {};
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      level: 'info',
      event: 'server_started',
      role: 'all',
      database: 'sqlite:/data',
      url: 'http://127.0.0.1:1',
      message: 'The server is ready.',
    });
  });

  it('contain the process number if there are several', () => {
    const lines: Record<string, unknown>[] = [];
    const log = new EventLog('info', { write: (line) => void lines.push(JSON.parse(line)) }, 3);
    log.write('setup_changed', { version: 1 });
    assert.deepEqual([lines[0]?.worker, lines[0]?.event], [3, 'setup_changed']);
  });

  it('are written from the configured level up', (t) => {
    const { log, lines } = openLog(t, 'warn');
    log.write('setup_changed', { version: 1 });
    log.write('work_lost', { kind: 'file', accountId: 1 });
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['work_lost'],
    );
    assert.ok(!log.shows('request_answered'));
  });

  it('describe an error by name, message, stack and causes only', () => {
    const cause = new TypeError('inner');
    const error = Object.assign(new Error('outer', { cause }), { headers: 'secret' });
    const described = JSON.parse(JSON.stringify(describeError(error)));
    assert.deepEqual(Object.keys(described), ['name', 'message', 'stack', 'cause']);
    assert.deepEqual([described.cause.name, described.cause.message], ['TypeError', 'inner']);
    cause.cause = error;
    JSON.stringify(describeError(error));
    assert.deepEqual(describeError('text'), { message: 'text' });
  });
});

describe('spacing', () => {
  it('the first is written immediately, the others are counted in one line per interval', (t) => {
    const { log, lines } = openLog(t);
    for (let n = 0; n < 1000; n++) log.write('login_throttled', { ...REQUEST, requestId: `r-${n}` });
    assert.deepEqual(
      lines.map(({ requestId, times }) => [requestId, times]),
      [['r-0', undefined]],
    );
    t.mock.timers.tick(SPACING_MS);
    assert.deepEqual([lines[1]?.requestId, lines[1]?.times], ['r-999', 999]);
    log.write('login_throttled', REQUEST);
    assert.equal(lines.length, 2);
    t.mock.timers.tick(SPACING_MS);
    assert.equal(lines[2]?.times, 1);
    t.mock.timers.tick(SPACING_MS);
    log.write('login_throttled', REQUEST);
    assert.equal(lines.length, 4);
    assert.equal(lines[3]?.times, undefined);
  });

  it('other events are not delayed, and internal errors are never spaced', (t) => {
    const { log, lines } = openLog(t);
    log.write('rate_limited', REQUEST);
    log.write('login_throttled', REQUEST);
    for (let n = 0; n < 3; n++) log.write('request_failed', { ...REQUEST, error: new Error('x') });
    assert.equal(lines.length, 5);
  });

  it('pending counts are written by flush', (t) => {
    const { log, lines } = openLog(t);
    for (let n = 0; n < 3; n++) log.write('rate_limited', REQUEST);
    log.flush();
    assert.deepEqual(
      lines.map(({ times }) => times),
      [undefined, 2],
    );
    t.mock.timers.tick(SPACING_MS);
    assert.equal(lines.length, 2);
  });
});
