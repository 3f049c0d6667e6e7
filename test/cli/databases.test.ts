/** Tests that commands create no database by mistake, and say which one they change. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createDatabaseFile } from '../../src/store/sqlite/engine/data-dir.ts';
import { deleteUnused } from '../../src/store/sqlite/engine/unused-database.ts';
import { openAlongsideServer } from '../../src/store/sqlite/open.ts';
import { offerbookHere, runHere } from '../harness/command-line.ts';
import { COMMANDS } from '../harness/commands.ts';
import { tempFolder } from '../harness/temp-folder.ts';

/** Arguments that each command needs to get as far as its database. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'merchant set': ['acme', '--time-to-return', '7', '--return-method', 'Freight'],
  'merchant rename': ['acme', '--name', 'Acme Stores'],
  'merchant suspend': ['acme'],
  'merchant resume': ['acme'],
  'merchant remove': ['acme', '--export', '/nowhere/acme.ndjson', '--yes'],
  'keys add': ['--merchant', 'acme', '--env', 'live', '--name', 'ERP'],
  'keys revoke': ['live-1', '--merchant', 'acme', '--env', 'live'],
  'keys roll': ['--merchant', 'acme', '--env', 'live', '--yes'],
  'keys list': ['--merchant', 'acme'],
  'node add': ['east', '--merchant', 'acme', '--rates', 'flat', '--method', 'Freight', '--level', 'Standard'],
  'node set': ['east', '--merchant', 'acme', '--rates', 'flat', '--method', 'Freight', '--level', 'Standard'],
  'node remove': ['east', '--merchant', 'acme'],
  'node list': ['--merchant', 'acme'],
  'return-location add': ['dock', '--merchant', 'acme'],
  'return-location remove': ['dock', '--merchant', 'acme'],
  'return-location list': ['--merchant', 'acme'],
  'taxonomy import': ['/nowhere/taxonomy.ndjson', '--yes'],
  'taxonomy reset': ['--yes'],
  'taxonomy search': ['shoes'],
  'policy exclude': ['--brand', 'Copycat'],
  'policy restrict': ['Acme'],
  'policy order': ['price,stock'],
  'policy grant': ['Acme', '--merchant', 'acme'],
  'policy remove': ['--brand', 'Copycat'],
  'catalog show': ['012345678905'],
  'catalog set': ['012345678905', '--brand', 'Acme'],
  'placeholder add': ['/nowhere/image.png'],
  'placeholder remove': ['00ff'],
  'changes move': ['3', new Date(Date.now() + 30 * 86_400_000).toISOString()],
  'changes cancel': ['3'],
  'changes restore': ['3'],
  backup: ['/nowhere/backup.db'],
  export: ['/nowhere/export.ndjson'],
  feed: ['acp', '/nowhere/products.jsonl'],
  'sandbox reset': ['--merchant', 'acme', '--yes'],
  'user add': ['ann@acme.example', '--role', 'operator'],
  'user reset': ['ann@acme.example'],
  'user remove': ['ann@acme.example'],
  'user sessions-end': ['ann@acme.example'],
  'user passkeys-remove': ['ann@acme.example'],
};

const RETURNS = {
  created: '2026-01-31T09:30:00.000Z',
  suspended: false,
  time_to_return: 30,
  return_shipping_methods: ['Freight'],
};

const CREATING = ['serve', 'merchant add', 'import', 'restore', 'copy'];
const WITHOUT_DATABASE = ['doctor', 'check-file', 'generate-catalog', 'completion', 'version'];

describe('a folder without a database', () => {
  const others = Object.keys(COMMANDS).filter((command) => ![...CREATING, ...WITHOUT_DATABASE].includes(command));
  for (const command of others) {
    it(`is refused and not changed by ${command}`, async () => {
      const DATA_DIR = path.join(await tempFolder(), 'data');
      const { exitCode, stdout, stderr } = await runHere(
        { DATA_DIR },
        ...command.split(' '),
        ...(ARGUMENTS[command] ?? []),
        '--json',
      );
      const [problem] = JSON.parse(stderr).details;
      assert.deepEqual([exitCode, stdout, problem.code], [1, '', 'database_missing'], problem.message);
      assert.ok(problem.message.includes(`${DATA_DIR}. Check DATA_DIR; `), problem.message);
      assert.deepEqual(await readdir(path.dirname(DATA_DIR)), []);
    });
  }

  it('is named, with what creates a database', async () => {
    const DATA_DIR = await tempFolder();
    const rest = 'Check DATA_DIR; "offerbook serve" and "offerbook merchant add" create a database.';
    assert.deepEqual(await runHere({ DATA_DIR }, 'merchant', 'list'), {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: There is no database in the data folder ${DATA_DIR}. ${rest}\n`,
    });
  });
});

describe('the database', () => {
  it('is not called new if it could not be created', async () => {
    const file = path.join(await tempFolder(), 'file');
    await writeFile(file, '');
    const { exitCode, stderr } = await runHere(
      { DATA_DIR: path.join(file, 'data') },
      'merchant',
      'add',
      'a',
      '--name',
      'A',
    );
    assert.equal(exitCode, 1);
    assert.doesNotMatch(stderr, /\(new\)/);
    assert.match(stderr, /^offerbook: /);
  });

  it('is deleted if the command that created it stored nothing', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'export.ndjson');
    const DATA_DIR = path.join(folder, 'data');
    const deleted = `Database: sqlite:${DATA_DIR} (new)\nThe new database was deleted, because it is empty.\n`;
    const merchant = JSON.stringify({ kind: 'merchant', merchant_id: 'acme', name: 'Acme', ...RETURNS });
    for (const [lines, message] of [
      [
        ['{"kind":"offerbook_export","version":1}', '{"kind":1 x}'],
        'Line 2: it is not JSON: unexpected character at column 11',
      ],
      [['{"kind":"offerbook_export","version":1}', merchant, '[]'], 'Line 3: It must be a JSON object'],
      [[], 'The file is empty'],
    ] as const) {
      await writeFile(file, lines.join('\n'));
      const { exitCode, stderr } = await runHere({ DATA_DIR }, 'import', file);
      assert.deepEqual([exitCode, stderr], [1, `${deleted}offerbook: ${message}. Nothing was imported.\n`]);
      assert.deepEqual(await readdir(DATA_DIR), []);
    }
    const refused = await runHere({ DATA_DIR }, 'merchant', 'add', 'Acme!', '--name', 'Acme');
    assert.deepEqual([refused.exitCode, refused.stderr.startsWith(deleted)], [1, true], refused.stderr);
    assert.deepEqual(await readdir(DATA_DIR), []);
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'acme', '--name', 'Acme');
    const kept = await runHere({ DATA_DIR }, 'import', file);
    assert.equal(kept.stderr, `Database: sqlite:${DATA_DIR}\nofferbook: The file is empty. Nothing was imported.\n`);
    assert.equal(((await offerbookHere({ DATA_DIR }, 'merchant', 'list')).merchants as unknown[]).length, 1);
  });

  it('is kept although it is empty if another process uses it', async () => {
    const DATA_DIR = await tempFolder();
    const file = createDatabaseFile(DATA_DIR);
    using other = openAlongsideServer(DATA_DIR);
    assert.equal(deleteUnused(file), false);
    other.close();
    assert.equal(deleteUnused(file), true);
  });

  it('has no mark of another database that was in the same folder', async () => {
    const DATA_DIR = await tempFolder();
    const mark = path.join(DATA_DIR, 'offerbook.db-mark');
    await writeFile(mark, 'mark');
    const file = createDatabaseFile(DATA_DIR);
    assert.equal(existsSync(mark), false);
    await writeFile(mark, 'mark');
    createDatabaseFile(DATA_DIR);
    assert.equal(existsSync(mark), true);
    openAlongsideServer(DATA_DIR).close();
    assert.equal(deleteUnused(file), true);
    assert.equal(existsSync(mark), false);
  });

  it('is named by commands that change or copy it, and not by commands that only read', async () => {
    const DATA_DIR = await tempFolder();
    const said = async (...args: string[]) => (await runHere({ DATA_DIR }, ...args)).stderr;
    assert.equal(await said('merchant', 'add', 'acme', '--name', 'Acme'), `Database: sqlite:${DATA_DIR} (new)\n`);
    assert.equal(await said('merchant', 'suspend', 'acme'), `Database: sqlite:${DATA_DIR}\n`);
    assert.equal(await said('merchant', 'list'), '');
    assert.equal(await said('backup', path.join(DATA_DIR, 'backup.db')), `Database: sqlite:${DATA_DIR}\n`);
    const { database } = await offerbookHere({ DATA_DIR }, 'backup', path.join(DATA_DIR, 'second.db'));
    assert.equal(database, `sqlite:${DATA_DIR}`);
  });
});
