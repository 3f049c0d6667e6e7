/** Measures the cost of one disk flush, which every durable commit pays. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';

const FLUSHES = 200;

export function diskFlushMilliseconds(folder: string): number {
  const file = openSync(path.join(folder, 'flush'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: FLUSHES }, () => {
    writeSync(file, page);
    const startMs = performance.now();
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  return times.sort((a, b) => a - b)[FLUSHES / 2] ?? Number.NaN;
}
