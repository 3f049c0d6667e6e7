/** Use cases: an operator reads a catalog product and corrects it. Offers that depend on it are re-reviewed. */
import type { Environment } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, type Refused, refuse, refuseOutdated } from '../../domain/outcome.ts';
import { isMet, type Precondition } from '../../domain/precondition.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { CatalogProduct, KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { CatalogStore } from '../../store/port/catalog.ts';
import { productTag } from '../../store/port/part-tags.ts';
import { commandGate } from './rule-change.ts';

type Catalog = Pick<CatalogStore, 'readProducts' | 'setProduct' | 'countCatalogUsers'>;

export interface CatalogCorrections {
  readonly store: Catalog;
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
  return refuse([requestProblem('product_unknown', `The ${environment} catalog has no product ${code}.`)]);
}

export interface Correction {
  readonly product: KnownProduct;
  /** Offers that will be re-reviewed, by a running server or after the next start. */
  readonly offers: number;
}

export async function correctProduct(
  { store, checks }: CatalogCorrections,
  body: SentBody,
  gate = commandGate(),
  precondition?: Precondition,
): Promise<Outcome<Correction>> {
  const checked = checks.catalogProduct(body);
  if (!checked.ok) return checked;
  const { environment, code, category, ...given } = checked.value;
  const product = category === undefined ? given : { ...given, categoryId: category };
  return { ...(await setProduct(store, environment, code, product, gate, precondition)), ignored: checked.ignored };
}

/** Corrects or adds a product. Absent fields do not change, and a new product needs brand and title. */
export async function setProduct(
  catalog: Catalog,
  environment: Environment,
  code: CatalogCode,
  given: Partial<Pick<CatalogProduct, 'brand' | 'title' | 'categoryId'>>,
  gate = commandGate(),
  precondition: Precondition = {},
): Promise<Outcome<Correction>> {
  const [known] = await catalog.readProducts(environment, [code]);
  const currentTag = known === undefined ? null : productTag(known);
  // Checked before the estimate, which takes longer, and for previews, which store nothing.
  if (!isMet(precondition, currentTag)) return refuseChanged(code, currentTag);
  const { brand = known?.brand, title = known?.title, categoryId = known?.categoryId ?? null } = given;
  if (brand === undefined || title === undefined) {
    const text = `The ${environment} catalog has no product ${code}. Send its brand and title to add it.`;
    return refuse([requestProblem('product_unknown', text)]);
  }
  const product: KnownProduct = { code, brand, title, categoryId, origin: 'operator' };
  const passed = await gate.pass('putProduct', `${code} (${environment})`, {
    kind: 'product',
    environment,
    code,
    product,
  });
  if (!passed.ok) return passed;
  const stored =
    passed.value === 'preview' || (await catalog.setProduct(environment, product, passed.value, precondition));
  if (typeof stored === 'object') return refuseChanged(code, stored.currentTag);
  return accept({ product, offers: await catalog.countCatalogUsers(environment, code) });
}

function refuseChanged(code: CatalogCode, currentTag: string | null): Refused {
  const text = `The product ${code} has changed since you read it. Nothing was changed; read it again.`;
  return refuseOutdated(text, currentTag);
}
