/** Tests that the state of a feed is read by indexes on SQLite, however many events the feed has. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { STATEMENTS, type Statement } from '../../shared/sql.ts';
import { openForWriting } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

// Loads the statements of the feed.
import '../../shared/feed/numbering.ts';

/** Returns the steps of a statement's plan. */
function planOf(name: string): string[] {
  const connection = openForWriting(join(temporaryDir(), 'plans.db'));
  migrate(connection);
  const { sqliteText } = STATEMENTS.get(name) ?? assert.fail();
  const explain: Statement<[id: number, parent: number, unused: number, detail: string]> = {
    name: `explain: ${name}`,
    text: `EXPLAIN QUERY PLAN ${sqliteText}`,
  };
  return connection.run(explain).map(([, , , detail]) => detail);
}

test('accounts with unnumbered events are found without reading numbered events', () => {
  assert.deepEqual(planOf('find accounts with unnumbered events'), [
    'SCAN event_batch USING INDEX event_batch_unnumbered',
  ]);
});

test('the state of a feed is read without reading its events', () => {
  const reads = planOf('read feed state').filter((detail) => detail.startsWith('SEARCH e '));
  const [unnumbered = '', ...ends] = reads;
  assert.match(unnumbered, /INDEX event_batch_unnumbered/);
  assert.ok(ends.length > 0);
  for (const end of ends) assert.match(end, /COVERING INDEX event_batch_by_number \(account_id=\? AND type=\?\)/);
});
