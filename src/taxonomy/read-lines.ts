/** Reads lines that were checked before they were stored: the starter's, and those of the store. */
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
