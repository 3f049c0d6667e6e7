/** Tests which PostgreSQL errors mean that the store is unavailable, which are retried, and which are neither. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailableError } from '../../port/errors.ts';
import {
  clusterError,
  isRetryable,
  leavesConnectionUsable,
  sqlState,
  storeError,
  unreachable,
} from './store-errors.ts';

function failure(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('in any language', 0, 'error'), { code });
}

describe('a failure of PostgreSQL', () => {
  test('of the server, its connections, disk or locks makes the store unavailable, with its cause', () => {
    const states = ['08006', '28P01', '3D000', '53100', '53300', '57P01', '57014', '58030', '25006', '55P03', '40003'];
    for (const state of states) {
      const error = storeError(failure(state));
      assert.ok(error instanceof StoreUnavailableError, state);
      assert.equal(sqlState(error.cause), state);
    }
  });

  test('of the statement is passed on unchanged', () => {
    for (const state of ['23505', '22P05', '42P01', '25P02']) {
      const error = failure(state);
      assert.equal(storeError(error), error);
    }
    const ours = new Error('of the program');
    assert.equal(storeError(ours), ours);
  });

  test('that is internal makes the store unavailable on Citus, which reports a lost worker this way', () => {
    const error = failure('XX000');
    assert.equal(storeError(error), error);
    const ofCluster = clusterError(error);
    assert.ok(ofCluster instanceof StoreUnavailableError);
    assert.equal(ofCluster.cause, error);
    const ours = new Error('of the program');
    assert.equal(clusterError(ours), ours);
  });

  test('is retried only if the whole transaction was rolled back', () => {
    assert.deepEqual(
      ['40001', '40P01', '40003', '57P01', '23505'].filter((state) => isRetryable(failure(state))),
      ['40001', '40P01'],
    );
  });

  test('keeps the connection if only the statement was refused', () => {
    assert.deepEqual(
      ['25006', '53100', '08006', '08P01', '53300', '57P01', '55P03'].filter((state) =>
        leavesConnectionUsable(failure(state)),
      ),
      ['25006', '53100', '08006'],
    );
  });

  test('before a statement was sent always makes the store unavailable', () => {
    for (const cause of [new Error('connect ECONNREFUSED'), failure('23505'), undefined]) {
      assert.ok(unreachable(cause) instanceof StoreUnavailableError);
    }
    assert.match(unreachable(failure('28P01')).message, /user or the password/);
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    assert.deepEqual(
      [
        unreachable(refused, 'db.example:5433'),
        unreachable(new Error('it is late'), 'db.example'),
        unreachable(Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })),
        unreachable(undefined),
        unreachable(failure('3D000'), 'db.example/offers'),
      ].map(({ message }) => message),
      [
        'The database at db.example:5433 cannot be reached: connection refused; nothing listens there.',
        'The database at db.example cannot be reached: it is late.',
        'The database cannot be reached: its certificate is not trusted; set sslrootcert in the URL to the path of its CA certificate.',
        'The database cannot be reached.',
        'The database at db.example/offers does not exist.',
      ],
    );
  });
});
