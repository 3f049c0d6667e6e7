/** Portal: GET /{env}/offers, POST /{env}/offers/archive, GET /{env}/offers/{sku}/group */
import Type, { type Static } from 'typebox';
import { authorOfPerson } from '../../domain/author.ts';
import { ArchiveManyBody } from '../../domain/bodies/archive-many.ts';
import { OneOf, Text, Whole } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { OFFER_SORTS } from '../../domain/vocabulary/offer-sorts.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { archiveOffers } from '../../operations/portal/archive-offers.ts';
import { listOffers, type OfferRow } from '../../operations/portal/list-offers.ts';
import { readGroupParent } from '../../operations/portal/read-group-parent.ts';
import { foundAnswer } from '../answers/answers.ts';
import { isoTime } from '../answers/iso-time.ts';
import type { AccountCall, AccountEndpoint, Answer } from '../endpoint.ts';
import { Count, OrNull, Time } from './answer-schemas.ts';
import { listCursor } from './list-cursor.ts';
import { ARCHIVED, LIMIT, readOfferQuery, STATUS_KEYS, STOCK } from './offer-query.ts';

export function StatusName(names: Names) {
  return OneOf(STATUS_KEYS.map((status) => names.status(status)));
}

const ListedOffer = (names: Names) =>
  Type.Object({
    sku: Type.String(),
    title: Type.String(),
    brand: Type.String(),
    image: OrNull(Type.String({ description: 'URL of the main image.' })),
    status: StatusName(names),
    sub_status: Type.Array(OneOf(SUB_STATUSES)),
    category: OrNull(
      Type.Object({
        id: Type.String({ description: 'Digits: it may be beyond 2^53.' }),
        name: OrNull(Type.String(), 'Null if the current taxonomy does not have it.'),
      }),
    ),
    price: OrNull(Type.Number()),
    quantity: Count('Total over all nodes.'),
    archived: Type.Boolean(),
    updated: Time('Last change of data, price or stock.'),
  });

const OfferPage = (names: Names) =>
  Type.Object({
    offers: Type.Array(ListedOffer(names)),
    next: OrNull(
      Type.String(),
      'Value of `after` for the next page; null at the end. A page may have fewer offers than requested, even none, ' +
        'when the search reached its scan limit: continue with `next`.',
    ),
  });

const Archived = Type.Object({
  done: Count('Offers that now have the requested state.'),
  failed: Type.Array(Type.Object({ sku: Type.String(), errors: Type.Array(Type.String()) })),
});

const GroupOf = Type.Object({
  parent: OrNull(Type.String(), 'SKU id of the parent, if the offer is a child.'),
});

const shared = { access: 'account', tag: 'Offers' } as const;

export const offersEndpoints: readonly AccountEndpoint[] = [
  {
    ...shared,
    id: 'listOffers',
    method: 'GET',
    path: '/offers',
    roles: MERCHANT_ROLES,
    summary: 'List, search and filter offers',
    description:
      'Filters use the last verdict of each offer: a new offer is in the unfiltered list at once, and searchable by words, ' +
      'status, category and title after its review.',
    query: {
      q: {
        description: 'Each word must start a word of the title, brand, SKU id or a product code.',
        schema: Text(LIMITS.offer_search_characters_max),
      },
      status: { description: 'Spelled as in answers.', schema: Type.String() },
      sub_status: { description: 'Spelled as in answers.', schema: OneOf(SUB_STATUSES) },
      category: { description: 'Id of the category itself, not of an ancestor.', schema: Type.String() },
      stock: { description: '`in`: some node has a quantity above 0.', schema: OneOf(STOCK) },
      archived: { description: 'Both when absent.', schema: OneOf(ARCHIVED) },
      sort: { description: '`newest` when absent; by the first upload.', schema: OneOf(OFFER_SORTS) },
      after: { description: '`next` of the previous page with the same `sort`.', schema: Type.String() },
      limit: { description: `How many to list; ${LIMIT.fallback} when absent.`, schema: Whole(LIMIT.min, LIMIT.max) },
    },
    answer: OfferPage,
    failures: [400],
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'archiveOffers',
    method: 'POST',
    path: '/offers/archive',
    roles: ['merchant-admin'],
    summary: 'Archive or unarchive several offers',
    requestBody: ArchiveManyBody,
    answer: Archived,
    failures: [400],
    handle: archiveAnswer,
  },
  {
    ...shared,
    id: 'readGroupOf',
    method: 'GET',
    path: '/offers/{user_defined_sku_id}/group',
    roles: MERCHANT_ROLES,
    summary: "Read the parent of an offer's variation group",
    answer: GroupOf,
    failures: [400, 404],
    async handle({ services, account, value: skuId }) {
      const found = await readGroupParent(services.watch, account, skuId);
      return foundAnswer(found, (parent) => JSON.stringify({ parent } satisfies Static<typeof GroupOf>));
    },
  },
];

async function listAnswer({ services, account, query }: AccountCall): Promise<Answer> {
  const { names } = services.context;
  const request = readOfferQuery(query, names);
  if ('problems' in request) return request;
  const { offers, next } = await listOffers(services.watch, account, request);
  const page: Static<ReturnType<typeof OfferPage>> = {
    offers: offers.map((offer) => offerJson(offer, names)),
    next: next === undefined ? null : listCursor(request.sort, next),
  };
  return { status: 200, json: JSON.stringify(page) };
}

function offerJson(offer: OfferRow, names: Names): Static<ReturnType<typeof ListedOffer>> {
  const { skuId, title, brand, image, verdict, category, price, quantity, archived, updatedMs } = offer;
  return {
    sku: skuId,
    title,
    brand,
    image: image === '' ? null : image,
    status: names.status(verdict.status),
    sub_status: [...verdict.subStatuses],
    category: category === null ? null : { id: String(category.id), name: category.name },
    price,
    quantity,
    archived,
    updated: isoTime(updatedMs),
  };
}

async function archiveAnswer({ services, account, body, person }: AccountCall): Promise<Answer> {
  const archived = await archiveOffers(services.context, account, body, authorOfPerson(person.email));
  return foundAnswer(archived, ({ done, failed }) => {
    const shown: Static<typeof Archived> = {
      done,
      failed: failed.map(({ skuId, problems }) => ({ sku: skuId, errors: problems.map(({ message }) => message) })),
    };
    return JSON.stringify(shown);
  });
}
