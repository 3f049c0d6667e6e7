/**
 * Warns about categories whose offers cannot be live. These are warnings because the next taxonomy may have the category.
 */
import type { Int64 } from '../../domain/int64.ts';
import { accept } from '../../domain/outcome.ts';
import { readCurrentTaxonomy } from '../../taxonomy/read-stored.ts';
import type { Shell } from '../shell.ts';
import { readSetup } from './setup-session.ts';

/** Returns warnings about a category that is used with everything below it. */
export async function branchWarnings(shell: Shell, id: Int64): Promise<readonly string[]> {
  return (await readNode(shell, id)) === undefined ? [`The taxonomy has no node ${id}.`] : [];
}

/** Returns warnings about a category that offers will be in. */
export async function leafWarnings(shell: Shell, id: Int64): Promise<readonly string[]> {
  const node = await readNode(shell, id);
  if (node === undefined) return [`The taxonomy has no node ${id}.`];
  if (!node.isLeaf) return [`Node ${id} is not a leaf, so its offers cannot be live.`];
  return node.active ? [] : [`Node ${id} is not active, so its offers cannot be live.`];
}

async function readNode(shell: Shell, id: Int64) {
  const { value } = await readSetup(shell, async ({ store }) => accept(await readCurrentTaxonomy(store.taxonomy)));
  return value.tree.node(id);
}
