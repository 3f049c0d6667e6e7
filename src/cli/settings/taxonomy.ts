/** offerbook taxonomy: replaces, resets, shows and searches the categories. */
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { accept } from '../../domain/outcome.ts';
import { attributeFields, foundNodeFields } from '../../domain/taxonomy/node-fields.ts';
import { PATH_SEPARATOR } from '../../domain/taxonomy/node-name.ts';
import type { NodeAttribute, TaggedTaxonomy, TaxonomyNode, TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { summaryOf } from '../../operations/taxonomy/read-branch.ts';
import type { TaxonomyHead } from '../../store/port/settings.ts';
import { readCurrentTaxonomy } from '../../taxonomy/read-stored.ts';
import { refusal } from '../failure.ts';
import { type CliCommand, type ConfirmOptions, wholeNumber, YES_OPTION } from '../options.ts';
import { type OutputOptions, print, type Result, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, NOTICE, readSetup } from './setup-session.ts';
import { confirmTaxonomy, type ImportOptions, importTaxonomyFile, lostText } from './taxonomy-import.ts';

interface SearchOptions extends OutputOptions {
  readonly limit: number;
}

export function addTaxonomyCommands(program: CliCommand, shell: Shell): void {
  const taxonomy = program
    .command('taxonomy')
    .description('Replace, show and search the taxonomy, the categories for offers.');

  taxonomy
    .command('import')
    .description(
      'Replace the taxonomy with a file: lines of JSON (docs/reference/taxonomy-format.md), or the text file of ' +
        'the Google product taxonomy with ids. A file with errors changes nothing. Offers in removed categories get the ' +
        'issue "Invalid category"; the command prints how many there are, and asks for confirmation if there are any.',
    )
    .argument('<file>', 'the file, "-" for standard input')
    .option('--preview', 'only show what would be added, removed and changed, and how many offers lose their category')
    .option(...YES_OPTION)
    .action((file: string, options: ImportOptions) => importTaxonomyFile(shell, file, options))
    .examples('taxonomy import own-taxonomy.ndjson --preview', 'taxonomy import taxonomy-with-ids.en-US.txt');

  taxonomy
    .command('reset')
    .description(
      'Return to the starter taxonomy and delete the imported one. Asks first if offers lose their category.',
    )
    .option(...YES_OPTION)
    .action((options: OutputOptions & ConfirmOptions) => reset(shell, options))
    .examples('taxonomy reset', 'taxonomy reset --yes');

  taxonomy
    .command('show')
    .description('Show the departments, or one node with its children and attributes.')
    .argument('[id]', 'id of a node')
    .action((id: string | undefined, options: OutputOptions) => show(shell, id, options))
    .examples('taxonomy show', 'taxonomy show 1000100 --json');

  taxonomy
    .command('search')
    .description('Find nodes by words or the start of words, best match first.')
    .argument('<words...>', "words in the node's path")
    .option(
      '--limit <count>',
      `how many to show, up to ${LIMITS.taxonomy_search_limit_max}`,
      wholeNumber({ from: 1, to: LIMITS.taxonomy_search_limit_max }),
      LIMITS.taxonomy_search_limit_default,
    )
    .action((words: readonly string[], options: SearchOptions) => search(shell, words.join(' '), options))
    .examples('taxonomy search running shoes', 'taxonomy search "dog food" --limit 5');
}

async function reset(shell: Shell, options: OutputOptions & ConfirmOptions): Promise<void> {
  const { resetTaxonomy } = await import('../../operations/taxonomy/import-taxonomy.ts');
  const { readStarter } = await import('../../taxonomy/read-stored.ts');
  const { value } = await changeSetup(shell, {}, async ({ store }) => {
    const lost = await confirmTaxonomy(shell, options, store.taxonomy, readStarter().tree);
    const dropped = await resetTaxonomy({ store: store.taxonomy });
    return dropped.ok ? accept({ lost, dropped: dropped.value }) : dropped;
  });
  const changed = value.dropped === 'stored';
  print(shell, options, {
    json: { changed, offers_affected: value.lost.offers },
    lines: changed
      ? [`The starter taxonomy was restored. ${NOTICE}`, lostText(value.lost)]
      : ['The starter taxonomy is already active.'],
  });
}

async function show(shell: Shell, id: string | undefined, options: OutputOptions): Promise<void> {
  const { head, taxonomy, names } = await readTaxonomy(shell);
  const { tree } = taxonomy;
  if (id === undefined) {
    print(shell, options, overview(taxonomy, head));
    return;
  }
  const nodeId = readId(id);
  const node = nodeId === undefined ? undefined : tree.node(nodeId);
  if (node === undefined) throw refusal('taxonomy_node_not_found', `The taxonomy has no node ${id}.`);
  print(shell, options, nodeView(node, tree, names));
}

async function search(shell: Shell, words: string, options: SearchOptions): Promise<void> {
  const { taxonomy, names } = await readTaxonomy(shell);
  const { tree } = taxonomy;
  const limit = Math.min(options.limit, LIMITS.taxonomy_search_limit_max);
  const nodes = tree.search(words, limit);
  print(shell, options, {
    json: { nodes: nodes.map((node) => foundNodeFields(node, tree, names)) },
    lines: nodeTable(nodes, tree, 'No node has all of these words.'),
  });
}

async function readTaxonomy(shell: Shell) {
  const { value, names } = await readSetup(shell, async ({ store }) =>
    accept({ head: await store.taxonomy.readTaxonomyHead(), taxonomy: await readCurrentTaxonomy(store.taxonomy) }),
  );
  return { ...value, names };
}

function overview(taxonomy: TaggedTaxonomy, head: TaxonomyHead | undefined): Result {
  const { tree } = taxonomy;
  const { source, importedMs, nodes, leaves } = summaryOf(taxonomy, head);
  const imported = importedMs === null ? null : new Date(importedMs).toISOString();
  const origin =
    imported === null ? 'The starter taxonomy' : `The taxonomy from ${printable(source)}, imported ${imported},`;
  const counted = `${nodes.toLocaleString('en-US')} nodes, ${leaves.toLocaleString('en-US')} of them leaves`;
  return {
    json: {
      source,
      imported,
      nodes,
      leaves,
      departments: tree.departments.map(({ id, name }) => ({ id, name })),
    },
    lines: [`${origin} has ${counted}.`, '', ...nodeTable(tree.departments, tree)],
  };
}

function nodeView(node: TaxonomyNode, tree: TaxonomyTree, names: Names): Result {
  const children = tree.children(node.id);
  const attributes = tree.attributes(node.id);
  return {
    json: {
      ...foundNodeFields(node, tree, names),
      children: children.map(({ id, name }) => ({ id, name })),
      attributes: attributes.map(attributeFields),
    },
    lines: [
      `${node.id}  ${printable(tree.path(node.id).join(PATH_SEPARATOR))}`,
      `${node.isLeaf ? 'Leaf' : 'Not a leaf'}, ${node.active ? 'active' : 'not active'}; tax code: ${node.suggestedTaxCode ?? 'none'}`,
      ...(children.length === 0 ? [] : ['', ...nodeTable(children, tree)]),
      ...(attributes.length === 0 ? [] : ['', ...attributeTable(attributes)]),
    ],
  };
}

function nodeTable(nodes: readonly TaxonomyNode[], tree: TaxonomyTree, none?: string): string[] {
  const rows = nodes.map(({ id, isLeaf, active }) => [
    String(id),
    [...(isLeaf ? ['leaf'] : []), ...(active ? [] : ['not active'])].join(', '),
    tree.path(id).join(PATH_SEPARATOR),
  ]);
  return table(['ID', 'KIND', 'PATH'], rows, none);
}

function attributeTable(attributes: readonly NodeAttribute[]): string[] {
  const rows = attributes.map(({ attribute, required }) => [
    String(attribute.id),
    attribute.description,
    required ? 'required' : '',
    attribute.variant ? 'variant' : '',
    takes(attribute),
    attribute.units.join(', '),
  ]);
  return table(['ID', 'ATTRIBUTE', 'REQUIRED', 'VARIANT', 'TAKES', 'UNITS'], rows);
}

/** An attribute such as size may have a hundred values; a line shows only the first. */
const VALUES_SHOWN_MAX = 8;

function takes({ values, dataType, min, max }: NodeAttribute['attribute']): string {
  if (values.length > 0) {
    const more = values.length - VALUES_SHOWN_MAX;
    return values.slice(0, VALUES_SHOWN_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
  }
  if (dataType === 'text') return 'text';
  return [dataType, ...(min === null ? [] : [`from ${min}`]), ...(max === null ? [] : [`to ${max}`])].join(' ');
}
