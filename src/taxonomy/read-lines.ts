/** Reads lines that were already checked: from the starter file or the store. */
import { parseExactJson } from '../domain/int64.ts';
import {
  type AttributeLine,
  attributeEntry,
  type NodeLine,
  nodeEntry,
  type TaxonomyEntry,
} from '../domain/taxonomy/entries.ts';

export function readEntry(line: string): TaxonomyEntry {
  const fields = parseExactJson(line) as AttributeLine | NodeLine;
  return 'node' in fields ? nodeEntry(fields) : attributeEntry(fields);
}
