/**
 * Warns about categories that cannot have offers. These are warnings because the next taxonomy may have the category.
 */
import type { Int64 } from '../../domain/int64.ts';
import { accept } from '../../domain/outcome.ts';
import { readCurrentTaxonomy } from '../../taxonomy/read-stored.ts';
import type { Shell } from '../shell.ts';
import { readSetup } from './setup-session.ts';

/** For a category with everything below it. */
export async function branchWarnings(shell: Shell, id: Int64): Promise<readonly string[]> {
  return (await readNode(shell, id)) === undefined ? [`The taxonomy has no node ${id}.`] : [];
}

/** For a category that offers are to be in. */
export async function leafWarnings(shell: Shell, id: Int64): Promise<readonly string[]> {
  const node = await readNode(shell, id);
  if (node === undefined) return [`The taxonomy has no node ${id}.`];
  if (!node.isLeaf) return [`The node ${id} is not a leaf, and can carry no offers.`];
  return node.active ? [] : [`The node ${id} is not active, and can carry no offers.`];
}

async function readNode(shell: Shell, id: Int64) {
  const { value } = await readSetup(shell, async ({ store }) => accept(await readCurrentTaxonomy(store.taxonomy)));
  return value.tree.node(id);
}
