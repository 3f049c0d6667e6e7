/** Use case: an operator replaces the taxonomy with one from a file. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { entryText, type LineFault, type TaxonomyEntry } from '../../domain/taxonomy/entries.ts';
import type { TaxonomyHead, TaxonomyStore } from '../../store/port/settings.ts';
import type { SentFile } from '../files/receive-upload.ts';
import { type ChangeGate, commandGate } from '../review/rule-change.ts';
import type { TaxonomyPreview } from './preview-taxonomy.ts';
import { type FileLines, readTaxonomyFile } from './read-taxonomy-file.ts';

export interface TaxonomyContext {
  readonly store: TaxonomyStore;
  readonly nowMs: () => number;
  /** Called with the entries of a valid file before they are stored. It may throw to stop the import. */
  readonly confirm?: (entries: readonly TaxonomyEntry[]) => Promise<void>;
  readonly gate?: Pick<ChangeGate, 'pass'>;
}

/** Lines per part. A server reads one part in about 2 ms, without a pause. */
const PART_LINES = 200;

/** `source` tells people where the file came from. Nothing changes unless the whole file is valid. */
export async function importTaxonomy(
  { store, nowMs, confirm, gate = commandGate() }: TaxonomyContext,
  lines: FileLines,
  source: string,
): Promise<Outcome<TaxonomyHead>> {
  const file = await readTaxonomyFile(lines);
  if (!file.ok) return refuse(taxonomyProblems(file.faults));
  await confirm?.(file.entries);
  const parts = partsOf(file.entries);
  const head = {
    tag: createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 16),
    source,
    nodes: file.entries.filter(({ kind }) => kind === 'node').length,
    importedMs: nowMs(),
  };
  const passed = await gate.pass('importTaxonomy', source, { kind: 'taxonomy', taxonomy: { parts } });
  if (!passed.ok) return passed;
  if (passed.value !== 'preview') await store.putTaxonomy({ ...head, parts }, passed.value);
  return accept(head);
}

/** Returns to the starter taxonomy. */
export async function resetTaxonomy({
  store,
  gate = commandGate(),
}: Pick<TaxonomyContext, 'store' | 'gate'>): Promise<Outcome<'stored' | 'unset'>> {
  const head = await store.readTaxonomyHead();
  if (head === undefined) return accept('unset');
  const passed = await gate.pass('resetTaxonomy', head.source, { kind: 'taxonomy', taxonomy: null });
  if (!passed.ok) return passed;
  return accept(passed.value === 'preview' ? 'stored' : await store.dropTaxonomy(passed.value));
}

export function partsOf(entries: readonly TaxonomyEntry[]): string[] {
  const parts: string[] = [];
  for (let start = 0; start < entries.length; start += PART_LINES) {
    parts.push(
      entries
        .slice(start, start + PART_LINES)
        .map(entryText)
        .join('\n'),
    );
  }
  return parts;
}

/**
 * Returns the problems in the order of lines. If not all are shown, the last entry says how many more there are.
 * `total` counts all.
 */
export function taxonomyProblems(faults: readonly LineFault[], total = faults.length): Problem[] {
  const shown = faults
    .slice(0, LIMITS.problems_max)
    .map(({ code, line, text }) => requestProblem(code, line === 0 ? `The file ${text}.` : `Line ${line}: ${text}.`));
  const more = total - shown.length;
  return more === 0 ? shown : [...shown, requestProblem('more_problems', `And ${more} more.`)];
}

/** The thread that processes uploaded files. A large file takes seconds, too long for the request thread. */
export interface TaxonomyFiles {
  preview(sent: SentFile, gate?: ChangeGate): Promise<Outcome<TaxonomyPreview>>;
  /** `source` tells people where the file came from. */
  import(sent: SentFile, source: string, gate?: ChangeGate): Promise<Outcome<TaxonomyHead>>;
}
