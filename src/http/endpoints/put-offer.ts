/** PUT /merchant-skus/{user_defined_sku_id}/offer */
import { OfferBody } from '../../domain/bodies/offer.ts';
import { refuse } from '../../domain/outcome.ts';
import { dryRunOffer } from '../../operations/dry-run.ts';
import { putOffer } from '../../operations/put-offer.ts';
import { acceptedAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { preconditionUnsupported } from '../preconditions.ts';

export const putOfferEndpoint: MerchantEndpoint = {
  id: 'putOffer',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/offer',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Write several parts of a SKU at once',
  description:
    'Send any of the parts, each as the body of its own call. All parts are stored together, or none of them: the response lists the ' +
    'problems of all parts. Parts that you leave out do not change. The call counts as one request. It takes no `If-Match`.',
  requestBody: OfferBody,
  failures: [404],
  async dryRun({ services, account, value: skuId, body, headers }) {
    const unsupported = preconditionUnsupported(headers);
    if (unsupported !== undefined) return refuse([unsupported]);
    return dryRunOffer(services.context, account, skuId, body);
  },
  async handle({ services, account, by, value: skuId, body, headers }) {
    const unsupported = preconditionUnsupported(headers);
    if (unsupported !== undefined) return { problems: [unsupported] };
    return acceptedAnswer(await putOffer(services.context, account, skuId, body, by));
  },
};
