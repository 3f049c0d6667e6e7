/** Describes the current taxonomy in portal answers. */
import Type, { type Static } from 'typebox';
import type { TaxonomySummary } from '../../operations/taxonomy/read-branch.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

export const TaxonomyHeadAnswer = Type.Object({
  tag: Type.String({ description: 'Tells the taxonomy from every other one.' }),
  source: Type.String({ description: 'Where it came from; `starter` for the one that Offerbook brings.' }),
  imported: OrNull(Time('When it was put in force.'), 'Null for the starter. ISO 8601, UTC.'),
  nodes: Count('Nodes that it has.'),
});

export function taxonomyHeadJson({
  tag,
  source,
  importedMs,
  nodes,
}: Omit<TaxonomySummary, 'leaves'>): Static<typeof TaxonomyHeadAnswer> {
  return { tag, source, imported: isoTimeOrNull(importedMs), nodes };
}
