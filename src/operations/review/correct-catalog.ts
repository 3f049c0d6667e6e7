/** Use cases: an operator reads a catalog product and corrects it. Offers that depend on it are re-reviewed. */
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, type Refused, refuseOutdated, refuseRequest } from '../../domain/outcome.ts';
import { isMet, type Precondition } from '../../domain/precondition.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { CatalogStore } from '../../store/port/catalog.ts';
import { productTag } from '../../store/port/part-tags.ts';
import { commandGate } from './rule-change.ts';

export interface CatalogCorrections {
  readonly store: Pick<CatalogStore, 'readProducts' | 'setProduct' | 'countCatalogUsers'>;
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

/** Corrects or adds a product. Absent fields do not change, and a new product needs brand and title. */
export async function correctProduct(
  { store, checks }: CatalogCorrections,
  body: SentBody,
  gate = commandGate(),
  precondition: Precondition = {},
): Promise<Outcome<Correction>> {
  const checked = checks.catalogProduct(body);
  if (!checked.ok) return checked;
  const { value, ignored } = checked;
  const { environment, code, ...given } = value;
  const [known] = await store.readProducts(environment, [code]);
  const currentTag = known === undefined ? null : productTag(known);
  // Checked before the estimate, which takes longer, and for previews, which store nothing.
  if (!isMet(precondition, currentTag)) return refuseChanged(code, currentTag, ignored);
  const { brand = known?.brand, title = known?.title, category: categoryId = known?.categoryId ?? null } = given;
  if (brand === undefined || title === undefined) {
    const text = `The ${environment} catalog has no product ${code}. Send its brand and title to add it.`;
    return refuseRequest('product_unknown', text, ignored);
  }
  const product: KnownProduct = { code, brand, title, categoryId, origin: 'operator' };
  const proposal = { kind: 'product', environment, code, product } as const;
  const passed = await gate.pass('putProduct', `${code} (${environment})`, proposal);
  if (!passed.ok) return { ...passed, ignored };
  const stored =
    passed.value === 'preview' || (await store.setProduct(environment, product, passed.value, precondition));
  if (typeof stored === 'object') return refuseChanged(code, stored.currentTag, ignored);
  return accept({ product, offers: await store.countCatalogUsers(environment, code) }, ignored);
}

function refuseChanged(code: CatalogCode, currentTag: string | null, ignored: readonly string[]): Refused {
  const text = `The product ${code} has changed since you read it. Nothing was changed; read it again.`;
  return refuseOutdated(text, currentTag, ignored);
}
