/** Tests with fewer offers than the benchmark that fixes are as often right as their confidence says. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { measureFixes, totalOf } from './measured-fixes.ts';

it('certain fixes are right 99 times in 100, likely ones 85 times, and most offers go live', () => {
  const starter = path.join(import.meta.dirname, '../src/taxonomy/starter-taxonomy.ndjson');
  const lines = readFileSync(starter, 'utf8').split('\n');
  const { held, fixes, live, liveWithLikely } = totalOf(measureFixes({ lines, offers: 1000, live: 4000, seed: 11 }));
  const { certain, likely } = fixes;
  assert.ok(certain.found > 500 && certain.right / certain.found >= 0.99, JSON.stringify(certain));
  assert.ok(likely.found > 150 && likely.right / likely.found >= 0.85, JSON.stringify(likely));
  assert.ok(live / held >= 0.6 && liveWithLikely / held >= 0.85, JSON.stringify({ held, live, liveWithLikely }));
});
