/** Looks up the catalog products of a batch of offers in a few calls, and adds the products that these offers introduce. */
import type { Account } from '../domain/account.ts';
import {
  type CatalogEvidence,
  type CatalogProduct,
  foreignProducts,
  type KnownProduct,
  otherProducts,
  productOf,
} from '../domain/review/catalog.ts';
import { categoryOf, isCodeMissing } from '../domain/review/category.ts';
import { missingData } from '../domain/review/checks/product-data-check.ts';
import type { OfferFacts, ReviewedDocument, ReviewKnowledge } from '../domain/review/facts.ts';
import { type CatalogCode, catalogCodes } from '../domain/review/product-code.ts';
import type { Taxonomy } from '../domain/taxonomy/tree.ts';
import type { CatalogStore, CatalogUser } from '../store/port/catalog.ts';
import type { OfferInReview } from './offer-in-review.ts';

type Catalog = Pick<CatalogStore, 'readProducts' | 'addProducts' | 'noteCatalogUsers' | 'settleCatalogNews'>;

type Knowledge = Pick<ReviewKnowledge, 'taxonomy' | 'newProductData'>;

interface CodedOffer {
  readonly facts: OfferFacts;
  readonly codes: readonly CatalogCode[];
}

const NONE: CatalogEvidence = Object.freeze({ codes: [], products: [] });

/** Returns evidence in the order of the offers. */
export async function lookUpCatalog(
  store: Catalog,
  { accountId, environment }: Pick<Account, 'accountId' | 'environment'>,
  knowledge: Knowledge,
  offers: readonly OfferInReview[],
): Promise<readonly CatalogEvidence[]> {
  const codesOf = offers.map(({ facts }) => catalogCodes(facts.document));
  const codes = [...new Set(codesOf.flat())];
  if (codes.length === 0) return offers.map(() => NONE);

  // Registered before the products are read, so that a later correction by an operator re-reviews these offers.
  const users = offers.flatMap(({ skuId, evidence }, index) =>
    (codesOf[index] ?? [])
      .filter((code) => evidence.catalog?.codes.includes(code) !== true)
      .map((code) => ({ accountId, skuId, code })),
  );
  if (users.length > 0) await store.noteCatalogUsers(environment, users);

  const known = new Map<CatalogCode, KnownProduct>();
  for (const product of await store.readProducts(environment, codes)) known.set(product.code, product);
  const coded = offers.map(({ facts }, index) => ({ facts, codes: codesOf[index] ?? [] }));
  const introduce = async (introduced: readonly KnownProduct[]) => {
    if (introduced.length === 0) return;
    for (const product of await store.addProducts(environment, introduced)) known.set(product.code, product);
    // Re-review other offers that found nothing under the code before; see notify-catalog-users.ts.
    const accepted = introduced.filter((product) => isAccepted(product, known.get(product.code)));
    if (accepted.length > 0) await store.settleCatalogNews(environment, [...new Set(accepted.map(({ code }) => code))]);
  };
  await introduce([...ownProducts(coded, known, knowledge.taxonomy), ...newProducts(coded, known, knowledge)]);
  await introduce(joinedProducts(coded, known, 'first'));
  await introduce(joinedProducts(coded, known, 'last'));
  return codesOf.map((own) => ({ codes: own, products: own.flatMap((code) => known.get(code) ?? []) }));
}

/**
 * Whether the stored product may be the one that this offer introduced. If not, it came from another offer: nothing has
 * changed, and many offers may use it.
 */
function isAccepted({ brand, title }: KnownProduct, stored: KnownProduct | undefined): boolean {
  return stored?.origin === 'operator' || (stored?.brand === brand && stored.title === title);
}

/** Returns codes of the previous review that the offers no longer have. `found` is in the order of the offers. */
export function outdatedUsers(
  accountId: number,
  offers: readonly OfferInReview[],
  found: readonly CatalogEvidence[],
): readonly CatalogUser[] {
  return offers.flatMap(({ skuId, evidence }, index) =>
    (evidence.catalog?.codes ?? [])
      .filter((code) => found[index]?.codes.includes(code) === false)
      .map((code) => ({ accountId, skuId, code })),
  );
}

/** If several offers have a code, the first one introduces its product, as if they were reviewed one by one. */
function newProducts(
  offers: readonly CodedOffer[],
  known: ReadonlyMap<CatalogCode, KnownProduct>,
  knowledge: Knowledge,
): readonly KnownProduct[] {
  const introduced = new Map<CatalogCode, KnownProduct>();
  for (const { facts, codes } of offers) {
    const productAt = (code: CatalogCode) => known.get(code) ?? introduced.get(code);
    if (codes.every(productAt)) continue;
    // An offer with the wrong brand for one code, or codes of several products, introduces none: its other codes may be wrong too.
    const products = codes.flatMap((code) => productAt(code) ?? []);
    if (foreignProducts(facts.document.brand, products).length + otherProducts(products).length > 0) continue;
    if (products.length === 0 && isIncomplete(facts.document, codes, knowledge)) continue;
    const product = productBy(facts, knowledge.taxonomy);
    if (product === undefined) continue;
    // The other codes of a known product get its title, because codes with different titles are different products.
    const { title } = products[0] ?? product;
    for (const code of codes) if (productAt(code) === undefined) introduced.set(code, { ...product, title, code });
  }
  return [...introduced.values()];
}

/**
 * Returns new products for codes whose known product has another brand than the offer. The database accepts a new product if
 * no other offer uses the code, so a merchant can correct the brand of its own earlier upload.
 */
function ownProducts(
  offers: readonly CodedOffer[],
  known: ReadonlyMap<CatalogCode, KnownProduct>,
  taxonomy: Taxonomy,
): readonly KnownProduct[] {
  return offers.flatMap(({ facts, codes }) => {
    const products = codes.flatMap((code) => known.get(code) ?? []);
    const foreign = foreignProducts(facts.document.brand, products).filter(({ origin }) => origin === 'offer');
    const own = foreign.length === 0 ? undefined : productBy(facts, taxonomy);
    return own === undefined ? [] : foreign.map(({ code }) => ({ ...own, code }));
  });
}

/**
 * Returns the products of offers whose codes belong to several products: joined with the product of the first or the last code. The
 * database accepts one if no other offer uses its code, so a merchant can add a code to its own earlier upload.
 */
function joinedProducts(
  offers: readonly CodedOffer[],
  known: ReadonlyMap<CatalogCode, KnownProduct>,
  anchor: 'first' | 'last',
): readonly KnownProduct[] {
  return offers.flatMap(({ facts, codes }) => {
    if (codes.length < 2 || facts.archived) return [];
    const found = codes.flatMap((code) => known.get(code) ?? []).filter(({ origin }) => origin === 'offer');
    const products = anchor === 'first' ? found : found.reverse();
    if (foreignProducts(facts.document.brand, products).length > 0) return [];
    const { title } = products[0] ?? {};
    return title === undefined ? [] : otherProducts(products).map((product) => ({ ...product, title }));
  });
}

/** Whether the review asks for more codes or data before it accepts a new product. */
function isIncomplete(document: ReviewedDocument, codes: readonly CatalogCode[], knowledge: Knowledge): boolean {
  const category = categoryOf(document, [], knowledge.taxonomy);
  if (typeof category !== 'object') return false;
  return isCodeMissing(codes, category) || missingData(document, category, knowledge).length > 0;
}

/** Returns the product that the offer introduces; undefined for archived offers. */
function productBy({ document, archived }: OfferFacts, taxonomy: Taxonomy): CatalogProduct | undefined {
  const category = archived ? 'none' : categoryOf(document, [], taxonomy);
  // A product without a category does not help offers without one, and would block a later product with a category.
  return typeof category === 'object' && category.isValid ? productOf(document, category.id) : undefined;
}
