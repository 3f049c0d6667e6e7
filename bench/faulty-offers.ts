/**
 * Generates a marketplace and faulty offers in it, to measure the fixes of the review: live products of all categories, what the catalog
 * knows, and offers of which each has one of 20 mistakes that merchants make, with the offer as it should be.
 *
 * It was written before the rules that fix the mistakes. Everything is a function of the seed.
 */
import { productCode } from '../src/catalog-generator/product-codes.ts';
import { RowRandom } from '../src/catalog-generator/row-random.ts';
import { BRANDS, COLORS, TRAITS } from '../src/catalog-generator/words.ts';
import type { Int64 } from '../src/domain/int64.ts';
import type { KnownProduct } from '../src/domain/review/catalog.ts';
import type { UploadedAttribute } from '../src/domain/review/checks/attributes.ts';
import type { ReviewedDocument } from '../src/domain/review/facts.ts';
import { catalogCodes } from '../src/domain/review/product-code.ts';
import { isShoeCategory } from '../src/domain/review/shoe-group.ts';
import { type AttributeEntry, nodeEntry, readEntry, type TaxonomyEntry } from '../src/domain/taxonomy/entries.ts';
import { TaxonomyBuilder, type TaxonomyNode, type TaxonomyTree } from '../src/domain/taxonomy/tree.ts';
import { PHRASES, SYLLABLES, UNIT_WORDS } from './title-words.ts';

export const FAULT_KINDS = [
  'digit_mistyped',
  'digits_swapped',
  'ean_cut_to_upc',
  'code_of_other_color',
  'pack_not_counted',
  'pieces_counted',
  'unit_missing',
  'unit_in_value',
  'unit_spelled_out',
  'decimal_comma',
  'value_other_spelling',
  'value_mistyped',
  'value_only_in_title',
  'number_only_in_title',
  'category_retired',
  'category_split',
  'category_missing',
  'category_too_broad',
  'brand_mistyped',
  'price_missing',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultyOffer {
  readonly kind: FaultKind;
  readonly document: ReviewedDocument;
  /** The document without the fault. */
  readonly good: ReviewedDocument;
}

/** A product as merchants sell it. */
interface Product {
  readonly row: number;
  readonly leaf: TaxonomyNode;
  /** The title that the manufacturer gave it. */
  readonly title: string;
  readonly document: ReviewedDocument;
  readonly isKnown: boolean;
}

const RETIRED_FROM = 90_000_000_000;

export class FaultyMarket {
  readonly tree: TaxonomyTree;
  readonly catalog = new Map<string, KnownProduct>();
  readonly #seed: number;
  readonly #leaves: readonly TaxonomyNode[];
  readonly #things: ReadonlyMap<Int64, readonly string[]>;
  /** The node that a category replaced. */
  readonly #retired = new Map<Int64, Int64>();

  /** `starter`: the lines of the starter taxonomy. */
  constructor(seed: number, starter: readonly string[]) {
    this.#seed = seed;
    const entries = starter.filter((line) => line.trim() !== '').map(readEntry);
    this.#things = thingsByNode(entries);
    this.tree = treeOf([...entries, ...this.#retire(treeOf(entries))]);
    this.#leaves = this.tree.nodes.filter(
      ({ id, isLeaf, active, needsGroup }) => isLeaf && active && !needsGroup && !isShoeCategory(id),
    );
  }

  /** Adds the products of these rows to the catalog if it knows them, and returns their live offers. */
  live(products: number): readonly ReviewedDocument[] {
    return Array.from({ length: products }, (_, row) => {
      const product = this.#product(row);
      if (product.isKnown) this.#learn(product);
      return product.document;
    });
  }

  /** Returns as many offers of each kind, whose products are not among the first `live` ones. */
  faulty(offers: number, live: number): readonly FaultyOffer[] {
    let row = live;
    return Array.from({ length: offers }, (_, index) => {
      const kind = FAULT_KINDS[index % FAULT_KINDS.length] as FaultKind;
      for (; ; row += 9) {
        const product = this.#product(row);
        const sibling = this.#product(row % 8 < 4 ? row + 4 : row - 4);
        const faulty = this.#fault(kind, product, sibling, new RowRandom(this.#seed + 77, row));
        if (faulty === undefined) continue;
        for (const each of [product, sibling]) if (each.isKnown) this.#learn(each);
        row += 9;
        return { kind, ...faulty };
      }
    });
  }

  /** One leaf in ten was moved (with its name), or got a new name: the retired node has the old one. */
  #retire({ nodes, departments }: TaxonomyTree): TaxonomyEntry[] {
    return nodes.flatMap((leaf, index) => {
      const random = new RowRandom(this.#seed + 5, index);
      if (!leaf.isLeaf || random.below(10) > 0) return [];
      const id = RETIRED_FROM + index;
      this.#retired.set(leaf.id, id);
      const name = random.below(10) < 6 ? leaf.name : random.pick(this.#thingsOf(leaf));
      return nodeEntry({ node: id, parent: random.pick(departments).id, name, active: false });
    });
  }

  #thingsOf({ id, name }: TaxonomyNode): readonly string[] {
    return this.#things.get(id) ?? [name];
  }

  #learn({ document, title, leaf }: Product): void {
    const { brand } = document;
    for (const code of catalogCodes(document)) {
      this.catalog.set(code, { code, brand, title, categoryId: leaf.id, origin: 'offer' });
    }
  }

  /** Rows that differ by 4 in a block of 8 are one product in two colors. */
  #product(row: number): Product {
    const family = row - (row % 8) + (row % 4);
    const random = new RowRandom(this.#seed, family);
    const leaf = random.pick(this.#leaves);
    const brand = random.below(3) === 0 ? random.pick(BRANDS) : nameOf(random, 3);
    const line = nameOf(new RowRandom(Number(leaf.id) % 1_000_003, random.below(4)), 2);
    const attributes = this.#attributes(leaf, random);
    const said = attributes.filter(() => random.below(10) < 6).map((sent) => saidOf(sent, random));
    const thing = random.below(7) === 0 ? '' : random.pick(this.#thingsOf(leaf));
    const model = random.below(3) === 0 ? String(random.between(10, 990)) : '';
    const phrase = random.below(3) === 0 ? random.pick(PHRASES) : '';
    const own = new RowRandom(this.#seed + 13, row);
    const color = COLORS[(family + (row % 8 < 4 ? 0 : 1)) % COLORS.length]?.name ?? '';
    const words = [line, model, random.pick(TRAITS), thing, phrase].filter((word) => word !== '').join(' ');
    const title = [`${brand} ${words}`, ...said, color].join(', ');
    const { type, code } = productCode(this.#seed % 1000, row);
    const document: ReviewedDocument = {
      product_title: own.below(10) < 7 ? title : [`${words} by ${brand}`, ...said.reverse(), color].join(' - '),
      brand,
      multipack_quantity: 1,
      main_image_url: 'https://img.example/1.jpg',
      standard_product_codes: [{ standard_product_code_type: type, standard_product_code: code }],
      marketplace_browse_node_id: leaf.id,
      manufacturer: brand,
      mfr_part_number: `P-${row}`,
      bullets: [own.pick(PHRASES), ...attributes.filter(() => own.below(3) === 0).map((sent) => saidOf(sent, own))],
      ...(attributes.length === 0 ? {} : { attributes_node_specific: attributes }),
    };
    return { row, leaf, title, document, isKnown: own.below(5) > 0 };
  }

  #attributes(leaf: TaxonomyNode, random: RowRandom): UploadedAttribute[] {
    const all = this.tree.attributes(leaf.id);
    const optional = all.filter(({ required }) => !required);
    const chosen = [...all.filter(({ required }) => required), ...random.some(optional, Math.min(3, optional.length))];
    return [...new Set(chosen)].map(({ attribute }) => valueFor(attribute, random));
  }

  /** Returns undefined if the offer cannot have the fault. */
  #fault(kind: FaultKind, product: Product, other: Product, random: RowRandom): Omit<FaultyOffer, 'kind'> | undefined {
    const good = product.document;
    const [sent] = good.standard_product_codes ?? [];
    const code = sent?.standard_product_code ?? '';
    const type = sent?.standard_product_code_type ?? 'UPC';
    const withCode = (standard_product_code: string, standard_product_code_type = type) =>
      changed(good, { standard_product_codes: [{ standard_product_code_type, standard_product_code }] });
    switch (kind) {
      case 'digit_mistyped': {
        const at = random.below(code.length);
        return withCode(code.slice(0, at) + ((Number(code[at]) + random.between(1, 9)) % 10) + code.slice(at + 1));
      }
      case 'digits_swapped': {
        const at = random.below(code.length - 1);
        const [one = '', two = ''] = code.slice(at, at + 2);
        // Digits that differ by 5 keep the check digit right, so that the review finds nothing.
        if (one === two || Math.abs(Number(one) - Number(two)) === 5) return undefined;
        return withCode(code.slice(0, at) + two + one + code.slice(at + 2));
      }
      case 'ean_cut_to_upc':
        return type === 'EAN' ? withCode(code.slice(0, 12), 'UPC') : undefined;
      case 'code_of_other_color':
        return product.isKnown && other.isKnown
          ? changed(good, {
              standard_product_codes: [
                ...(other.document.standard_product_codes ?? []),
                ...(good.standard_product_codes ?? []),
              ],
            })
          : undefined;
      case 'pack_not_counted':
      case 'pieces_counted': {
        const packs = random.pick([2, 3, 4, 6, 8, 10, 12, 24]);
        const pieces = kind === 'pieces_counted' ? random.pick([5, 10, 20, 50]) : 1;
        const says = random.pick([
          `Pack of ${packs}`,
          `${packs}-Pack`,
          `${packs} pk`,
          `(Case of ${packs})`,
          `Pack of ${packs}`,
          `Set of ${packs} packs`,
        ]);
        const product_title = `${good.product_title}, ${pieces === 1 ? '' : `${pieces} ct, `}${says}`;
        return changed(
          { ...good, product_title, multipack_quantity: packs },
          { multipack_quantity: pieces === 1 ? 1 : packs * pieces },
        );
      }
      case 'category_retired': {
        const node = this.#retired.get(product.leaf.id);
        return node === undefined ? undefined : changed(good, { marketplace_browse_node_id: node });
      }
      case 'category_split':
      case 'category_too_broad': {
        const parent = product.leaf.parentId === null ? undefined : this.tree.node(product.leaf.parentId);
        const department = parent?.parentId == null ? undefined : this.tree.node(parent.parentId);
        const node = kind === 'category_split' ? parent : department;
        return node && changed(good, { marketplace_browse_node_id: node.id });
      }
      case 'category_missing': {
        const thing = random.pick(this.#thingsOf(product.leaf));
        const parent = this.tree.path(product.leaf.id).at(-2) ?? 'Shop';
        const path =
          random.below(10) < 6 ? { category_path: `${random.pick([parent, 'All products', 'Shop'])} > ${thing}` } : {};
        const keyword =
          random.below(10) < 3 ? { external_item_type_keyword: thing.toLowerCase().replaceAll(' ', '-') } : {};
        const { marketplace_browse_node_id: _gone, ...document } = { ...good, ...path, ...keyword };
        return product.isKnown ? undefined : { good: { ...good, ...path, ...keyword }, document };
      }
      case 'brand_mistyped': {
        const at = random.between(1, good.brand.length - 2);
        const brand = random.pick([
          good.brand.slice(0, at) + good.brand.slice(at + 1),
          good.brand.slice(0, at) + good.brand.charAt(at) + good.brand.slice(at),
          `${good.brand} Inc`,
        ]);
        return product.isKnown ? changed(good, { brand }) : undefined;
      }
      case 'price_missing':
        return { good, document: good };
      default:
        return this.#attributeFault(kind, product, random);
    }
  }

  #attributeFault(kind: FaultKind, { document: good, leaf }: Product, random: RowRandom) {
    const rules = this.tree.attributes(leaf.id);
    const sent = good.attributes_node_specific ?? [];
    const title = good.product_title.toLowerCase();
    for (const one of sent) {
      const rule = rules.find(({ attribute }) => attribute.id === one.attribute_id);
      if (rule === undefined) continue;
      const { attribute, required } = rule;
      const { attribute_value_unit: unit, ...unitless } = one;
      const { attribute_value: value } = one;
      const put = (other: UploadedAttribute | undefined) => {
        const attributes = sent.flatMap((each) => (each === one ? (other ?? []) : each));
        const { attributes_node_specific: _all, ...rest } = good;
        return { good, document: attributes.length === 0 ? rest : { ...rest, attributes_node_specific: attributes } };
      };
      if (kind === 'unit_missing' && unit !== undefined) return put(unitless);
      if (kind === 'unit_in_value' && unit !== undefined)
        return put({ ...unitless, attribute_value: `${value} ${unit}` });
      const unitWord = random.pick(UNIT_WORDS[unit ?? ''] ?? []);
      if (kind === 'unit_spelled_out' && unitWord) return put({ ...one, attribute_value_unit: unitWord });
      if (kind === 'decimal_comma' && unit !== undefined && value.includes('.')) {
        return put({ ...one, attribute_value: value.replace('.', ',') });
      }
      const isListed = attribute.values.length > 0 && value.length > 3;
      if (kind === 'value_other_spelling' && isListed) {
        const other = random.pick([
          value.replaceAll(' ', '-'),
          `${value}s`,
          value.replaceAll(/[ -]/g, ''),
          `${value}.`,
          value.replace('Gray', 'Grey'),
          `${value} (${attribute.description})`,
        ]);
        if (other.toLowerCase() !== value.toLowerCase() && !attribute.values.includes(other))
          return put({ ...one, attribute_value: other });
      }
      if (kind === 'value_mistyped' && isListed) {
        const at = random.between(1, value.length - 2);
        const other = random.pick([
          value.slice(0, at) + value.slice(at + 1),
          value.slice(0, at) + value.charAt(at + 1) + value.charAt(at) + value.slice(at + 2),
        ]);
        if (other !== value) return put({ ...one, attribute_value: other });
      }
      const isSaid = required && title.includes(value.toLowerCase());
      if (kind === 'value_only_in_title' && isSaid && attribute.values.length > 0) return put(undefined);
      if (kind === 'number_only_in_title' && isSaid && attribute.dataType !== 'text') return put(undefined);
    }
    return undefined;
  }
}

function changed(good: ReviewedDocument, change: Partial<ReviewedDocument>) {
  return { good, document: { ...good, ...change } };
}

function treeOf(entries: readonly TaxonomyEntry[]): TaxonomyTree {
  const builder = new TaxonomyBuilder();
  for (const entry of entries) builder.add(entry);
  return builder.build();
}

/** What merchants call the products of a category: the parts of its name in the singular, and its longer everyday words. */
function thingsByNode(entries: readonly TaxonomyEntry[]): ReadonlyMap<Int64, readonly string[]> {
  const nodes = entries.filter((entry) => entry.kind === 'node');
  return new Map(
    nodes.map(({ id, name, words }) => {
      const names = name.split(/ & |, /).map((part) => part.replace(/ies$/, 'y').replace(/(?<!s)s$/, ''));
      return [id, [...names, ...names, ...words.filter((word) => word.length > 4)]];
    }),
  );
}

function nameOf(random: RowRandom, syllables: number): string {
  const name = Array.from({ length: syllables }, () => random.pick(SYLLABLES)).join('');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function valueFor(
  { id, values, units, dataType, min, max, description }: AttributeEntry,
  random: RowRandom,
): UploadedAttribute {
  const listed = values.filter((value) => value !== 'Other' && value !== 'None');
  const from = Math.max(min ?? 0, 1);
  const number = random.between(
    from,
    Math.min(max ?? 100, from + 90),
    dataType === 'number' && random.below(3) === 0 ? 1 : 0,
  );
  const text = dataType === 'text' ? `${nameOf(random, 2)} ${description}` : String(number);
  return {
    attribute_id: id,
    attribute_value: listed.length > 0 ? random.pick(listed) : text,
    ...(units.length === 0 ? {} : { attribute_value_unit: random.pick(units) }),
  };
}

/** How a title mentions a value. */
function saidOf({ attribute_value: value, attribute_value_unit: unit }: UploadedAttribute, random: RowRandom): string {
  if (unit === undefined) return random.below(4) === 0 ? value.toLowerCase() : value;
  return `${value}${random.pick([' ', '', '-'])}${random.pick([unit, unit, ...(UNIT_WORDS[unit] ?? [])])}`;
}
