/** GET and PUT /merchant-skus/{user_defined_sku_id}/offer */

import { whenThere } from '../../domain/awaitable.ts';
import { OfferBody } from '../../domain/bodies/offer.ts';
import { PART_BODIES } from '../../domain/bodies/part-bodies.ts';
import { StoredSku } from '../../domain/bodies/sku.ts';
import { type TObject, type TSchema, Type } from '../../domain/check/type.ts';
import type { Names } from '../../domain/names.ts';
import { bodyJson, PARTS_IN_OFFER, SHOWN_PARTS } from '../../domain/offers/parts.ts';
import { spliceJson } from '../../domain/offers/stored-json.ts';
import { SCOPE, scopeSet } from '../../domain/setup/key-scopes.ts';
import { dryRunOffer } from '../../operations/offers/dry-run.ts';
import { type OfferReading, putOffer, readOffer } from '../../operations/offers/offer.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { readOfferPrecondition, writeAnswer, writeDryRun } from '../preconditions.ts';
import { ownFields, statusFields } from './get-sku.ts';
import { IssueAnswer, issueFields } from './review.ts';

const PATH = '/merchant-skus/{user_defined_sku_id}/offer';

function bodyOf<Fields extends Record<string, TSchema>>({ properties }: TObject<Fields>, call: string) {
  return Type.Object(properties, { description: `Body of the ${call}.` });
}

const OfferAnswer = (names: Names) =>
  Type.Object(
    {
      ...ownFields,
      ...statusFields(names),
      issues: Type.Array(IssueAnswer, {
        description: 'The checks of the review that failed. See `GET …/review` for all checks.',
      }),
      ...OfferBody.properties,
      sku: bodyOf(StoredSku, 'SKU upload'),
      price: Type.Optional(bodyOf(Type.Required(PART_BODIES.price), 'price upload')),
      inventory: bodyOf(PART_BODIES.inventory, 'inventory update'),
      variation: Type.Optional(bodyOf(PART_BODIES.variation, 'variation upload')),
    },
    { title: 'Offer', description: 'All parts of a SKU that are set, with its status and issues.' },
  );

export const getOfferEndpoint: MerchantEndpoint = {
  id: 'getOffer',
  method: 'GET',
  path: PATH,
  access: 'merchant',
  needs: SCOPE.read,
  tag: 'SKUs',
  summary: 'Read all parts of a SKU at once',
  description:
    'Returns all parts as of one moment, each as the body of the call that writes it. Parts that are not set are left out. To change an ' +
    'offer, send the response, or the parts that you change, back with `PUT …/offer` and the `ETag` as `If-Match`. The `ETag` covers the ' +
    'parts that `PUT …/offer` can write, not status, issues, archive flag and variation group.',
  answer: OfferAnswer,
  failures: [404],
  versioned: true,
  handle: ({ services, account, skuId }) =>
    whenThere(readOffer(services.context, account, skuId), (outcome) =>
      foundAnswer(
        outcome,
        (reading) => offerJson(skuId, reading, services.context.names),
        ({ tag }) => tag,
      ),
    ),
};

export const putOfferEndpoint: MerchantEndpoint = {
  id: 'putOffer',
  method: 'PUT',
  path: PATH,
  access: 'merchant',
  needs: scopeSet(PARTS_IN_OFFER.map(({ scope }) => scope)),
  tag: 'SKUs',
  summary: 'Write several parts of a SKU at once',
  description:
    'Send any of the parts, each as the body of its own call. All parts are stored together, or none of them: the response lists the ' +
    'problems in all parts. Parts that you omit do not change. The call counts as one request. Its `ETag` covers ' +
    'all parts that it can write, and is the `ETag` of `GET …/offer`. ' +
    '`If-None-Match: *` needs `sku` in the body.',
  requestBody: OfferBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunOffer, readOfferPrecondition),
  versioned: true,
  handle: (call) => writeAnswer(call, putOffer, readOfferPrecondition),
};

function offerJson(skuId: string, { offer, review }: OfferReading, names: Names): string {
  const { status, subStatuses, checks } = review;
  const issues = checks.filter(({ state }) => state === 'failed').map(issueFields);
  const { price, inventory } = offer;
  const stored = { offer, price: typeof price === 'string' ? undefined : price, inventory };
  const own = JSON.stringify({
    merchant_sku: skuId,
    is_archived: offer.archived,
    status: names.status(status),
    sub_status: subStatuses,
    issues,
  });
  return spliceJson(own, Object.fromEntries(SHOWN_PARTS.map((part) => [part.name, bodyJson(part, stored, names)])));
}
