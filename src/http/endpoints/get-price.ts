/** GET /merchant-skus/{user_defined_sku_id}/price */
import Type from 'typebox';
import { PriceBody } from '../../domain/bodies/price.ts';
import { readPrice } from '../../operations/read-parts.ts';
import { foundAnswer, isoTime } from '../answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const getPriceEndpoint: MerchantEndpoint = {
  id: 'getPrice',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/price',
  access: 'merchant',
  tag: 'Price',
  summary: 'Read the price of a SKU',
  answer: Type.Object({
    ...Type.Required(PriceBody).properties,
    price_last_update: Type.String({ format: 'date-time' }),
  }),
  failures: [400, 404],
  async handle({ services, account, value: skuId }) {
    return foundAnswer(await readPrice(services.context, account, skuId), ({ price, nodes, updatedMs }) => {
      const nodesJson = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
      return `{"price":${price},"fulfillment_nodes":${nodesJson},"price_last_update":"${isoTime(updatedMs)}"}`;
    });
  },
};
