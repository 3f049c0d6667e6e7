/** GET /merchant-skus/{user_defined_sku_id}/shippingexception */
import { ShippingExceptionBody } from '../../domain/bodies/shipping-exception.ts';
import { Type } from '../../domain/check/type.ts';
import { readShippingException } from '../../operations/read-parts.ts';
import { textTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
import { exceptionsJson } from '../answers/stored-json.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const getShippingExceptionEndpoint: MerchantEndpoint = {
  id: 'getShippingException',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/shippingexception',
  access: 'merchant',
  tag: 'Exceptions',
  summary: 'Read the shipping exceptions of a SKU',
  answer: Type.Required(ShippingExceptionBody),
  failures: [404],
  versioned: true,
  async handle({ services, account, value: skuId }) {
    const { context } = services;
    return foundAnswer(
      await readShippingException(context, account, skuId),
      (exceptions) => `{"fulfillment_nodes":${exceptionsJson(exceptions, context.names)}}`,
      textTag,
    );
  },
};
