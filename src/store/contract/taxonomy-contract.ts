/** Contract tests for the operator's taxonomy: it is set, replaced and dropped as a whole, and servers notice each change. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredTaxonomy } from '../port/settings.ts';
import { type ClearedStores, NOW_MS } from './subject.ts';

const FIRST: StoredTaxonomy = {
  tag: 'first',
  source: 'own-ä.ndjson',
  nodes: 3,
  importedMs: NOW_MS,
  parts: ['{"node":9223372036854775807,"name":"Ä \\" 😀"}\n{"node":2,"name":"b"}', '{"node":3,"name":"c"}'],
};
/** More than nine parts, so that sorting part numbers as text would fail the tests. */
const SECOND: StoredTaxonomy = {
  tag: 'second',
  source: '-',
  nodes: 50_000,
  importedMs: NOW_MS + 1,
  parts: Array.from({ length: 120 }, (_, part) => `part ${part} ${'x'.repeat(10_000)}`),
};

export function taxonomyContract(emptied: ClearedStores): void {
  describe('taxonomy', () => {
    test('is absent at first, and cannot be dropped then', async () => {
      const store = await emptied.openOne();
      const version = await store.settings.readSetupVersion();
      assert.equal(await store.taxonomy.readTaxonomyHead(), undefined);
      assert.equal(await store.taxonomy.readTaxonomy(), undefined);
      assert.equal(await store.taxonomy.dropTaxonomy(), 'unset');
      assert.equal(await store.settings.readSetupVersion(), version, 'nothing was changed');
    });

    test('is replaced and dropped as a whole; every change increments the version for every process', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      let version = await store.settings.readSetupVersion();
      const moved = async () => {
        const before = version;
        version = await otherProcess.settings.readSetupVersion();
        assert.ok(version > before);
      };
      for (const taxonomy of [FIRST, SECOND, FIRST]) {
        await store.taxonomy.putTaxonomy(taxonomy);
        await moved();
        const { parts: _, ...head } = taxonomy;
        for (const reader of [store, otherProcess]) {
          assert.deepEqual(await reader.taxonomy.readTaxonomy(), taxonomy);
          assert.deepEqual(await reader.taxonomy.readTaxonomyHead(), head);
        }
      }
      assert.equal(await store.taxonomy.dropTaxonomy(), 'stored');
      await moved();
      for (const reader of [store, otherProcess]) {
        assert.equal(await reader.taxonomy.readTaxonomy(), undefined);
        assert.equal(await reader.taxonomy.readTaxonomyHead(), undefined);
      }
    });

    test('is always one whole taxonomy while two processes replace it at once', async () => {
      const [store, otherProcess] = await emptied.openTwo();
      await store.taxonomy.putTaxonomy(FIRST);
      for (let turn = 0; turn < 5; turn++) {
        const [, , read] = await Promise.all([
          store.taxonomy.putTaxonomy(FIRST),
          otherProcess.taxonomy.putTaxonomy(SECOND),
          otherProcess.taxonomy.readTaxonomy(),
        ]);
        for (const seen of [read, await store.taxonomy.readTaxonomy()]) {
          assert.deepEqual(seen, seen?.tag === 'first' ? FIRST : SECOND);
        }
      }
    });
  });
}
