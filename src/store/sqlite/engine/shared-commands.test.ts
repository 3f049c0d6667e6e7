/** Tests that shared commands are isolated on SQLite: in a group commit, on the writer thread, and on the command line. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NEUTRAL_NAMES } from '../../../domain/names.ts';
import { EVENT_TYPES } from '../../../domain/vocabulary/event-types.ts';
import { NOW_MS } from '../../contract/subject.ts';
import type { FeedTextPage } from '../../port/feed.ts';
import { sharedMethods } from '../../shared/aggregates.ts';
import { type AnyCommand, type Command, snapshot, undone, write } from '../../shared/command.ts';
import { STATEMENTS, statement } from '../../shared/sql.ts';
import { openSetupFor, openStoreFor } from '../testing/open-for.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { commitTogether } from '../threads/group-commit.ts';
import { Lanes } from '../threads/lanes.ts';
import { type Connection, textOf } from './connection.ts';
import { openForReading, openForWriting } from './engine.ts';
import { migrate } from './migrations.ts';
import { runCommandsHere, runCommandsOnThreads, snapshotRunner, writeRunner } from './shared-commands.ts';
import { writeTransaction } from './transactions.ts';
import { WriteNumbers } from './write-numbers.ts';

const SHARED_STATEMENTS = [...STATEMENTS.values()];

const ADD = statement<[]>('test add')`INSERT INTO test_row (name) VALUES ($1)`;
const COUNT = statement<[count: number]>('test count')`SELECT count(*) FROM test_row`;

const add = write<(name: string) => Promise<string>>(async (sql, name) => {
  await sql.run(ADD, [name]);
  return 'stored';
});
const addAndUndo = write<(name: string) => Promise<string>>(async (sql, name) => {
  await sql.run(ADD, [name]);
  await sql.drawNumber();
  return undone('refused');
});
const addAndFail = write<(name: string) => Promise<string>>(async (sql, name) => {
  await sql.run(ADD, [name]);
  throw new Error('failed');
});
const countTwice = snapshot<() => Promise<unknown>>(async (sql) => {
  const [before] = await sql.run(COUNT);
  const [after] = await sql.run(COUNT);
  return [before?.[0], after?.[0]];
});

function openDatabase(t: { after(end: () => void): void }): { file: string; connection: Connection } {
  const file = `${temporaryDir()}/test.db`;
  const connection = openForWriting(file);
  t.after(() => connection.close());
  migrate(connection);
  connection.exec('CREATE TABLE test_row (name TEXT NOT NULL) STRICT');
  return { file, connection };
}

function namesIn(connection: Connection): string[] {
  return connection
    .query<[string]>('SELECT name FROM test_row ORDER BY rowid')
    .all()
    .map(([name]) => name);
}

describe('shared writes of one group commit', () => {
  function committing(connection: Connection) {
    const numbers = new WriteNumbers(connection);
    const run = writeRunner(connection, numbers);
    const transaction = writeTransaction(connection, numbers);
    const hot = (name: string) => () => {
      connection.exec(`INSERT INTO test_row (name) VALUES ('${name}')`);
      return numbers.current();
    };
    const commit = (...commands: (() => unknown)[]) =>
      commitTogether(transaction, commands.length, (command) => commands[command]?.());
    const shared = (command: Command<'write'>, name: string) => () => run(command, [name] as never[]);
    return { commit, hot, shared };
  }

  test('one that is undone does not affect the others', async (t) => {
    const { connection } = openDatabase(t);
    const { commit, hot, shared } = committing(connection);
    const { results, failures } = await commit(
      hot('hot before'),
      shared(add, 'before'),
      shared(addAndUndo, 'undone'),
      shared(add, 'after'),
      hot('hot after'),
    );
    assert.equal(failures, null);
    assert.deepEqual(results.slice(1, 4), ['stored', 'refused', 'stored']);
    assert.deepEqual(namesIn(connection), ['hot before', 'before', 'after', 'hot after']);
  });

  test('one that fails does not affect the others', async (t) => {
    const { connection } = openDatabase(t);
    const { commit, hot, shared } = committing(connection);
    const { results, failures } = await commit(
      hot('hot before'),
      shared(add, 'before'),
      shared(addAndFail, 'failed'),
      shared(add, 'after'),
    );
    assert.deepEqual([...(failures?.keys() ?? [])], [2]);
    assert.deepEqual(results.slice(1), ['stored', undefined, 'stored']);
    assert.deepEqual(namesIn(connection), ['hot before', 'before', 'after']);
  });

  test('numbers that a rolled-back command reserved are not used together with the next reservation', async (t) => {
    const { connection } = openDatabase(t);
    const { commit, hot, shared } = committing(connection);
    await commit(shared(addAndUndo, 'undone'));
    const other = new WriteNumbers(connection);
    const theirs = [other.drawApart(), other.drawApart()];
    const { results } = await commit(hot('hot'));
    assert.ok((results[0] as number) > Math.max(...theirs));
  });
});

test('nothing interleaves with a command of several steps, even if it waits for the event loop', async () => {
  const lanes = new Lanes();
  const log: string[] = [];
  const steps = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    log.push(`${name} ends`);
  };
  lanes.add('foreground', steps('call 1'));
  lanes.add('background', steps('slice'));
  setImmediate(() => lanes.add('foreground', () => log.push('call 2')));
  await new Promise<void>((resolve) => lanes.add('background', resolve));
  for (const [place, entry] of log.entries()) {
    if (entry.endsWith('begins')) assert.equal(log[place + 1], entry.replace('begins', 'ends'));
  }
  assert.equal(log.length, 5);
});

test('a snapshot sees one state, even if others commit between its statements', async (t) => {
  const { file, connection } = openDatabase(t);
  const reading = openForReading(file);
  t.after(() => reading.close());
  const counted = snapshotRunner(reading)(countTwice, []);
  await Promise.resolve();
  connection.exec(`INSERT INTO test_row (name) VALUES ('new')`);
  assert.deepEqual(await counted, [0, 0]);
  assert.deepEqual(await snapshotRunner(reading)(countTwice, []), [1, 1]);
});

test('calls on one connection run one after the other, each in its own transaction', async (t) => {
  const { connection } = openDatabase(t);
  const run = runCommandsHere(connection);
  const call = (command: AnyCommand, ...args: string[]) => run(command, args as never[], 'people.addAct');
  const settled = await Promise.allSettled([
    call(add, 'foreground'),
    call(addAndFail, 'failed'),
    call(addAndUndo, 'undone'),
    call(countTwice),
    call(add, 'last'),
  ]);
  assert.deepEqual(
    settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['stored', 'Error: failed', 'refused', [1, 1], 'stored'],
  );
  assert.deepEqual(namesIn(connection), ['foreground', 'last']);
});

test('pages of events are built in the reader thread, so that ten readers do not delay requests on the calling thread', async () => {
  const unused = new Proxy({}, { get: (_, name) => assert.fail(`The calling thread used ${String(name)}.`) });
  const page: Partial<FeedTextPage> = { text: '{"id":"a"},{"id":"b"}', more: true };
  const called: string[] = [];
  const reader = {
    call: async (name: string) => {
      called.push(name);
      return page;
    },
  };
  const writer = { call: () => assert.fail('The writer thread was called.') };
  const { feed } = sharedMethods(runCommandsOnThreads(unused as Connection, writer, reader));
  const query = { after: undefined, types: EVENT_TYPES, limit: 1000 };
  const pages = await Promise.all(Array.from({ length: 10 }, () => feed.readEventTexts(1, query, NEUTRAL_NAMES)));
  assert.deepEqual(called, Array(10).fill('feed.readTextPage'));
  for (const each of pages) assert.equal(each, page);
});

test('a store and the command line write at the same time', async (t) => {
  const dataDir = temporaryDir();
  const store = await openStoreFor(t, { dataDir });
  const setup = await openSetupFor(t, dataDir);
  const act = { atMs: NOW_MS, by: 'ann', act: 'test', subject: '', detail: '' };
  await Promise.all(Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? store : setup).people.addAct(act)));
  assert.equal((await setup.people.listActs(Number.MAX_SAFE_INTEGER, 50)).length, 20);
});

test('SQLite can prepare every shared statement', (t) => {
  const { connection } = openDatabase(t);
  assert.ok(SHARED_STATEMENTS.length > 25, `${SHARED_STATEMENTS.length} statements`);
  for (const each of SHARED_STATEMENTS) {
    assert.doesNotThrow(() => connection.query(textOf(each)), each.name);
  }
});
