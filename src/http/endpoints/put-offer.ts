/** PUT /merchant-skus/{user_defined_sku_id}/offer */
import { OfferBody } from '../../domain/bodies/offer.ts';
import { dryRunOffer } from '../../operations/offers/dry-run.ts';
import { putOffer } from '../../operations/offers/offer.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { readOfferPrecondition, writeAnswer, writeDryRun } from '../preconditions.ts';

export const putOfferEndpoint: MerchantEndpoint = {
  id: 'putOffer',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/offer',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Write several parts of a SKU at once',
  description:
    'Send any of the parts, each as the body of its own call. All parts are stored together, or none of them: the response lists the ' +
    'problems in all parts. Parts that you omit do not change. The call counts as one request. Its `ETag` covers ' +
    'all five parts. No read returns it: take the first one from an earlier `PUT …/offer`, or from the `ETag` of a 412. ' +
    '`If-None-Match: *` needs `sku` in the body.',
  requestBody: OfferBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunOffer, readOfferPrecondition),
  versioned: true,
  handle: (call) => writeAnswer(call, putOffer, readOfferPrecondition),
};
