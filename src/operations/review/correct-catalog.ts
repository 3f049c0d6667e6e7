/** Use cases: an operator reads a catalog product and corrects it. Offers that depend on it are re-reviewed. */
import type { Environment } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, type Refused, refuseOutdated, refuseRequest } from '../../domain/outcome.ts';
import { isMet, type Precondition } from '../../domain/precondition.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { CatalogProductUpload } from '../../domain/setup/catalog-product.ts';
import type { CatalogStore } from '../../store/port/catalog.ts';
import { productTag } from '../../store/port/part-tags.ts';
import { type ChangeGate, commandGate } from './rule-change.ts';

export interface CatalogCorrections {
  readonly store: Pick<CatalogStore, 'readProducts' | 'listMergedProducts' | 'setProduct' | 'countCatalogUsers'>;
  readonly checks: Pick<SetupChecks, 'catalogProduct'>;
}

/** `asked` has the environment and the code. */
export async function showProduct(
  { store, checks }: CatalogCorrections,
  asked: SentBody,
): Promise<Outcome<KnownProduct>> {
  const checked = checks.catalogProduct(asked);
  if (!checked.ok) return checked;
  const { environment, code } = checked.value;
  const [product] = await store.readProducts(environment, [code]);
  if (product !== undefined) return accept(product);
  return refuseRequest('product_unknown', `The ${environment} catalog has no product ${code}.`);
}

export interface Correction {
  readonly product: KnownProduct;
  /** Offers that will be re-reviewed, by a running server or after the next start. */
  readonly offers: number;
}

/** A correction without a precondition is derived again if the product changes meanwhile, so that no other change is lost. */
const TRIES_MAX = 5;

/** Corrects, adds, merges or separates a product. Absent fields do not change, and a new product needs brand and title. */
export async function correctProduct(
  catalog: CatalogCorrections,
  body: SentBody,
  gate = commandGate(),
  precondition: Precondition = {},
): Promise<Outcome<Correction>> {
  const isOwn = precondition.ifMatch !== undefined || precondition.ifNoneMatch !== undefined;
  for (let tries = 1; ; tries++) {
    const corrected = await correctOnce(catalog, body, gate, precondition);
    const isChanged = !corrected.ok && corrected.currentTag !== undefined;
    if (isOwn || !isChanged || tries === TRIES_MAX) return corrected;
  }
}

async function correctOnce(
  { store, checks }: CatalogCorrections,
  body: SentBody,
  gate: ChangeGate,
  precondition: Precondition,
): Promise<Outcome<Correction>> {
  const checked = checks.catalogProduct(body);
  if (!checked.ok) return checked;
  const { value, ignored } = checked;
  const { environment, code, same_as: asked, ...given } = value;
  const [known] = await store.readProducts(environment, [code]);
  const currentTag = known === undefined ? null : productTag(known);
  // Checked before the estimate, which takes longer, and for previews, which store nothing.
  if (!isMet(precondition, currentTag)) return refuseChanged(code, currentTag, ignored);
  const sameAs = asked === undefined ? known?.sameAs : (asked ?? undefined);
  if (sameAs !== undefined && Object.values(given).length > 0) {
    const text = `${code} was merged into ${sameAs}. Correct that product, or separate them with same_as null.`;
    return refuseRequest('product_merged', text, ignored);
  }
  const [own] = known?.sameAs === undefined ? [known] : await store.readProducts(environment, [code], 'unmerged');
  const { brand = own?.brand, title = own?.title, category: categoryId = own?.categoryId ?? null } = given;
  if (brand === undefined || title === undefined) {
    const text = `The ${environment} catalog has no product ${code}. Send its brand and title to add it.`;
    return refuseRequest('product_unknown', text, ignored);
  }
  const product: KnownProduct = { code, brand, title, categoryId, origin: 'operator', ...(sameAs && { sameAs }) };
  const merged = await store.listMergedProducts(environment, code);
  const target = sameAs && (await mergeTarget(store, environment, sameAs, merged));
  if (target?.ok === false) return { ...target, ignored };
  const shown = target === undefined ? product : { ...product, ...target.value, code, origin: product.origin };
  const proposal = { kind: 'product', environment, codes: [code, ...merged], product: shown } as const;
  const passed = await gate.pass('putProduct', subjectOf(value, environment), proposal);
  if (!passed.ok) return { ...passed, ignored };
  const stored =
    passed.value === 'preview' ||
    (await store.setProduct(environment, product, passed.value, { ...asRead(currentTag), ...precondition }));
  if (stored === 'merge_refused') return refuseRequest('product_merged', TOO_MANY_MERGED, ignored);
  if (typeof stored === 'object') return refuseChanged(code, stored.currentTag, ignored);
  return accept({ product: shown, offers: await store.countCatalogUsers(environment, code) }, ignored);
}

/** The condition that the product is still as it was read. */
function asRead(tag: string | null): Precondition {
  return tag === null ? { ifNoneMatch: '*' } : { ifMatch: [tag] };
}

const TOO_MANY_MERGED = `Either product was merged meanwhile, or ${LIMITS.merged_products_max} products were merged into the other one, which is the maximum.`;

function subjectOf({ code, same_as: other }: CatalogProductUpload, environment: Environment): string {
  if (other === undefined) return `${code} (${environment})`;
  return `${code} (${environment}), ${other === null ? 'separated' : `merged into ${other}`}`;
}

/** Returns the product that another one can be merged into. `merged`: what was merged into the other one. */
async function mergeTarget(
  store: CatalogCorrections['store'],
  environment: Environment,
  code: CatalogCode,
  merged: readonly CatalogCode[],
): Promise<Outcome<KnownProduct>> {
  const [target] = await store.readProducts(environment, [code]);
  if (target === undefined)
    return refuseRequest('product_unknown', `The ${environment} catalog has no product ${code}.`);
  if (merged.length > 0) {
    const text = `${merged.join(', ')} was merged into this product. Separate it first, or merge the other way round.`;
    return refuseRequest('product_merged', text);
  }
  if (target.sameAs === undefined) return accept(target);
  return refuseRequest('product_merged', `${code} was merged into ${target.sameAs}. Merge into that product instead.`);
}

function refuseChanged(code: CatalogCode, currentTag: string | null, ignored: readonly string[]): Refused {
  const text = `The product ${code} has changed since you read it. Nothing was changed; read it again.`;
  return refuseOutdated(text, currentTag, ignored);
}
