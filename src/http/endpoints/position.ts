/** GET /merchant-skus/{user_defined_sku_id}/position */
import { LIMITS } from '../../domain/limits.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { type OfferPosition, readPosition } from '../../operations/storefront/positions.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { PositionAnswer } from './storefront-schemas.ts';

export const positionEndpoint: MerchantEndpoint = {
  id: 'getPosition',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/position',
  access: 'merchant',
  needs: SCOPE.read,
  tag: 'SKUs',
  summary: 'Read the rank of an offer among the offers of its product',
  description:
    'The best offer has the lowest total of price and required shipping charge, then the larger stock, then the longer time on sale. The ' +
    'marketplace decides whether merchants see what the best offer costs. An offer that is not shown has no rank, nor has one after the ' +
    `first ${LIMITS.storefront_offers_max} of its product.`,
  answer: PositionAnswer,
  failures: [404],
  handle: async ({ services, account, skuId }) =>
    foundAnswer(await readPosition(services.storefront, account, skuId), (position) =>
      JSON.stringify({ merchant_sku: skuId, ...positionFields(position) }),
    ),
};

export function positionFields({ code, isShown, rank, bestTotal }: OfferPosition): Record<string, unknown> {
  const shown = { product_code: code, is_shown: isShown };
  return rank === null ? shown : { ...shown, ...rank, best_total: bestTotal };
}
