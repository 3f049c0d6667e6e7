/** GET and PUT /catalog: reads and corrects a catalog product; for operators. */
import { readBodyValue } from '../../domain/body-text.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import { CatalogProductBody } from '../../domain/setup/catalog-product.ts';
import { correctProduct, showProduct } from '../../operations/review/correct-catalog.ts';
import { productTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { QueryReading } from '../query.ts';
import type { Services } from '../services.ts';
import { Count, OrNull } from './answer-schemas.ts';
import { CategoryAnswer, categoryJson } from './category-json.ts';
import { CHANGE, NoImpact, ruleChangeAnswer } from './rule-change-call.ts';

const ORIGINS = ['offer', 'operator'] as const;

const productFields = {
  code: Type.String({ description: '`gtin:` and 14 digits, or `asin:` and the ASIN.' }),
  brand: Type.String(),
  title: Type.String(),
  category: OrNull(CategoryAnswer, 'For offers without a category.'),
  origin: OneOf(ORIGINS, { description: 'Whether an offer or an operator last changed the product.' }),
};

const ProductAnswer = Type.Object(productFields);
const CorrectedAnswer = Type.Object({
  ...productFields,
  offers: Count('Offers that will be re-reviewed.'),
  impact: NoImpact,
});

const CorrectionBody = Type.Object({
  ...CatalogProductBody.properties,
  category: Type.Optional(OrNull(CatalogProductBody.properties.category)),
});

const shared = { access: 'person', roles: ['operator'], path: '/catalog', tag: 'Catalog' } as const;

export const operatorCatalogEndpoints: readonly PersonEndpoint[] = [
  {
    ...shared,
    id: 'getProduct',
    method: 'GET',
    summary: 'Read the catalog product with a product code',
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
    failures: [400, 404],
    versioned: true,
    handle: productAnswer,
  },
  {
    ...shared,
    id: 'putProduct',
    method: 'PUT',
    summary: 'Correct the catalog product with a product code, or add it with brand and title',
    requestBody: CorrectionBody,
    answer: CorrectedAnswer,
    failures: [400, 404],
    versioned: true,
    ...CHANGE,
    handle: correctedAnswer,
  },
];

async function productAnswer({ services, query }: PersonCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const asked = readBodyValue({ environment: reading.text('environment'), code: reading.text('code') });
  if (reading.problems.length > 0) return { problems: reading.problems };
  const found = await showProduct(services.catalog, asked);
  return foundAnswer(found, (product) => stringifyExactJson(productJson(product, services)), productTag);
}

async function correctedAnswer(call: PersonCall): Promise<Answer> {
  const { services, body, precondition } = call;
  return ruleChangeAnswer(
    call,
    (gate) => correctProduct(services.catalog, body, gate, precondition),
    ({ product, offers }) => ({ ...productJson(product, services), offers }),
  );
}

function productJson(product: KnownProduct, services: Services): Static<typeof ProductAnswer> {
  const { code, brand, title, categoryId, origin } = product;
  return { code, brand, title, category: categoryId === null ? null : categoryJson(categoryId, services), origin };
}
