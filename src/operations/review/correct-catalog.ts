/** Use cases: an operator looks at a product of the catalog, and corrects it; offers that depend on it are judged again. */
import type { Environment } from '../../domain/account.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { CatalogProduct, KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { CatalogDesk } from '../../store/review-port.ts';

export async function showProduct(
  desk: Pick<CatalogDesk, 'readProducts'>,
  environment: Environment,
  code: CatalogCode,
): Promise<Outcome<KnownProduct>> {
  const [product] = await desk.readProducts(environment, [code]);
  if (product !== undefined) return accept(product);
  return refuse([requestProblem('product_unknown', `The catalog of ${environment} does not know ${code}.`)]);
}

export interface Correction {
  readonly product: KnownProduct;
  /** Offers that are judged again, by a server that runs or the next one that is started. */
  readonly offers: number;
}

/** What is not given stays as it is; a product that is new needs brand and title. */
export async function setProduct(
  desk: CatalogDesk,
  environment: Environment,
  code: CatalogCode,
  given: Partial<Pick<CatalogProduct, 'brand' | 'title' | 'categoryId'>>,
): Promise<Outcome<Correction>> {
  const [known] = await desk.readProducts(environment, [code]);
  const { brand = known?.brand, title = known?.title, categoryId = known?.categoryId ?? null } = given;
  if (brand === undefined || title === undefined) {
    const text = `The catalog of ${environment} does not know ${code}: give its brand and title to add it.`;
    return refuse([requestProblem('product_unknown', text)]);
  }
  const product: KnownProduct = { code, brand, title, categoryId, origin: 'operator' };
  await desk.setProduct(environment, product);
  return accept({ product, offers: await desk.countCatalogUsers(environment, code) });
}
