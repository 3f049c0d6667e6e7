/** GET /merchant-skus/{user_defined_sku_id}/position */
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { readPosition } from '../../operations/storefront/read-products.ts';
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
  summary: 'Read the place of an offer among the offers of its product',
  description:
    'The best offer has the lowest total of price and what shipping must add, then the larger stock, then the longer time on sale. The ' +
    'marketplace decides whether merchants see what the best offer costs.',
  answer: PositionAnswer,
  failures: [404],
  handle: async ({ services, account, skuId }) =>
    foundAnswer(await readPosition(services.storefront, account, skuId), ({ code, rank, bestTotal }) => {
      const own = { merchant_sku: skuId, product_code: code, is_shown: rank !== null };
      return JSON.stringify(rank === null ? own : { ...own, ...rank, best_total: bestTotal });
    }),
};
