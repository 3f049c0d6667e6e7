/** Reads the taxonomy from the store in slices, so that a server serves requests in between. */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type TaggedTaxonomy, TaxonomyBuilder, type TaxonomyTree } from '../domain/taxonomy/tree.ts';
import type { StoredTaxonomy, TaxonomyStore } from '../store/port/settings.ts';
import { readEntry } from './read-lines.ts';
import { readStarter } from './starter.ts';

async function readStored(store: TaxonomyStore): Promise<TaggedTaxonomy | undefined> {
  const stored = await store.readTaxonomy();
  return stored && { tree: await treeOf(stored), tag: stored.tag };
}

/** Null stands for the starter taxonomy. */
export async function treeOf(stored: Pick<StoredTaxonomy, 'parts'> | null): Promise<TaxonomyTree> {
  if (stored === null) return readStarter().tree;
  const builder = new TaxonomyBuilder();
  for (const part of stored.parts) {
    for (const line of part.split('\n')) builder.add(readEntry(line));
    // A part has 200 lines, which take about 5 us each.
    await eventLoopTick();
  }
  return builder.build();
}

/** Returns the current taxonomy: the operator's, or the starter. */
export async function readCurrentTaxonomy(store: TaxonomyStore): Promise<TaggedTaxonomy> {
  return (await readStored(store)) ?? readStarter();
}
