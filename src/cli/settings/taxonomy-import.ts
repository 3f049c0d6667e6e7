/**
 * offerbook taxonomy import: replaces the taxonomy with a file, or previews the change, and reports offers that lose
 * their category.
 */
import path from 'node:path';
import { readId } from '../../domain/int64.ts';
import { accept, refuse } from '../../domain/outcome.ts';
import { compareTaxonomies, type TaxonomyChanges } from '../../domain/taxonomy/compare.ts';
import type { TaxonomyEntry } from '../../domain/taxonomy/entries.ts';
import { missingShoeTypes, type ShoeType } from '../../domain/taxonomy/shoe-types.ts';
import { TaxonomyBuilder, type TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { textLines } from '../../operations/text-lines.ts';
import type { TaxonomyStore } from '../../store/port/settings.ts';
import { readCurrentTaxonomy } from '../../taxonomy/read-stored.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
import { openInput } from '../open-input.ts';
import { type ConfirmOptions, confirm } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, NOTICE } from './setup-session.ts';

export interface ImportOptions extends OutputOptions, ConfirmOptions {
  readonly preview?: true;
}

interface NewTaxonomy extends TaxonomyChanges {
  readonly nodes: number;
  readonly missingShoeTypes: readonly ShoeType[];
  readonly lost: LostCategories;
}

/** Categories that have offers but are not active leaves of the new taxonomy. */
interface LostCategories {
  readonly categories: number;
  readonly offers: number;
}

export async function importTaxonomyFile(shell: Shell, file: string, options: ImportOptions): Promise<void> {
  const { chunks, bytes } = await openInput(shell, file);
  const source = file === STANDARD_STREAM ? 'standard input' : path.basename(file);
  using progress = startProgress(shell, 'Reading', 'bytes');
  const lines = textLines(chunks, (done) => progress.show(done, bytes));
  const taken = options.preview ? await preview(shell, lines) : await replace(shell, lines, source, options);
  progress.end();
  const { nodes, added, removed, changed, lost } = taken;
  const counted = `${figure(nodes)} nodes (${figure(added.count)} added, ${figure(removed.count)} removed, ${figure(changed.count)} changed)`;
  print(shell, options, {
    json: {
      source,
      nodes,
      added: added.count,
      removed: removed.count,
      changed: changed.count,
      offers_affected: lost.offers,
      ...(options.preview ? { preview: true, samples: samplesJson(taken) } : {}),
    },
    lines: options.preview
      ? [
          `The taxonomy in ${printable(source)} has ${counted}; nothing was changed.`,
          lostText(lost),
          ...sampleLines(taken),
        ]
      : [`Imported ${printable(source)}, with ${counted}. ${NOTICE}`, lostText(lost)],
    warnings: warningsOf(taken),
  });
}

type Lines = ReturnType<typeof textLines>;

// Operations are loaded only when used, because their checks take a while to compile and other commands should start fast.

async function replace(shell: Shell, lines: Lines, source: string, options: ImportOptions): Promise<NewTaxonomy> {
  const { importTaxonomy } = await import('../../operations/taxonomy/import-taxonomy.ts');
  const { value } = await changeSetup(shell, {}, async ({ store: { taxonomy: store }, nowMs }) => {
    const before = await readCurrentTaxonomy(store);
    const builder = new TaxonomyBuilder();
    let lost: LostCategories = { categories: 0, offers: 0 };
    const confirmed = async (entries: readonly TaxonomyEntry[]) => {
      for (const entry of entries) builder.add(entry);
      lost = await confirmTaxonomy(shell, options, store, builder.build());
    };
    const imported = await importTaxonomy({ store, nowMs, confirm: confirmed }, lines, source);
    if (!imported.ok) return imported;
    const tree = builder.build();
    const changes = compareTaxonomies(before.tree, tree, 0);
    return accept({ ...changes, nodes: imported.value.nodes, missingShoeTypes: missingShoeTypes(tree), lost });
  });
  return value;
}

/** Asks before offers lose their category, and returns how many do. */
export async function confirmTaxonomy(
  shell: Shell,
  options: ConfirmOptions,
  store: TaxonomyStore,
  next: TaxonomyTree,
): Promise<LostCategories> {
  const lost = await countLost(store, next);
  if (lost.offers > 0) await confirm(shell, options, lostText(lost));
  return lost;
}

async function countLost(store: TaxonomyStore, next: TaxonomyTree): Promise<LostCategories> {
  const carriesOffers = (id: string) => {
    const node = next.node(readId(id) ?? 0);
    return node?.isLeaf === true && node.active;
  };
  const lost = (await store.countOffersByCategory()).filter(([id]) => !carriesOffers(id));
  return { categories: lost.length, offers: lost.reduce((sum, [, count]) => sum + count, 0) };
}

export function lostText({ categories: lost, offers }: LostCategories): string {
  if (offers === 0) return 'No offer loses its category.';
  const [subject, verb] = offers === 1 ? ['1 offer', 'gets'] : [`${figure(offers)} offers`, 'get'];
  const categories = lost === 1 ? '1 category' : `${figure(lost)} categories`;
  const which = `${lost === 1 ? 'is not an active leaf' : 'are not active leaves'} of the new taxonomy`;
  return `${subject} in ${categories} that ${which} ${verb} the issue "Invalid category".`;
}

async function preview(shell: Shell, lines: Lines): Promise<NewTaxonomy> {
  const { taxonomyProblems } = await import('../../operations/taxonomy/import-taxonomy.ts');
  const { previewTaxonomy } = await import('../../operations/taxonomy/preview-taxonomy.ts');
  const { value } = await changeSetup(shell, {}, async ({ store }) => {
    let lost: LostCategories = { categories: 0, offers: 0 };
    const { tree } = await readCurrentTaxonomy(store.taxonomy);
    const previewed = await previewTaxonomy(tree, lines, async (next) => {
      lost = await countLost(store.taxonomy, next);
    });
    const { faults, faultsTotal } = previewed;
    return faultsTotal > 0 ? refuse(taxonomyProblems(faults, faultsTotal)) : accept({ ...previewed, lost });
  });
  return value;
}

function warningsOf({ missingShoeTypes: missing }: NewTaxonomy): readonly string[] {
  if (missing.length === 0) return [];
  const types = missing.map(({ id, name }) => `${id} ${name}`).join(', ');
  return [`Product types of shoes without a category: ${types}. Such shoes get the issue "Invalid category".`];
}

function samplesJson({ added, removed, changed }: TaxonomyChanges) {
  return {
    added: added.samples,
    removed: removed.samples,
    changed: changed.samples.map(({ id, path: now, pathBefore, what }) => ({
      id,
      path: now,
      path_before: pathBefore,
      what,
    })),
  };
}

function sampleLines({ added, removed, changed }: TaxonomyChanges): string[] {
  const rows = [
    ...removed.samples.map(({ id, path: was }) => ['removed', String(id), was]),
    ...added.samples.map(({ id, path: now }) => ['added', String(id), now]),
    ...changed.samples.map(({ id, path: now, what }) => [`changed: ${what.join(', ')}`, String(id), now]),
  ];
  if (rows.length === 0) return [];
  const more = removed.count + added.count + changed.count - rows.length;
  return ['', ...table(['CHANGE', 'ID', 'PATH'], rows), ...(more === 0 ? [] : [`and ${figure(more)} more`])];
}

function figure(count: number): string {
  return count.toLocaleString('en-US');
}
