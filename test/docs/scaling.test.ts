/** Tests that docs/operate/scaling.md is short and names existing settings, and decision 75 the distribution of every table on Citus. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';
import {
  DISTRIBUTED_TABLES,
  DISTRIBUTION_COLUMNS,
  REFERENCE_TABLES,
} from '../../src/store/postgres/engine/distribution.ts';
import { MIGRATIONS } from '../../src/store/postgres/schema/migration-list.ts';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../../docs', file), 'utf8');
const guide = read('operate/scaling.md');
const decision = read('decisions/0075-measured-on-postgresql-and-citus.md');
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = '']) => found);

it('the guide has at most 1,500 words', () => {
  assert.ok(guide.split(/\s+/).length <= 1_500);
});

it('settings', () => {
  const known: string[] = Object.values(SETTINGS).map(({ name }) => name);
  const named = all(guide, /`(DATABASE_[A-Z_]+)`/g);
  assert.ok(named.length > 5);
  for (const name of named) assert.ok(known.includes(name), name);
});

it('the distribution of every table', () => {
  const rowsOf = (start: string) =>
    decision.split('\n').filter((line) => line.startsWith('| `') && line.includes(start));
  const placed = (start: string) => rowsOf(start).flatMap((row) => all(row.split('|')[1] ?? '', /`(\w+)`/g));
  const created = MIGRATIONS.flatMap((text) => all(text, /CREATE TABLE (\w+)/g));
  const elsewhere = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES];
  const plain = created.filter((table) => !elsewhere.includes(table));
  for (const [table, column] of DISTRIBUTION_COLUMNS) {
    assert.ok(placed(`| distributed by \`${column}\` `).includes(table), table);
  }
  assert.deepEqual(placed('| distributed by'), DISTRIBUTED_TABLES);
  assert.deepEqual(placed('| reference tables'), REFERENCE_TABLES);
  assert.deepEqual(placed('| plain').sort(), [...plain, 'migration', 'write_number'].sort());
});
