/** Tests that a thread can lower its own priority without changing the other threads of its process. */
import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';

it('a thread lowers only its own priority', {
  skip: process.platform !== 'linux' && 'only Linux has priorities of threads',
}, async () => {
  const before = getPriority();
  const source = `
    const { parentPort } = require('node:worker_threads');
    const { readlinkSync } = require('node:fs');
    const { getPriority } = require('node:os');
    import(${JSON.stringify(new URL('./lower-priority.ts', import.meta.url).href)}).then(({ lowerPriority }) => {
      const didStep = lowerPriority();
      parentPort.postMessage([didStep, getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)))]);
    });`;
  const worker = new Worker(source, { eval: true, execArgv: [] });
  const answer = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.deepEqual(answer, [true, Math.max(before, 10)]);
  assert.equal(getPriority(), before);
});
