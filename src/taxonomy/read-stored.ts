/** In charge of the taxonomy that the store holds: read in slices, so that a server answers requests in between. */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type TaggedTaxonomy, TaxonomyBuilder } from '../domain/taxonomy/tree.ts';
import type { TaxonomyStore } from '../store/port/settings.ts';
import { readEntry } from './read-lines.ts';
import { readStarter } from './starter.ts';

/** A part has some hundred lines, of which each takes some 5 us. */
async function readStored(store: TaxonomyStore): Promise<TaggedTaxonomy | undefined> {
  const stored = await store.readTaxonomy();
  if (stored === undefined) return undefined;
  const builder = new TaxonomyBuilder();
  for (const part of stored.parts) {
    for (const line of part.split('\n')) builder.add(readEntry(line));
    await eventLoopTick();
  }
  return { tree: builder.build(), tag: stored.tag };
}

/** The one that counts: the operator's, else the starter. */
export async function readTaxonomyInForce(store: TaxonomyStore): Promise<TaggedTaxonomy> {
  return (await readStored(store)) ?? readStarter();
}
