/** Portal: GET and POST /{env}/offers/fixes */
import { OffersFixBody } from '../../domain/bodies/fixes.ts';
import { Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { fixOffers, listFixes } from '../../operations/portal/fix-offers.ts';
import { endpointsOf } from '../endpoint.ts';
import { FixAnswer, fixFields } from '../endpoints/review.ts';
import { limitParameter, readQuery } from '../query.ts';
import { Count, OrNull } from './answer-schemas.ts';
import { LIMIT, listCursor, readOfferQuery } from './offer-query.ts';
import { Changed, changedAnswer, FILTERS } from './offers.ts';

const FixPage = Type.Object({
  offers: Type.Array(
    Type.Object({
      sku: Type.String({ description: 'SKU id.' }),
      title: Type.String({ description: 'Product title.' }),
      fixes: Type.Array(FixAnswer),
    }),
    { description: 'The offers of the page that have fixes.' },
  ),
  examined: Count('Offers of the page, with and without fixes.'),
  next: OrNull(Type.String(), 'Value of `after` for the next page; null at the end.'),
});

export const fixOffersEndpoints = endpointsOf({ access: 'account', tag: 'Offers' } as const, {
  'GET /offers/fixes': {
    id: 'listFixes',
    summary: 'List the fixes of the offers that match',
    description: 'With `sub_status`, only fixes of the checks that cause it.',
    query: {
      ...FILTERS,
      after: { description: 'The `next` of the previous page.', schema: Type.String() },
      limit: limitParameter(LIMIT),
    },
    answer: FixPage,
    async handle({ services, account, query }) {
      const { context } = services;
      const request = readQuery(query, (reading) => readOfferQuery(reading, context));
      if ('problems' in request) return request;
      const listed = await listFixes(services, account, request);
      if (!listed.ok) return listed;
      const { offers, examined, next } = listed.value;
      const json = stringifyExactJson({
        offers: offers.map(({ skuId, title, fixes }) => {
          return { sku: skuId, title, fixes: fixes.map((fix) => fixFields(fix, context.names)) };
        }),
        examined,
        next: next === undefined ? null : listCursor(request.sort, next),
      });
      return { status: 200, json };
    },
  },
  'POST /offers/fixes': {
    id: 'fixOffers',
    summary: 'Apply fixes to many offers',
    description:
      'Creates a bulk file from the fixes, and submits it. Offers that have changed since their fixes were read are skipped.',
    requestBody: OffersFixBody,
    answer: Changed,
    unhurried: true,
    async handle({ services, account, body }) {
      return changedAnswer(services, await fixOffers(services, account, body));
    },
  },
});
