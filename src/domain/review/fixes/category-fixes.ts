/** Finds the category of an offer without a valid one: from the catalog, the taxonomy, its variation group, or the titles of live offers. */
import { type Int64, stringifyExactJson } from '../../int64.ts';
import type { TaxonomyNode } from '../../taxonomy/tree.ts';
import { foldedText, wordsOf } from '../../text/folded-text.ts';
import { foreignProducts } from '../catalog.ts';
import { lineageOf } from '../category.ts';
import { foldText } from '../checks/attributes.ts';
import type { ReviewedDocument, ReviewKnowledge } from '../facts.ts';
import type { Subject } from '../subject.ts';
import type { Confidence, FixClues, FixFinder, FixSource, FoundFix } from './fix.ts';
import { groupCategory } from './group-fixes.ts';

const FIELD = '/marketplace_browse_node_id';

export const categoryFixes: FixFinder = (subject, clues) => {
  // A shoe's category is its product type, and a category of the catalog is corrected by the marketplace.
  const { document, category } = subject;
  if (document.product_type_id !== undefined) return [];
  const broad = typeof category === 'object' ? category.node : undefined;
  const isUsable = (id: Int64) => {
    const node = clues.tree.node(id);
    return node?.isLeaf === true && node.active;
  };
  const isBelow = (id: Int64) =>
    broad === undefined || broad.isLeaf || lineageOf(clues.tree.node(id), clues.tree).includes(broad);
  const fits = (id: Int64) => isUsable(id) && isBelow(id);
  const found =
    fromCatalog(subject, fits) ??
    fromTaxonomy(broad, clues, isUsable) ??
    fromGroup(clues, fits) ??
    guessed(document, clues, fits);
  return found === undefined ? [] : [fixOf(found, document, clues)];
};

interface Found {
  readonly confidence: Confidence;
  readonly source: FixSource;
  readonly id: Int64;
}

function fixOf({ id, ...found }: Found, document: ReviewedDocument, { tree }: FixClues): FoundFix {
  const op = document.marketplace_browse_node_id === undefined ? 'add' : 'replace';
  const text = `Set the category to ${tree.path(id).join(' > ')} (${stringifyExactJson(id)}).`;
  return { ...found, patch: [{ op, path: FIELD, value: id }], text };
}

/** The category of the product, if it lies below the one that was sent, or that one is gone. */
function fromCatalog(
  { document, products }: Subject<ReviewKnowledge>,
  fits: (id: Int64) => boolean,
): Found | undefined {
  if (products === 'pending' || foreignProducts(document.brand, products).length > 0) return undefined;
  const ids = new Set(
    products.flatMap(({ categoryId }) => (categoryId !== null && fits(categoryId) ? categoryId : [])),
  );
  const [id] = ids;
  return id === undefined || ids.size > 1 ? undefined : { confidence: 'certain', source: 'catalog', id };
}

/** The only category with the name of a retired one, or the only one below one that is too broad. */
function fromTaxonomy(
  node: TaxonomyNode | undefined,
  { tree }: FixClues,
  isUsable: (id: Int64) => boolean,
): Found | undefined {
  if (node === undefined) return undefined;
  const rule = { source: 'category_rule' } as const;
  if (!node.isLeaf) {
    const [only, ...others] = tree.children(node.id).filter(({ active }) => active);
    return only !== undefined && others.length === 0 && isUsable(only.id)
      ? { ...rule, confidence: 'certain', id: only.id }
      : undefined;
  }
  const named = tree.nodes.filter(
    ({ id, name }) => id !== node.id && foldText(name) === foldText(node.name) && isUsable(id),
  );
  if (named.length === 1 && named[0] !== undefined) return { ...rule, confidence: 'certain', id: named[0].id };
  const [called, ...others] = named.length > 0 ? [] : tree.search(node.name, 2).filter(({ id }) => isUsable(id));
  return called !== undefined && others.length === 0 ? { ...rule, confidence: 'likely', id: called.id } : undefined;
}

function fromGroup(clues: FixClues, fits: (id: Int64) => boolean): Found | undefined {
  const id = groupCategory(clues);
  return id === undefined || !fits(id) ? undefined : { confidence: 'likely', source: 'variation_group', id };
}

function guessed(
  document: ReviewedDocument,
  { guessCategory }: FixClues,
  fits: (id: Int64) => boolean,
): Found | undefined {
  const id = guessCategory?.(categoryWords(document), fits);
  return id === undefined ? undefined : { confidence: 'likely', source: 'live_offers', id };
}

/** The words that say what the product is. The last step of a path says most, so it counts twice. */
function categoryWords({
  product_title,
  category_path = '',
  external_item_type_keyword = '',
}: ReviewedDocument): readonly string[] {
  const last = category_path.split(/[>/|]/).at(-1) ?? '';
  return [product_title, category_path, last, external_item_type_keyword].flatMap((text) => wordsOf(foldedText(text)));
}
