/**
 * `node bench/fixes.ts`: measures the fixes of the review on generated faulty offers: how many are right, and how many offers go live with
 * certain fixes alone, and with likely ones.
 *
 * `--offers N` sets the number of faulty offers, `--live N` the number of live products, `--seed N` the seed.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measureFixes, shownMeasurement } from './measured-fixes.ts';
import { countOf } from './options.ts';

const { values: options } = parseArgs({
  options: {
    offers: { type: 'string', default: '10000' },
    live: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '7' },
  },
});
const starter = path.join(import.meta.dirname, '../src/taxonomy/starter-taxonomy.ndjson');
const lines = readFileSync(starter, 'utf8').split('\n');
const [offers, live, seed] = [countOf('offers', options.offers), countOf('live', options.live), Number(options.seed)];
console.log(shownMeasurement(measureFixes({ lines, offers, live, seed })));
