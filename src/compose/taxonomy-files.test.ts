/** Tests taxonomy-files.ts: results, refusals, and a stop during an import. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { readSettings } from '../config/settings.ts';
import { SHOE_PRODUCT_TYPES } from '../domain/vocabulary/product-types.ts';
import type { SentFile } from '../operations/files/receive-upload.ts';
import { openSetupStore } from '../store/open-store.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import { STARTER_FILE } from '../taxonomy/read-stored.ts';
import { ThreadedTaxonomyFiles } from './taxonomy-files.ts';

const NOW_MS = Date.UTC(2026, 0, 31);
const BYTES_MAX = 16_777_216;

async function openFiles(t: TestContext) {
  const settings = readSettings({ DATA_DIR: await tempFolder() });
  const files = new ThreadedTaxonomyFiles(settings, () => NOW_MS);
  const store = await openSetupStore(settings);
  t.after(async () => {
    await files.close();
    await store.close();
  });
  return { files, store };
}

function sent(...chunks: readonly (string | Uint8Array)[]): SentFile {
  return {
    announcedBytes: undefined,
    chunks: (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    })(),
  };
}

const POTS = '{"offerbook_taxonomy":1}\n{"node":1,"name":"Home"}\n{"node":2,"parent":1,"name":"Pots"}\n';

describe('taxonomy files', () => {
  it('imports a file, and previews the changes of the next', async (t) => {
    const { files, store } = await openFiles(t);
    const imported = await files.import(sent(POTS.slice(0, 30), POTS.slice(30)), 'pots.ndjson');
    const head = await store.taxonomy.readTaxonomyHead();
    assert.deepEqual(imported, { ok: true, value: head, ignored: [] });
    assert.deepEqual(
      { source: head?.source, nodes: head?.nodes, importedMs: head?.importedMs },
      { source: 'pots.ndjson', nodes: 2, importedMs: NOW_MS },
    );
    assert.deepEqual(await files.preview(sent('1 - Home\n3 - Home > Pans\n')), {
      ok: true,
      value: {
        format: 'google',
        faults: [],
        faultsTotal: 0,
        nodes: 2,
        missingShoeTypes: SHOE_PRODUCT_TYPES,
        added: { count: 1, samples: [{ id: 3, path: 'Home > Pans' }] },
        removed: { count: 1, samples: [{ id: 2, path: 'Home > Pots' }] },
        changed: { count: 0, samples: [] },
      },
      ignored: [],
    });
    assert.deepEqual(await store.taxonomy.readTaxonomyHead(), head);
  });

  it('reports no changes when the starter taxonomy is already active', async (t) => {
    const { files } = await openFiles(t);
    const preview = await files.preview(sent(await readFile(STARTER_FILE)));
    assert.ok(preview.ok);
    const { added, removed, changed, faultsTotal } = preview.value;
    assert.deepEqual([faultsTotal, added.count, removed.count, changed.count], [0, 0, 0, 0]);
  });

  it('lists all problems of a file in preview and import, and changes nothing', async (t) => {
    const { files, store } = await openFiles(t);
    const bad = '{"offerbook_taxonomy":1}\n{"node":1,"name":""}\nnonsense\n';
    const preview = await files.preview(sent(bad));
    assert.ok(preview.ok);
    assert.deepEqual(
      preview.value.faults.map(({ line }) => line),
      [2, 3],
    );
    assert.equal(preview.value.nodes, 0);
    const refused = await files.import(sent(bad), 'bad.ndjson');
    assert.ok(!refused.ok);
    assert.deepEqual(
      refused.problems.map(({ message }) => message),
      preview.value.faults.map(({ line, text }) => `Line ${line}: ${text}.`),
    );
    assert.equal(await store.taxonomy.readTaxonomyHead(), undefined);
  });

  it('refuses a file beyond 16 MiB, whether or not its size is declared', async (t) => {
    const { files } = await openFiles(t);
    const problems = [
      { code: 'taxonomy_too_large', field: '', message: 'The file has more than 16777216 bytes.' },
    ] as const;
    const announced = { ...sent(POTS), announcedBytes: BYTES_MAX + 1 };
    assert.deepEqual(await files.preview(announced), { ok: false, problems, ignored: [] });
    const large = sent(new Uint8Array(BYTES_MAX), new Uint8Array(1));
    assert.deepEqual(await files.import(large, 'large'), { ok: false, problems, ignored: [] });
  });

  it('accepts four files at a time and refuses a fifth', async (t) => {
    const { files } = await openFiles(t);
    const four = Array.from({ length: 4 }, () => files.preview(sent(POTS)));
    assert.deepEqual(await files.preview(sent(POTS)), {
      ok: false,
      problems: [
        {
          code: 'overloaded',
          field: '',
          message: 'Too many taxonomy files are being processed. Try again later.',
        },
      ],
      ignored: [],
    });
    for (const preview of await Promise.all(four)) assert.ok(preview.ok);
    assert.ok((await files.preview(sent(POTS))).ok);
  });

  it('rejects running work when it is closed', async (t) => {
    const { files, store } = await openFiles(t);
    const both = [files.import(sent(POTS), 'pots'), files.import(sent(POTS), 'pots')].map((importing) =>
      assert.rejects(importing, new StoreUnavailableError('The server is stopping.')),
    );
    await files.close();
    await Promise.all(both);
    assert.equal(await store.taxonomy.readTaxonomyHead(), undefined);
  });
});
