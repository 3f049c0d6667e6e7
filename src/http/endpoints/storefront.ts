/** GET /storefront/products, /storefront/products/{product_code}, /storefront/events */
import { createHash } from 'node:crypto';
import { Id, Text, Whole } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { wholeWords } from '../../domain/text/search-words.ts';
import { hasForbiddenCharacter } from '../../domain/text/text-rules.ts';
import { DAY_MS, readIsoTime } from '../../domain/vocabulary/iso-time.ts';
import { LATEST } from '../../operations/events/read-events.ts';
import { listProducts, type ProductsQuery, readProduct } from '../../operations/storefront/read-products.ts';
import { readShopEvents } from '../../operations/storefront/read-shop-events.ts';
import type { ShopProductPosition } from '../../store/port/storefront.ts';
import { NOT_KEPT } from '../answers/answers.ts';
import { taggedAnswer } from '../answers/tagged.ts';
import { endpointsOf, type MarketplaceCall, type OpenEndpoint } from '../endpoint.ts';
import { cursorOf, partsOfCursor } from '../portal/offer-query.ts';
import { limitParameter, parametersOf, type QueryReading, queryProblem, readQuery } from '../query.ts';
import { ProductAnswer, ProductsAnswer, ShopEventsAnswer } from './storefront-schemas.ts';

const PRODUCTS_LIMIT = { min: 1, max: LIMITS.storefront_page_max, fallback: LIMITS.storefront_page_default };
const EVENTS_LIMIT = { min: 1, max: LIMITS.event_page_max, fallback: LIMITS.event_page_default };
const WAIT = { min: 0, max: LIMITS.event_wait_seconds_max, fallback: 0 };

export const PRODUCTS_QUERY = {
  category: { description: 'Id of a category. Products in the categories below it match too.', schema: Id() },
  brand: {
    description: 'Brand. Case, spacing and punctuation are ignored.',
    schema: Text(LIMITS.brand_characters_max, { min: 1 }),
  },
  q: {
    description: `Up to ${LIMITS.offer_search_words_max} words. Title and brand together must contain all of them, as whole words.`,
    schema: Text(LIMITS.offer_search_characters_max, { min: 1 }),
  },
  updated_since: {
    description:
      'Lists products in order of their last change, from this time on. Without it, they are in order of code.',
    schema: Type.String({ format: 'date-time' }),
  },
  limit: limitParameter(PRODUCTS_LIMIT),
  cursor: { description: 'Where the page starts, from a `Link` header.', schema: Type.String() },
};

const shared = { access: 'marketplace', needs: SCOPE.storefront, tag: 'Storefront' } as const;

export const storefrontEndpoints = endpointsOf(shared, {
  'GET /storefront/products': {
    id: 'listStorefrontProducts',
    summary: 'List products with their best offers',
    description:
      'Returns the products with live offers in stock that match all parameters. Follow the `Link` header with `rel="next"` to get the next ' +
      'page. A page may have fewer products than `limit`, even none, and still a next page. Unknown parameters are refused. A product ' +
      'whose last offer ends leaves the list: read `GET /storefront/events` to learn of it.',
    query: PRODUCTS_QUERY,
    answer: ProductsAnswer,
    async handle({ services, environment, query }) {
      const unknown = parametersOf(query).find(({ name }) => !Object.hasOwn(PRODUCTS_QUERY, name));
      if (unknown !== undefined)
        return { problems: [queryProblem(`${unknown.name.slice(0, 50)}: unknown parameter.`)] };
      const asked = readQuery(query, (reading) => readProductsQuery(reading, services.context.nowMs()));
      if ('problems' in asked) return asked;
      const outcome = await listProducts(services.storefront, environment, asked);
      if (!outcome.ok) return outcome;
      const { products, next } = outcome.value;
      const kept = query.split('&').filter((part) => part !== '' && !part.startsWith('cursor='));
      const link = next && [...kept, `cursor=${productsCursor(asked, next)}`];
      return {
        status: 200,
        json: `{"products":[${products.join()}]}`,
        headers: link ? { link: `<${services.publicUrl()}/storefront/products?${link.join('&')}>; rel="next"` } : {},
      };
    },
  },
  'GET /storefront/products/{product_code}': {
    id: 'getStorefrontProduct',
    summary: 'Read a product with all its offers',
    description:
      'The code is any code of the product: a UPC, EAN, GTIN-14, ISBN or ASIN, with or without `gtin:` or `asin:`. Offers are ranked: ' +
      'the lowest total of price and required shipping charge, then the larger stock, then the longer time on sale. An offer under policy ' +
      '103 comes after all others while another offer has a lower item price.',
    answer: ProductAnswer,
    failures: [404],
    tagged: true,
    async handle(call) {
      const { services, environment, targetId } = call;
      const outcome = await readProduct(services.storefront, environment, targetId);
      if (!outcome.ok) return outcome;
      const { json, versions } = outcome.value;
      const tag = createHash('sha256').update(versions.join()).digest('base64url').slice(0, 16);
      return taggedAnswer(call, tag, () => ({ status: 200, json: json() }));
    },
  },
  'GET /storefront/events': {
    id: 'listStorefrontEvents',
    summary: 'Read changes to products and their offers, in order',
    description:
      'Send the `next` of each response as `after` in the next request. Every change appears once, in the same order for every reader, ' +
      `and is kept for ${LIMITS.event_days} days. With \`wait\`, the response comes as soon as there is a change.`,
    query: {
      after: {
        description: `The \`next\` of the last response, or the id of an event. With \`${LATEST}\`, only new events are read. If absent, reading starts with the oldest event.`,
        schema: Type.String(),
      },
      limit: limitParameter(EVENTS_LIMIT),
      wait: {
        description: 'How long to wait for an event if none is available, in seconds. The default is 0.',
        schema: Whole(WAIT.min, WAIT.max),
      },
    },
    answer: ShopEventsAnswer,
    unhurried: true,
    async handle({ services, environment, query, whenClosed }) {
      const asked = readQuery(query, (reading) => ({
        after: reading.filledText('after'),
        limit: reading.wholeNumber('limit', EVENTS_LIMIT),
        wait_seconds: reading.wholeNumber('wait', WAIT),
      }));
      if ('problems' in asked) return asked;
      const outcome = await readShopEvents(services.storefront, environment, { ...asked, whenClosed });
      if (!outcome.ok) return outcome;
      const { events, next, more } = outcome.value;
      return { status: 200, json: `{"events":[${events.join()}],"next":"${next}","more":${more}}`, headers: NOT_KEPT };
    },
  },
});

/** The same calls for the page of the demo, without a token (docs/decisions/0065). They read the test environment and are in no document. */
export const shopEndpoints: readonly OpenEndpoint[] = storefrontEndpoints.map(({ needs: _needs, ...endpoint }) => ({
  ...endpoint,
  path: endpoint.path.replace('/storefront/', '/shop/api/'),
  access: 'open',
  handle: ({ services, query, targetId, headers, whenClosed }) =>
    endpoint.handle({ services, query, targetId, headers, whenClosed, environment: 'test' } as MarketplaceCall),
}));

/** The cursor of the page that starts at `next`. */
export function productsCursor({ updatedSinceMs }: ProductsQuery, next: ShopProductPosition): string {
  return cursorOf([updatedSinceMs ?? null, next, null]);
}

export function readProductsQuery(reading: QueryReading, nowMs: number): ProductsQuery {
  const category = reading.text('category');
  const categoryId = category === undefined ? undefined : readId(category);
  if (category !== undefined && categoryId === undefined) reading.refuse('category: must be the id of a category.');
  const since = reading.text('updated_since');
  const updatedSinceMs = since === undefined ? undefined : readIsoTime(since);
  if (since !== undefined && updatedSinceMs === undefined) {
    reading.refuse('updated_since: must be a time such as 2026-01-31T09:30:00Z.');
  }
  if (updatedSinceMs !== undefined && updatedSinceMs < nowMs - LIMITS.event_days * DAY_MS) {
    reading.refuse(`updated_since: changes are kept for ${LIMITS.event_days} days. List all products without it.`);
  }
  const brand = reading.text('brand');
  if (brand !== undefined && (brand === '' || brand.length > LIMITS.brand_characters_max * 2)) {
    reading.refuse(`brand: must have 1 to ${LIMITS.brand_characters_max} characters.`);
  }
  const q = reading.text('q');
  if (q !== undefined) reading.searchText('q', LIMITS.offer_search_characters_max);
  const words = q === undefined ? undefined : wholeWords(q).length;
  if (words === 0) reading.refuse('q: must contain a letter or digit.');
  if (words !== undefined && words > LIMITS.offer_search_words_max) {
    reading.refuse(`q: must have at most ${LIMITS.offer_search_words_max} words.`);
  }
  return {
    category: categoryId,
    brand,
    q,
    updatedSinceMs,
    after: readAfter(reading, updatedSinceMs),
    limit: reading.wholeNumber('limit', PRODUCTS_LIMIT),
  };
}

/** A cursor is only valid for the `updated_since` that it was issued for. */
function readAfter(reading: QueryReading, updatedSinceMs: number | undefined): ProductsQuery['after'] {
  const text = reading.text('cursor');
  if (text === undefined) return undefined;
  const [since, position] = partsOfCursor(text);
  const isCode = typeof position === 'string' && !hasForbiddenCharacter(position);
  const isPosition = updatedSinceMs === undefined ? isCode : Number.isSafeInteger(position);
  if (since === (updatedSinceMs ?? null) && isPosition) return position as ProductsQuery['after'];
  return reading.refuse('cursor: must be from the `Link` header of a page with the same `updated_since`.');
}
