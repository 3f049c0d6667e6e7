/**
 * Tests that this version opens the database of each earlier release with nothing lost, and that no released migration was edited. Before the
 * first release there is none; release.test.ts makes one and proves that both tests can fail.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { migrationHashes, RELEASES, readOffersAfterUpgrade, readRelease } from '../harness/stored-releases.ts';

for (const name of globSync('*.json', { cwd: RELEASES })) {
  const version = path.basename(name, '.json');
  describe(`an upgrade from ${version}`, () => {
    it('keeps every offer', async () => {
      const { offers } = await readRelease(version);
      const kept = await readOffersAfterUpgrade(version);
      assert.deepEqual(Object.keys(kept).sort(), Object.keys(offers).sort());
      assert.partialDeepStrictEqual(kept, offers);
    });

    it('finds each migration as it was released', async () => {
      const { migrations } = await readRelease(version);
      const now = migrationHashes();
      for (const engine of ['sqlite', 'postgres'] as const) {
        assert.deepEqual(now[engine].slice(0, migrations[engine].length), migrations[engine], engine);
      }
    });
  });
}
