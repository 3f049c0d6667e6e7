/** Describes the current taxonomy in portal responses. */
import { type Static, Type } from '../../domain/check/type.ts';
import type { TaxonomySummary } from '../../operations/taxonomy/read-branch.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

export const TaxonomyHeadAnswer = Type.Object({
  tag: Type.String({ description: 'Tag that identifies the taxonomy.' }),
  source: Type.String({ description: 'Source of the taxonomy; `starter` for the built-in one.' }),
  imported: OrNull(Time('Time of the import.'), 'Null for the starter taxonomy. ISO 8601, UTC.'),
  nodes: Count('Number of nodes.'),
});

export function taxonomyHeadJson({
  tag,
  source,
  importedMs,
  nodes,
}: Omit<TaxonomySummary, 'leaves'>): Static<typeof TaxonomyHeadAnswer> {
  return { tag, source, imported: isoTimeOrNull(importedMs), nodes };
}
