/** Tests the rows of the API benchmark: medians, noise and refusals. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API_COLUMNS, apiCells, figuresOf } from './api-table.ts';
import type { ClientsResult } from './clients.ts';

const QUIET = { stolen: 0, others: 0 };
const BUSY = { stolen: 0, others: 0.3 };

function turn(rate: number, changes: Partial<ClientsResult> = {}): ClientsResult {
  const times = { takenP50Ms: 1, takenP99Ms: 12.34, takenMaxMs: 20, refusedP50Ms: null, refusedP99Ms: null };
  const cpu = { mainUs: 60, serverUs: 110, clientUs: 20, clientCores: 0.2 };
  const counts = { refused: {}, refusedPerSecond: 0, skipped: 0, lost: 0, sent: 1000 };
  return { takenPerSecond: rate, ...times, ...cpu, ...counts, noise: QUIET, ...changes };
}

const cellsOf = (offerbook: readonly ClientsResult[], showsNoisy = false) => {
  const fastify = figuresOf([turn(20_000), turn(19_000), turn(30_000)]);
  return apiCells({ title: 'PUT price', fastify, offerbook: figuresOf(offerbook) }, showsNoisy);
};

describe('the table of the API benchmark', () => {
  it('has medians of the turns', () => {
    const cells = cellsOf([turn(9000), turn(10_000), turn(1000)]);
    assert.equal(cells.length, API_COLUMNS.length);
    assert.deepEqual(cells, [
      'PUT price',
      '20,000',
      '110',
      '9,000',
      '0.45',
      '60',
      '110',
      '12.3',
      '0',
      '20 us, 0.20 cores',
      'quiet',
    ]);
  });

  it('leaves a noisy turn out', () => {
    assert.equal(cellsOf([turn(9000), turn(10_000), turn(1000, { noise: BUSY })])[3], '10,000');
  });

  it('gives the reason and CPU times instead of rates if most turns were noisy', () => {
    const turns = [turn(9000), turn(5000, { noise: BUSY }), turn(1000, { noise: BUSY })];
    assert.deepEqual(cellsOf(turns).slice(1), [
      '-',
      '~110',
      '-',
      '-',
      '~60',
      '~110',
      '-',
      '0',
      '20 us, 0.20 cores',
      'too noisy: 30 % other load',
    ]);
    assert.equal(cellsOf(turns, true)[3], '~5,000');
  });

  it('counts refused requests of all turns by status', () => {
    const turns = [
      turn(9000, { refused: { 503: 2 } }),
      turn(9000, { refused: { 429: 1, 503: 3 }, lost: 4 }),
      turn(9000),
    ];
    assert.equal(cellsOf(turns)[8], '1 (429), 5 (503), 4 connections closed');
  });

  it('says so if the clients were the limit', () => {
    assert.equal(cellsOf([turn(9000, { clientCores: 0.95 })]).at(-1), 'the client was the limit');
  });
});
