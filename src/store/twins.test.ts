/** Tests that both adapters have the same folders and files. Each difference is declared here with its reason. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

type Differences = Readonly<Record<string, string>>;

/** A name that ends with a slash means the whole folder. */
const ONLY_SQLITE: Differences = {
  'engine/': 'Only an embedded database manages its files, locks and logs.',
  'threads/': 'SQLite has a single writer thread; PostgreSQL handles concurrent writers itself.',
  'backup/': 'PostgreSQL has its own backup tools.',
  'history/event-writes.ts': 'Collected on the writer thread, until the commit.',
  'history/history-writes.ts': 'Written row by row; PostgreSQL records within its statements.',
  'offers/part-writes.ts': 'Parts are written row by row on the writer thread.',
  'offer-list/word-index.ts': 'PostgreSQL indexes words in the commit of the listing.',
  'review/review-writes.ts': 'Written row by row on the writer thread.',
};
const ONLY_POSTGRES: Differences = {
  'engine/': 'Only PostgreSQL has connections, distribution over nodes and server failures.',
  'traffic/': 'Only several processes share rate counters.',
  'files/file-row-decisions.ts': 'Rows are decided in the process, before one statement writes all of them.',
  'history/authors.ts': 'Processes share the ids of authors; SQLite keeps them on its one writer.',
  'history/event-commands.ts': 'For writes whose statements cannot add events themselves.',
  'history/history-statements.ts': 'Recorded within the statements that write.',
  'offers/micro-batches.ts': 'Writes of an account share a statement; SQLite groups commits on the writer thread.',
  'offers/offer-commands.ts': 'Writes wait as values until they are sent together.',
  'offers/locked-writes.ts':
    'Locks the offer first; SQLite has a single writer, and needs a few lines in offer-writes.ts.',
  'offers/row-statements.ts': 'Parts are written by statements over lists.',
  'offers/stored-inventory.ts': 'Stock is one JSON value of the offer.',
  'review/review-announcer.ts': 'Announcements of many writes are sent together.',
};

const SQLITE = filesOf('sqlite');
const POSTGRES = filesOf('postgres');

test('every file that only one adapter has is declared with its reason', () => {
  assert.deepEqual(undeclared(SQLITE, POSTGRES, ONLY_SQLITE), []);
  assert.deepEqual(undeclared(POSTGRES, SQLITE, ONLY_POSTGRES), []);
});

test('no declared difference is out of date', () => {
  for (const [own, others, declared] of [
    [SQLITE, POSTGRES, ONLY_SQLITE],
    [POSTGRES, SQLITE, ONLY_POSTGRES],
  ] as const) {
    const differing = own.filter((file) => !others.includes(file));
    const isUsed = (name: string) => differing.some((file) => file === name || file.startsWith(name));
    assert.deepEqual(
      Object.keys(declared).filter((name) => !isUsed(name)),
      [],
    );
  }
});

function filesOf(adapter: string): string[] {
  const all = globSync('**/*.ts', { cwd: path.join(import.meta.dirname, adapter) });
  return all.filter((file) => !file.endsWith('.test.ts') && !file.startsWith('testing/')).sort();
}

function undeclared(own: readonly string[], others: readonly string[], declared: Differences): string[] {
  const names = Object.keys(declared);
  const isDeclared = (file: string) =>
    names.some((name) => file === name || (name.endsWith('/') && file.startsWith(name)));
  return own.filter((file) => !others.includes(file) && !isDeclared(file));
}
