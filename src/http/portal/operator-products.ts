/** GET /{environment}/products, /{environment}/products/{product_code}: the products of the storefront; for operators. */
import { Type } from '../../domain/check/type.ts';
import { listProducts, readProduct } from '../../operations/storefront/read-products.ts';
import { type Answer, endpointsOf } from '../endpoint.ts';
import { PRODUCTS_QUERY, productsCursor, readProductsQuery } from '../endpoints/storefront.ts';
import { ProductAnswer, ProductsAnswer } from '../endpoints/storefront-schemas.ts';
import { readQuery } from '../query.ts';
import { OrNull } from './answer-schemas.ts';

const shared = { access: 'person', roles: ['operator'], tag: 'Catalog' } as const;
const { q, limit, cursor } = PRODUCTS_QUERY;

export const operatorProductsEndpoints = endpointsOf(shared, {
  'GET /{environment}/products': {
    id: 'listProducts',
    summary: 'List products that have live offers in stock, with their best offers',
    description:
      'Needs the storefront (`STOREFRONT=on`). A page may have fewer products than `limit`, and still a next page.',
    query: { q, limit, cursor },
    answer: Type.Object({
      products: ProductsAnswer.properties.products,
      next: OrNull(Type.String(), 'Value for `cursor`; null on the last page.'),
    }),
    async handle({ services, environment, query }): Promise<Answer> {
      const asked = readQuery(query, (reading) => readProductsQuery(reading, services.context.nowMs()));
      if ('problems' in asked) return asked;
      const outcome = await listProducts(services.storefront, environment, asked);
      if (!outcome.ok) return outcome;
      const { products, next } = outcome.value;
      const cursorText = next === undefined ? null : productsCursor(asked, next);
      return { status: 200, json: `{"products":[${products.join()}],"next":${JSON.stringify(cursorText)}}` };
    },
  },
  'GET /{environment}/products/{product_code}': {
    id: 'getRankedProduct',
    summary: 'Read a product with all its offers, ranked, and why each has its rank',
    description: 'Needs the storefront (`STOREFRONT=on`).',
    answer: ProductAnswer,
    failures: [404],
    async handle({ services, environment, targetId }): Promise<Answer> {
      const outcome = await readProduct(services.storefront, environment, targetId);
      return outcome.ok ? { status: 200, json: outcome.value.json() } : outcome;
    },
  },
});
