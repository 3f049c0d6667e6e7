/**
 * Tests that an uncaught socket error does not end the process, that any other error does, and that both are logged.
 */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { watchUncaughtErrors } from './uncaught-errors.ts';

function watched() {
  const source = new EventEmitter();
  const events: string[] = [];
  const fatal: Error[] = [];
  const stop = watchUncaughtErrors(source, { observe: (event) => void events.push(event) }, (error) =>
    fatal.push(error),
  );
  return { source, events, fatal, stop };
}

const failure = (fields: object): Error => Object.assign(new Error('read'), fields);

describe('uncaught errors', () => {
  it('of sockets are logged, and the process continues', () => {
    const { source, events, fatal } = watched();
    for (const fields of [
      { code: 'ECONNRESET', syscall: 'read' },
      { code: 'EPIPE', syscall: 'write' },
      { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' },
      { code: 'EMFILE', syscall: 'accept' },
    ])
      source.emit('uncaughtException', failure(fields));
    assert.deepEqual([events, fatal], [Array(4).fill('socket_error_uncaught'), []]);
  });

  it('of any other kind end the process, whatever was thrown', () => {
    const { source, events, fatal } = watched();
    const thrown = [new TypeError('a bug'), failure({ code: 'ENOSPC', syscall: 'write' }), undefined, 'text'];
    for (const error of thrown) source.emit('uncaughtException', error);
    assert.deepEqual([events, fatal], [Array(4).fill('error_uncaught'), thrown]);
  });

  it('are left to Node after the server has stopped', () => {
    const { source, stop } = watched();
    stop();
    assert.equal(source.listenerCount('uncaughtException'), 0);
  });
});
