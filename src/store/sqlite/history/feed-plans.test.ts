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

test('the state of a feed is read without reading its events', () => {
  const connection = openForWriting(join(temporaryDir(), 'plans.db'));
  migrate(connection);
  const { sqliteText } = STATEMENTS.get('read feed state') ?? assert.fail();
  const explain: Statement<[id: number, parent: number, unused: number, detail: string]> = {
    name: 'explain feed state',
    text: `EXPLAIN QUERY PLAN ${sqliteText}`,
  };
  const reads = connection.run(explain).flatMap(([, , , detail]) => (/^SEARCH e /.test(detail) ? [detail] : []));
  const [unnumbered = '', ...ends] = reads;
  assert.match(unnumbered, /INDEX event_batch_unnumbered/);
  assert.ok(ends.length > 0);
  for (const end of ends) assert.match(end, /COVERING INDEX event_batch_by_number \(account_id=\? AND type=\?\)/);
});
