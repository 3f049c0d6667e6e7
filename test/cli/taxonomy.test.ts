/**
 * Tests offerbook taxonomy: import of both formats, refusals that change nothing, show, search, reset; also while a server runs.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { SHOE_PRODUCT_TYPES } from '../../src/domain/vocabulary/product-types.ts';
import { openSetupStore } from '../../src/store/open-store.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { databaseFile } from '../../src/store/sqlite/engine/data-dir.ts';
import { requestToken } from '../harness/api-client.ts';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { databaseFolder, withOfferbook, withSetupStore } from '../harness/own-server.ts';
import { createPlace, type StoreKind } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Generous; running-server.test.ts checks the promised two seconds. */
const NOTICE_MS = 30_000;
const HUGE = '9223372036854775807';

const OWN = [
  '{"offerbook_taxonomy": 1}',
  `{"attribute": "size", "id": ${HUGE}, "description": "Size", "values": ["S", "M"]}`,
  '{"node": 1, "name": "Wear", "required": ["size"], "tax_code": "General Clothing"}',
  `  {"node": ${HUGE}, "parent": 1, "name": "Hats"}`,
];
const NO_SHOES = `Product types of shoes without a category: ${SHOE_PRODUCT_TYPES.map(({ id, name }) => `${id} ${name}`).join(', ')}. Such shoes get the issue "Invalid category".`;
const GOOGLE = ['# Google_Product_Taxonomy_Version: 2030-01-01', '20 - Wear > Hats', '10 - Wear'];

async function fileOf(lines: readonly string[], name = 'own.ndjson'): Promise<string> {
  const file = path.join(await tempFolder(), name);
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

async function placeFor(t: TestContext, store: StoreKind) {
  const { place, remove } = await createPlace(store, createReadyDatabase);
  t.after(remove);
  await withSetupStore(place, async () => {});
  return place;
}

for (const { store, skip } of STORE_VARIANTS) {
  describe(`taxonomy commands (${store})`, { skip, concurrency: 3 }, () => {
    it('import a file, show and search it, and return to the starter', async (t) => {
      const place = await placeFor(t, store);
      const { departments, ...starter } = await offerbookHere(place, 'taxonomy', 'show');
      assert.deepEqual([starter.source, starter.imported], ['starter', null]);
      assert.ok((departments as unknown[]).length >= 15);

      const file = await fileOf(OWN);
      const { warnings, ...counts } = await offerbookHere(place, 'taxonomy', 'import', file);
      const { nodes: removed } = starter;
      assert.deepEqual(counts, { source: 'own.ndjson', nodes: 2, added: 2, removed, changed: 0, offers_affected: 0 });
      assert.deepEqual(warnings, [NO_SHOES]);
      const { imported, ...shown } = await offerbookHere(place, 'taxonomy', 'show');
      assert.match(String(imported), /^\d{4}-\d\d-\d\dT/);
      assert.deepEqual(shown, { source: 'own.ndjson', nodes: 2, leaves: 1, departments: [{ id: 1, name: 'Wear' }] });
      const hats = await runHere(place, 'taxonomy', 'show', HUGE, '--json');
      assert.match(hats.stdout, new RegExp(`"marketplace_node_id":${HUGE},.*"attribute_id":${HUGE},`));
      const { nodes } = await offerbookHere(place, 'taxonomy', 'search', 'wear', 'hat');
      assert.deepEqual(
        (nodes as Record<string, unknown>[]).map(({ marketplace_node_path, is_leaf }) => [
          marketplace_node_path,
          is_leaf,
        ]),
        [['Wear > Hats', true]],
      );

      assert.deepEqual(await offerbookHere(place, 'taxonomy', 'reset'), { changed: true, offers_affected: 0 });
      assert.deepEqual(await offerbookHere(place, 'taxonomy', 'reset'), { changed: false, offers_affected: 0 });
      assert.deepEqual(await offerbookHere(place, 'taxonomy', 'show'), { departments, ...starter });
    });

    it('a refused file changes nothing, and every wrong line is named', async (t) => {
      const place = await placeFor(t, store);
      await offerbookHere(place, 'taxonomy', 'import', await fileOf(OWN));
      const before = await offerbookHere(place, 'taxonomy', 'show');
      const wrong = await fileOf([
        ...OWN,
        '{"node": 1, "name": "Again"}',
        'hm',
        '{"node": 7, "parent": 8, "name": "x"}',
      ]);
      const { exitCode, stdout, stderr } = await runHere(place, 'taxonomy', 'import', wrong);
      assert.deepEqual([exitCode, stdout], [1, '']);
      assert.deepEqual(stderr.trimEnd().split('\n').slice(1), [
        'offerbook: Line 5: the node 1 is already on line 3.',
        'offerbook: Line 6: it is not JSON: it ends too early or has an unexpected character.',
      ]);
      assert.deepEqual(await offerbookHere(place, 'taxonomy', 'show'), before);
    });

    it('a running server uses an imported taxonomy within two seconds', async (t) => {
      const place = await placeFor(t, store);
      const file = await fileOf(GOOGLE, 'taxonomy.txt');
      await withOfferbook(place, { demo: true }, async (url) => {
        const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
        const pathOf = async (id: number) => {
          const response = await fetch(`${url}/taxonomy/nodes/${id}`, { headers });
          const { marketplace_node_path } = (await response.json()) as { marketplace_node_path?: string };
          return marketplace_node_path;
        };
        assert.equal(await pathOf(20), undefined);
        await offerbookJson(place, 'taxonomy', 'import', file);
        assert.equal(await waitUntil('the new node', NOTICE_MS, () => pathOf(20)), 'Wear > Hats');
        assert.equal(await pathOf(1_010_100), undefined);
        await offerbookJson(place, 'taxonomy', 'reset');
        await waitUntil('the starter', NOTICE_MS, () => pathOf(1_010_100));
      });
    });
  });
}

describe('taxonomy commands for people', { concurrency: 3 }, () => {
  it('show tables', async () => {
    const DATA_DIR = await databaseFolder();
    const lines = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await runHere({ DATA_DIR }, 'taxonomy', ...args);
      const said = args[0] === 'reset' ? `Database: sqlite:${DATA_DIR}\n` : '';
      assert.deepEqual([exitCode, stderr], [0, said]);
      return stdout.trimEnd().split('\n');
    };
    assert.match((await lines('show'))[0] ?? '', /^The starter taxonomy has \d+ nodes, \d+ of them leaves\.$/);
    const leaf = await lines('show', '1010100');
    assert.deepEqual(leaf.slice(0, 2), [
      '1010100  Home & Kitchen > Kitchen > Cookware',
      'Leaf, active; tax code: Generic Taxable Product',
    ]);
    assert.ok(leaf.some((line) => /^153\s+Diameter\s+variant\s+number from 0 to 1000\s+in, cm, mm$/.test(line)));
    assert.deepEqual(await lines('search', 'dog food'), [
      'ID       KIND  PATH',
      '1040100  leaf  Pets > Dogs > Dog Food',
    ]);
    assert.deepEqual(await lines('search', 'elephant'), ['No node has all of these words.']);
    assert.deepEqual(await lines('search', '!!'), ['No node has all of these words.']);
    const file = await fileOf(GOOGLE, 'taxonomy.txt');
    const { stdout, stderr } = await runHere({ DATA_DIR }, 'taxonomy', 'import', file);
    assert.match(
      stdout,
      /^Imported taxonomy\.txt, with 2 nodes \(2 added, \d+ removed, 0 changed\)\. A running server .*\nNo offer loses its category\.\n$/,
    );
    assert.equal(stderr.split('\n')[1], `Warning: ${NO_SHOES}`);
    assert.match(
      (await lines('show'))[0] ?? '',
      /^The taxonomy from taxonomy\.txt, imported .*, has 2 nodes, 1 of them/,
    );
    assert.deepEqual(await lines('reset'), [
      'The starter taxonomy was restored. A running server applies the change within 2 seconds.',
      'No offer loses its category.',
    ]);
    assert.deepEqual(await lines('reset'), ['The starter taxonomy is already active.']);
  });

  it('use the configured names', async () => {
    const variables = { DATA_DIR: await databaseFolder(), MARKETPLACE_NAME: 'bazaar' };
    const { bazaar_node_id, bazaar_node_path } = await offerbookHere(variables, 'taxonomy', 'show', '1040100');
    assert.deepEqual([bazaar_node_id, bazaar_node_path], [1_040_100, 'Pets > Dogs > Dog Food']);
  });

  it('refuse a missing node and a missing file', async () => {
    const DATA_DIR = await databaseFolder();
    for (const [args, code] of [
      [['show', '5'], 'taxonomy_node_not_found'],
      [['show', 'x'], 'taxonomy_node_not_found'],
      [['import', path.join(DATA_DIR, 'nothing')], 'file_unreadable'],
    ] as const) {
      const { exitCode, stderr } = await runHere({ DATA_DIR }, 'taxonomy', ...args, '--json');
      assert.deepEqual([exitCode, JSON.parse(stderr).details[0].code], [1, code]);
    }
  });

  it('import from standard input', async () => {
    const DATA_DIR = await databaseFolder();
    const child = spawn(process.execPath, ['bin/offerbook.mjs', 'taxonomy', 'import', '-', '--json'], {
      env: { ...process.env, DATA_DIR },
    });
    child.stdin.end(`${OWN.join('\n')}\n`);
    const { source, nodes } = JSON.parse(await text(child.stdout));
    assert.deepEqual([source, nodes], ['standard input', 2]);
  });

  it('preview an import: say what it would change, and change nothing', async (t) => {
    const DATA_DIR = await databaseFolder();
    await offerbookHere({ DATA_DIR }, 'taxonomy', 'import', await fileOf(GOOGLE, 'taxonomy.txt'));
    const before = await offerbookHere({ DATA_DIR }, 'taxonomy', 'show');
    const file = await fileOf([GOOGLE[0] ?? '', '20 - Wear > Caps', '10 - Wear', '30 - Wear > Gloves'], 'next.txt');
    const shown = await runHere({ DATA_DIR }, 'taxonomy', 'import', file, '--preview');
    assert.deepEqual(shown.stdout.split('\n'), [
      'The taxonomy in next.txt has 3 nodes (1 added, 0 removed, 1 changed); nothing was changed.',
      'No offer loses its category.',
      '',
      'CHANGE         ID  PATH',
      'added          30  Wear > Gloves',
      'changed: name  20  Wear > Caps',
      '',
    ]);
    assert.equal(shown.stderr, `Database: sqlite:${DATA_DIR}\nWarning: ${NO_SHOES}\n`);
    const { samples, ...counts } = await offerbookHere(
      { DATA_DIR },
      'taxonomy',
      'import',
      await fileOf(OWN),
      '--preview',
    );
    assert.deepEqual((samples as { removed: unknown }).removed, [
      { id: 10, path: 'Wear' },
      { id: 20, path: 'Wear > Hats' },
    ]);
    assert.deepEqual([counts.preview, counts.nodes, counts.added, counts.removed], [true, 2, 2, 2]);
    const wrong = await runHere({ DATA_DIR }, 'taxonomy', 'import', await fileOf(['hm']), '--preview');
    assert.deepEqual([wrong.exitCode, wrong.stdout], [1, '']);
    assert.deepEqual(await offerbookHere({ DATA_DIR }, 'taxonomy', 'show'), before);
    const setup = await openSetupStore(readSettings({ DATA_DIR }));
    t.after(() => setup.close());
    const acts = await setup.people.listActs(Number.MAX_SAFE_INTEGER, 10);
    assert.equal(acts.length, 1, 'only the import is recorded');
  });

  it('list 100 problems and say how many more there are', async () => {
    const DATA_DIR = await databaseFolder();
    const file = await fileOf([OWN[0] ?? '', ...Array.from({ length: 130 }, () => '{}')]);
    const { exitCode, stderr } = await runOfferbook({ DATA_DIR }, 'taxonomy', 'import', file);
    const lines = stderr.trimEnd().split('\n');
    assert.deepEqual([exitCode, lines.length, lines.at(-1)], [1, 102, 'offerbook: And 30 more.']);
  });

  it('say how many offers lose their category, and ask', async () => {
    const DATA_DIR = await databaseFolder();
    const file = await fileOf(OWN);
    const database = new DatabaseSync(databaseFile(DATA_DIR));
    const add = database.prepare("INSERT INTO offer_listing VALUES (?, 1, 'Inactive', 0, ?, '', '')");
    add.run(1, '1040100');
    const lost =
      '1 offer in 1 category that is not an active leaf of the new taxonomy gets the issue "Invalid category".';
    const previewed = await runHere({ DATA_DIR }, 'taxonomy', 'import', file, '--preview');
    assert.equal(previewed.stdout.split('\n')[1], lost);
    assert.deepEqual(await runHere({ DATA_DIR }, 'taxonomy', 'import', file), {
      exitCode: 1,
      stdout: '',
      stderr: `Database: sqlite:${DATA_DIR}\nofferbook: ${lost} Add --yes to confirm.\n`,
    });
    assert.equal((await offerbookHere({ DATA_DIR }, 'taxonomy', 'show')).source, 'starter');
    await offerbookHere({ DATA_DIR }, 'taxonomy', 'import', file, '--yes');
    for (const sku of [2, 3]) add.run(sku, HUGE);
    database.close();
    const { exitCode, stderr } = await runHere({ DATA_DIR }, 'taxonomy', 'reset');
    assert.equal(exitCode, 1);
    assert.equal(
      stderr,
      `Database: sqlite:${DATA_DIR}\nofferbook: 2 offers in 1 category that is not an active leaf of the new taxonomy get the issue "Invalid category". Add --yes to confirm.\n`,
    );
    assert.deepEqual(await offerbookHere({ DATA_DIR }, 'taxonomy', 'reset', '--yes'), {
      changed: true,
      offers_affected: 2,
    });
  });
});
