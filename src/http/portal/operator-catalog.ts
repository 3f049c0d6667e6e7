/** GET and PUT /catalog: reads and corrects a catalog product; for operators. GET /{env}/catalog: finds a product; for merchants. */
import type { Environment } from '../../domain/account.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import { CatalogProductBody } from '../../domain/setup/catalog-product.ts';
import { correctProduct, showProduct } from '../../operations/review/correct-catalog.ts';
import { type MergedProduct, previewMerge } from '../../operations/storefront/read-products.ts';
import { productTag } from '../../store/port/part-tags.ts';
import { foundAnswer, NOT_KEPT } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { readQuery } from '../query.ts';
import type { Services } from '../services.ts';
import { Count, OrNull } from './answer-schemas.ts';
import { CategoryAnswer, categoryJson } from './operator-policies.ts';
import { CHANGE, isPreview, NoImpact, ruleChangeAnswer } from './rule-change-call.ts';

const ORIGINS = ['offer', 'operator'] as const;

const productFields = {
  code: Type.String({ description: '`gtin:` and 14 digits, or `asin:` and the ASIN.' }),
  brand: Type.String({ description: 'Brand of the product.' }),
  title: Type.String({ description: 'Title of the product.' }),
  category: OrNull(CategoryAnswer, 'For offers without a category.'),
  origin: OneOf(ORIGINS, { description: 'Whether an offer or an operator last changed the product.' }),
  same_as: OrNull(Type.String(), 'The product that this one was merged into, whose data this is. Null if it was not.'),
};

const MergeAnswer = Type.Object(
  {
    codes: Type.Array(Type.String(), { description: 'Codes of the product.' }),
    offers: Count('Live offers in stock.'),
    best_offers: Type.Array(
      Type.Object({
        product_code: Type.String({ description: 'The product that the offer has now.' }),
        merchant_name: Type.String({ description: 'Name of the merchant.' }),
        multipack_quantity: Type.Integer({ description: 'Number of items in the offer.' }),
        total: Type.Number({ description: 'Price with shipping.' }),
      }),
      { description: 'The best offer of each multipack quantity.' },
    ),
  },
  { description: 'The product as the storefront will show it.' },
);

const ProductAnswer = Type.Object({
  ...productFields,
  merged: Type.Array(Type.String(), { description: 'Codes of the products that were merged into this one.' }),
});
const CorrectedAnswer = Type.Object({
  ...productFields,
  offers: Count('Offers that will be re-reviewed.'),
  impact: NoImpact,
  merge: OrNull(
    MergeAnswer,
    'Only in a preview. Null if `same_as` is not sent, or the storefront shows neither product.',
  ),
});

const CorrectionBody = Type.Object({
  ...CatalogProductBody.properties,
  category: Type.Optional(OrNull(CatalogProductBody.properties.category)),
  same_as: Type.Optional(OrNull(CatalogProductBody.properties.same_as)),
});

const FoundAnswer = Type.Object({
  product: OrNull(
    Type.Object({ brand: productFields.brand, title: productFields.title, category: productFields.category }),
    'Null if no offer had this code yet.',
  ),
});

export const catalogEndpoints = endpointsOf({ access: 'account', tag: 'Catalog' } as const, {
  'GET /catalog': {
    id: 'findProduct',
    summary: 'Find the catalog product with a product code',
    description: 'Returns the data that an offer with this code should have.',
    query: {
      code: {
        description: 'Product code, as printed on the product.',
        schema: CatalogProductBody.properties.code,
        required: true,
      },
    },
    answer: FoundAnswer,
    async handle({ services, account, query }) {
      const fields = readQuery(query, (reading) => ({ code: reading.text('code') }));
      if ('problems' in fields) return fields;
      const { environment } = account;
      const found = await showProduct(services.catalog, readBodyValue({ environment, code: fields.code }));
      if (!found.ok && found.problems.some(({ code }) => code !== 'product_unknown')) return found;
      // Browsers log every 404 as an error, and most new codes are unknown.
      const answer: Static<typeof FoundAnswer> = { product: found.ok ? sharedJson(found.value, services) : null };
      return { status: 200, json: stringifyExactJson(answer), headers: NOT_KEPT };
    },
  },
});

const shared = { access: 'person', roles: ['operator'], tag: 'Catalog' } as const;

export const operatorCatalogEndpoints = endpointsOf(shared, {
  'GET /catalog': {
    id: 'getProduct',
    summary: 'Read the catalog product with a product code',
    description: 'Returns the data with which the review compares offers that have this code.',
    query: {
      environment: {
        description: 'Environment of the catalog.',
        schema: CatalogProductBody.properties.environment,
        required: true,
      },
      code: {
        description: 'Product code, as printed on the product.',
        schema: CatalogProductBody.properties.code,
        required: true,
      },
    },
    answer: ProductAnswer,
    failures: [404],
    versioned: true,
    async handle({ services, query }) {
      const fields = readQuery(query, (reading) => {
        return { environment: reading.text('environment'), code: reading.text('code') };
      });
      if ('problems' in fields) return fields;
      const found = await showProduct(services.catalog, readBodyValue(fields));
      const merged = found.ok
        ? await services.catalog.store.listMergedProducts(fields.environment as Environment, found.value.code)
        : [];
      const json = (product: KnownProduct) => stringifyExactJson({ ...productJson(product, services), merged });
      return foundAnswer(found, json, productTag);
    },
  },
  'PUT /catalog': {
    id: 'putProduct',
    summary: 'Correct the catalog product with a product code, add it with brand and title, or merge it into another',
    description:
      'Offers of this product are reviewed again. `same_as` merges it into the product with another code: the storefront shows the offers of both as one product.',
    requestBody: CorrectionBody,
    answer: CorrectedAnswer,
    failures: [404],
    versioned: true,
    ...CHANGE,
    handle(call) {
      const { services, body, precondition } = call;
      return ruleChangeAnswer(
        call,
        async (gate) => {
          const corrected = await correctProduct(services.catalog, body, gate, precondition);
          if (!corrected.ok) return corrected;
          const { code, sameAs } = corrected.value.product;
          const { environment } = body.value as { environment: Environment };
          // A stored merge needs no preview, which could fail after the change was made.
          const isMerge = sameAs !== undefined && isPreview(call.query);
          const merge = isMerge && (await previewMerge(services.storefront, environment, [sameAs, code]));
          return { ...corrected, value: { ...corrected.value, merge: merge || null } };
        },
        ({ product, offers, merge }) => ({
          ...productJson(product, services),
          offers,
          merge: merge && mergeJson(merge),
        }),
      );
    },
  },
});

function sharedJson(product: KnownProduct, services: Services): Static<typeof FoundAnswer>['product'] {
  const { brand, title, category } = productJson(product, services);
  return { brand, title, category };
}

function productJson(product: KnownProduct, services: Services): Omit<Static<typeof ProductAnswer>, 'merged'> {
  const { code, brand, title, categoryId, origin, sameAs } = product;
  const category = categoryId === null ? null : categoryJson(categoryId, services);
  return { code, brand, title, category, origin, same_as: sameAs ?? null };
}

function mergeJson({ codes, offers, best }: MergedProduct): Static<typeof MergeAnswer> {
  const best_offers = best.map(({ code, offer: { merchant_name, multipack_quantity, total } }) => {
    return { product_code: code, merchant_name, multipack_quantity, total };
  });
  return { codes: [...codes], offers, best_offers };
}
