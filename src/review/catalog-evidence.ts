/**
 * In charge of what the catalog says of the items of some offers, in few calls for all of them, and of the products that
 * these offers bring into it.
 */
import type { Environment } from '../domain/account.ts';
import {
  type CatalogEvidence,
  type CatalogProduct,
  foreignProducts,
  type KnownProduct,
  productOf,
} from '../domain/review/catalog.ts';
import { categoryOf } from '../domain/review/category.ts';
import type { Evidence, OfferFacts } from '../domain/review/facts.ts';
import { type CatalogCode, catalogCodes } from '../domain/review/product-code.ts';
import type { Taxonomy } from '../domain/taxonomy.ts';
import type { CatalogStore, CatalogUser } from '../store/port/catalog.ts';

export interface LookedUpOffer {
  readonly skuId: string;
  readonly facts: OfferFacts;
  /** What was found before. */
  readonly evidence: Evidence;
}

type Catalog = Pick<CatalogStore, 'readProducts' | 'addProducts' | 'noteCatalogUsers' | 'settleCatalogNews'>;

const NONE: CatalogEvidence = Object.freeze({ codes: [], products: [] });

/** In the order of the offers. */
export async function lookUpCatalog(
  store: Catalog,
  place: { readonly accountId: number; readonly environment: Environment; readonly taxonomy: Taxonomy },
  offers: readonly LookedUpOffer[],
): Promise<readonly CatalogEvidence[]> {
  const { accountId, environment, taxonomy } = place;
  const codesOf = offers.map(({ facts }) => catalogCodes(facts.document));
  const codes = [...new Set(codesOf.flat())];
  if (codes.length === 0) return offers.map(() => NONE);

  // Before the products are read: an operator who corrects one afterwards finds the offer among those to review again.
  const users = offers.flatMap(({ skuId, evidence }, index) =>
    (codesOf[index] ?? [])
      .filter((code) => evidence.catalog?.codes.includes(code) !== true)
      .map((code) => ({ accountId, skuId, code })),
  );
  if (users.length > 0) await store.noteCatalogUsers(environment, users);

  const known = new Map<CatalogCode, KnownProduct>();
  for (const product of await store.readProducts(environment, codes)) known.set(product.code, product);
  const brought = [...ownProducts(offers, codesOf, known, taxonomy), ...newProducts(offers, codesOf, known, taxonomy)];
  if (brought.length > 0) {
    for (const product of await store.addProducts(environment, brought)) known.set(product.code, product);
    // Others may have found nothing under a code before: they are told, see tell-catalog-users.ts.
    const taken = brought.filter((product) => isTaken(product, known.get(product.code)));
    if (taken.length > 0) await store.settleCatalogNews(environment, [...new Set(taken.map(({ code }) => code))]);
  }
  return codesOf.map((own) => ({ codes: own, products: own.flatMap((code) => known.get(code) ?? []) }));
}

/**
 * Whether the store may have taken what an offer brought, by what stands there now. Where it has not, what another offer
 * brought stands there: that is no news, and it may be known to many.
 */
function isTaken({ brand }: KnownProduct, stands: KnownProduct | undefined): boolean {
  return stands?.origin === 'operator' || stands?.brand === brand;
}

/** Codes that the offers were reviewed by before and are not now; `found` is in the order of the offers. */
export function outdatedUsers(
  accountId: number,
  offers: readonly LookedUpOffer[],
  found: readonly CatalogEvidence[],
): readonly CatalogUser[] {
  return offers.flatMap(({ skuId, evidence }, index) =>
    (evidence.catalog?.codes ?? [])
      .filter((code) => found[index]?.codes.includes(code) === false)
      .map((code) => ({ accountId, skuId, code })),
  );
}

/** Of several offers of a code the first brings the product, as it would have if they had come one by one. */
function newProducts(
  offers: readonly LookedUpOffer[],
  codesOf: readonly (readonly CatalogCode[])[],
  known: ReadonlyMap<CatalogCode, KnownProduct>,
  taxonomy: Taxonomy,
): readonly KnownProduct[] {
  const brought = new Map<CatalogCode, KnownProduct>();
  for (const [place, { facts }] of offers.entries()) {
    const codes = codesOf[place] ?? [];
    const isKnown = (code: CatalogCode) => known.get(code) ?? brought.get(code);
    if (codes.every(isKnown)) continue;
    // Whoever has the brand of one of the codes wrong may have mistaken the others, too.
    if (
      foreignProducts(
        facts.document.brand,
        codes.flatMap((code) => isKnown(code) ?? []),
      ).length > 0
    )
      continue;
    const product = productBy(facts, taxonomy);
    if (product === undefined) continue;
    for (const code of codes) if (isKnown(code) === undefined) brought.set(code, { ...product, code });
  }
  return [...brought.values()];
}

/**
 * What offers bring under codes that an offer has brought under another brand. The store takes it where no other offer is
 * reviewed by the code: a merchant who corrects its brand has only its own earlier upload against it.
 */
function ownProducts(
  offers: readonly LookedUpOffer[],
  codesOf: readonly (readonly CatalogCode[])[],
  known: ReadonlyMap<CatalogCode, KnownProduct>,
  taxonomy: Taxonomy,
): readonly KnownProduct[] {
  return offers.flatMap(({ facts }, place) => {
    const products = (codesOf[place] ?? []).flatMap((code) => known.get(code) ?? []);
    const foreign = foreignProducts(facts.document.brand, products).filter(({ origin }) => origin === 'offer');
    const own = foreign.length === 0 ? undefined : productBy(facts, taxonomy);
    return own === undefined ? [] : foreign.map(({ code }) => ({ ...own, code }));
  });
}

/** The product that the offer can bring; none of one that nobody sees. */
function productBy({ document, archived }: OfferFacts, taxonomy: Taxonomy): CatalogProduct | undefined {
  const category = archived ? 'none' : categoryOf(document, [], taxonomy);
  // Without a category it would be no help to those who name none, and would keep the first that has one from being it.
  return typeof category === 'object' && category.isValid ? productOf(document, category.id) : undefined;
}
