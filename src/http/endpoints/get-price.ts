/** GET /merchant-skus/{user_defined_sku_id}/price */
import { whenThere } from '../../domain/awaitable.ts';
import { PriceBody } from '../../domain/bodies/price.ts';
import { Type } from '../../domain/check/type.ts';
import type { StoredPrice } from '../../domain/offers/part.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { readPrice } from '../../operations/read-parts.ts';
import { priceTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
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
    price_last_update: Type.String({ format: 'date-time', description: 'When this price was accepted.' }),
  }),
  failures: [404],
  versioned: true,
  handle({ services, account, value: skuId }) {
    return whenThere(readPrice(services.context, account, skuId), (outcome) =>
      foundAnswer(outcome, priceJson, priceTag),
    );
  },
};

function priceJson({ price, nodes, updatedMs }: StoredPrice): string {
  const nodesJson = nodes.length === 0 ? '[]' : JSON.stringify(nodes);
  return `{"price":${price},"fulfillment_nodes":${nodesJson},"price_last_update":"${isoTime(updatedMs)}"}`;
}
