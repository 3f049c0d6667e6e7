/** Tests that shared statements on files and reports use an index on SQLite, which they cannot name. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { STATEMENTS, type Statement } from '../../shared/sql.ts';
import type { Connection } from '../engine/connection.ts';
import { openForWriting } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

// Loads every shared statement.
import '../../shared/aggregates.ts';

/** Indexes other than the primary key: without them a statement would read all files of an account, or of all accounts. */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  'list files': ['bulk_file_by_number'],
  'list unfinished files': ['bulk_file_unfinished'],
  'find unfinished file': ['bulk_file_unfinished'],
  'find earlier file since': ['bulk_file_by_number'],
  'list types of unfinished files': ['bulk_file_unfinished'],
  'sum waiting files': ['bulk_file_not_received', 'bulk_file_unfinished'],
  'find old uploads': ['bulk_file_not_received'],
  'list requested reports': ['report_requested'],
  'count requested reports': ['report_requested'],
};

const statements = [...STATEMENTS.values()].filter(({ text }) => /\b(?:FROM|UPDATE) (?:bulk_file|report)\b/.test(text));

describe('plans of files and reports', () => {
  let connection: Connection;

  before(() => {
    connection = openForWriting(join(temporaryDir(), 'plans.db'));
    migrate(connection);
  });

  test('there are statements to check', () => {
    const names = statements.map(({ name }) => name);
    assert.deepEqual(
      Object.keys(INDEXES).filter((name) => !names.includes(name)),
      [],
    );
    assert.ok(names.length > 20);
  });

  for (const { name, text } of statements) {
    test(`"${name}" uses an index, in its order`, () => {
      const explain: Statement<[id: number, parent: number, unused: number, detail: string]> = {
        name: `explain ${name}`,
        text: `EXPLAIN QUERY PLAN ${text}`,
      };
      const plan = connection
        .run(explain)
        .map(([, , , detail]) => detail)
        .join('\n');
      assert.doesNotMatch(plan, /SCAN (?:bulk_file|report)$/m, plan);
      // Statements that list kept files read two tables in order of time.
      if (!/^list kept/.test(name)) assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
      if (/\b(?:file|report)_id = /.test(text)) assert.match(plan, /PRIMARY KEY \(account_id=\? AND \w+_id=\?\)/, plan);
      for (const index of INDEXES[name] ?? []) assert.match(plan, new RegExp(`INDEX ${index}\\b`), plan);
    });
  }
});
