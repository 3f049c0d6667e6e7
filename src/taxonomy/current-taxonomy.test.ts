/** Tests that a process uses the taxonomy of the store, replaces it as a whole, and is not blocked by a large one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredTaxonomy, TaxonomyStore } from '../store/port/settings.ts';
import { CurrentTaxonomy } from './current-taxonomy.ts';
import { readStarter } from './read-stored.ts';

const COOKWARE = 1_010_100;

function stored(tag: string, ...names: string[]): StoredTaxonomy {
  const parts = names.map((name, index) => `{"node":${index + 1},"name":"${name}"}`);
  return { tag, source: 'test', nodes: names.length, importedMs: 0, parts };
}

/** A store that counts its calls. */
class CountingStore implements TaxonomyStore {
  taxonomy: StoredTaxonomy | undefined;
  heads = 0;
  reads = 0;
  /** A read of the taxonomy waits for this. */
  gate: Promise<unknown> = Promise.resolve();

  async countOffersByCategory() {
    return [];
  }
  async readTaxonomyHead() {
    this.heads++;
    return this.taxonomy;
  }
  async readTaxonomy() {
    this.reads++;
    const { taxonomy } = this;
    await this.gate;
    return taxonomy;
  }
  async putTaxonomy() {}
  async dropTaxonomy() {
    return 'unset' as const;
  }
}

describe('the current taxonomy', () => {
  it('is the starter while the store has none, even if it had one before', async () => {
    const store = new CountingStore();
    const taxonomy = new CurrentTaxonomy(store);
    await taxonomy.follow(1);
    assert.equal(taxonomy.node(COOKWARE)?.name, 'Cookware');
    store.taxonomy = stored('own', 'A');
    await taxonomy.follow(2);
    assert.deepEqual([taxonomy.node(1)?.name, taxonomy.node(COOKWARE), taxonomy.current.tag], ['A', undefined, 'own']);
    store.taxonomy = undefined;
    await taxonomy.follow(3);
    assert.equal(taxonomy.node(COOKWARE)?.name, 'Cookware');
    assert.equal(taxonomy.current.tag, readStarter().tag);
  });

  it('reads nothing while the version is unchanged, and only the head after other settings changes', async () => {
    const store = new CountingStore();
    store.taxonomy = stored('own', 'A');
    const taxonomy = new CurrentTaxonomy(store);
    for (const version of [1, 1, 1, 2, 3]) await taxonomy.follow(version);
    assert.deepEqual([store.heads, store.reads], [3, 1]);
  });

  it('is unchanged while another is read or if that fails; the next call retries', async () => {
    const store = new CountingStore();
    store.taxonomy = stored('first', 'A');
    const taxonomy = new CurrentTaxonomy(store);
    await taxonomy.follow(1);
    const before = taxonomy.current;
    const { promise, reject } = Promise.withResolvers();
    store.taxonomy = stored('second', 'B', 'C');
    store.gate = promise;
    const following = taxonomy.follow(2);
    assert.equal(taxonomy.current, before);
    reject(new Error('gone'));
    await assert.rejects(following, /gone/);
    assert.equal(taxonomy.current, before);
    store.gate = Promise.resolve();
    await taxonomy.follow(2);
    assert.equal(taxonomy.node(2)?.name, 'C');
  });

  it('an older one that is read slowly does not replace a newer one', async () => {
    const store = new CountingStore();
    const taxonomy = new CurrentTaxonomy(store);
    const { promise, resolve } = Promise.withResolvers<void>();
    store.taxonomy = stored('older', 'Old');
    store.gate = promise;
    const older = taxonomy.follow(1);
    // Waits until the old one is being read.
    while (store.reads === 0) await Promise.resolve();
    store.taxonomy = stored('newer', 'New');
    const newer = taxonomy.follow(2);
    resolve();
    await Promise.all([older, newer]);
    assert.equal(taxonomy.node(1)?.name, 'New');
  });

  it('yields to other work between the parts', async () => {
    const store = new CountingStore();
    store.taxonomy = stored('large', ...Array.from({ length: 20 }, (_, part) => `n${part}`));
    const taxonomy = new CurrentTaxonomy(store);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await taxonomy.follow(1);
    isDone = true;
    assert.ok(turns >= 19, `${turns} turns`);
  });
});
