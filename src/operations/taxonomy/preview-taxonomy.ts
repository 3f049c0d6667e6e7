/** Use case: an operator checks a taxonomy file and sees what its import would change. Nothing is changed. */
import { LIMITS } from '../../domain/limits.ts';
import { compareTaxonomies, type TaxonomyChanges } from '../../domain/taxonomy/compare.ts';
import type { LineFault, TaxonomyEntry } from '../../domain/taxonomy/entries.ts';
import { missingShoeTypes, type ShoeType } from '../../domain/taxonomy/shoe-types.ts';
import { TaxonomyBuilder, type TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { type FileLines, readTaxonomyFile, type TaxonomyFormat } from './read-taxonomy-file.ts';

/** What the import would change; nothing when there are faults. */
export interface TaxonomyPreview extends TaxonomyChanges {
  readonly format: TaxonomyFormat;
  /** The first faults, in the order of lines. */
  readonly faults: readonly LineFault[];
  readonly faultsTotal: number;
  /** Number of nodes in the file; 0 when there are faults. */
  readonly nodes: number;
  readonly missingShoeTypes: readonly ShoeType[];
}

const NONE = Object.freeze({ count: 0, samples: Object.freeze([]) });

/** `current` is the taxonomy that the file would replace. `onTree` gets the new one with its entries, unless there are faults. */
export async function previewTaxonomy(
  current: TaxonomyTree,
  lines: FileLines,
  onTree: (tree: TaxonomyTree, entries: readonly TaxonomyEntry[]) => Promise<void> = async () => {},
): Promise<TaxonomyPreview> {
  const file = await readTaxonomyFile(lines);
  const { format } = file;
  if (!file.ok) {
    const faults = file.faults.slice(0, LIMITS.taxonomy_problems_shown_max);
    const changes = { added: NONE, removed: NONE, changed: NONE };
    return { format, faults, faultsTotal: file.faults.length, nodes: 0, missingShoeTypes: [], ...changes };
  }
  const builder = new TaxonomyBuilder();
  for (const entry of file.entries) builder.add(entry);
  const tree = builder.build();
  await onTree(tree, file.entries);
  const changes = compareTaxonomies(current, tree, LIMITS.taxonomy_samples_max);
  const { length: nodes } = tree.nodes;
  return { format, faults: [], faultsTotal: 0, nodes, missingShoeTypes: missingShoeTypes(tree), ...changes };
}
