/** Tests the figures that are read from /proc, and the verdict on noise. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineTime, noiseBetween, type ReadProc, tooNoisy } from './machine.ts';

/** A process with a name that looks like two fields, its parent, and its ticks: user, system, and those of its ended children. */
function stat(pid: number, parent: number, ...ticks: readonly number[]): string {
  return `${pid} (a) b) S ${parent} 1 1 0 -1 0 0 0 0 0 ${ticks.join(' ')} 20 0 1`;
}

function procOf(files: Readonly<Record<string, string>>): ReadProc {
  return (file) => files[file];
}

const FILES = {
  '': 'self 1 10 11 12 20 21 stat',
  stat: 'cpu  500 20 300 5000 10 5 15 150 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n',
  '1/stat': stat(1, 0, 1000, 1000, 0, 0),
  '10/stat': stat(10, 1, 100, 50, 30, 20),
  '11/stat': stat(11, 10, 40, 10, 0, 0),
  '12/stat': stat(12, 11, 5, 5, 0, 0),
  '20/stat': stat(20, 1, 70, 70, 0, 0),
};

describe('machineTime', () => {
  it('sums the benchmark with all processes below it, running and ended', () => {
    assert.deepEqual(machineTime(procOf(FILES), 10), { all: 60, stolen: 1.5, busy: 8.2, own: 2.6 });
  });

  it('is unknown without /proc', () => {
    assert.equal(machineTime(procOf({}), 10), undefined);
  });
});

describe('tooNoisy', () => {
  const start = { all: 100, stolen: 10, busy: 50, own: 40 };
  const noise = (stolen: number, busy: number, own: number) =>
    noiseBetween(start, { all: 120, stolen: 10 + stolen, busy: 50 + busy, own: 40 + own });

  it('accepts a machine that works for the benchmark alone', () => {
    assert.deepEqual(noise(0, 18, 18), { stolen: 0, others: 0 });
    assert.equal(tooNoisy(noise(0.2, 18, 17.5)), undefined);
  });

  it('names stolen time and other load', () => {
    assert.equal(tooNoisy(noise(1, 18, 18)), '5 % stolen');
    assert.equal(tooNoisy(noise(0, 18, 14)), '20 % other load');
    assert.equal(tooNoisy(noise(1, 18, 14)), '5 % stolen, 20 % other load');
  });

  it('says nothing where there is no /proc', () => {
    assert.equal(noiseBetween(undefined, undefined), undefined);
    assert.equal(tooNoisy(undefined), undefined);
  });
});
