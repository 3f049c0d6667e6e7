/** GET /merchant-skus/{user_defined_sku_id}/returnsexception */
import type { Account } from '../../domain/account.ts';
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import type { Names } from '../../domain/names.ts';
import { RETURN_SHIPPING_METHODS, TIME_TO_RETURN_DAYS_MAX } from '../../domain/vocabulary/shipping-methods.ts';
import { readReturnsException } from '../../operations/read-parts.ts';
import { returnsTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
import { spliceJson } from '../answers/stored-json.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

/** The fields of a returns exception, shared with the SKU read. All but the first come from the account settings. */
export const returnsFields = {
  return_location_ids: Type.Array(Type.String(), { description: 'Return locations for this product.' }),
  time_to_return: Whole(1, TIME_TO_RETURN_DAYS_MAX, { description: 'Return window for the product, in days.' }),
  return_shipping_methods: Type.Array(
    OneOf(RETURN_SHIPPING_METHODS, {
      title: 'ReturnShippingMethod',
      description: 'A carrier service for returns.',
      'x-carrier-names': true,
    }),
    { description: 'How customers may send the product back.' },
  ),
};

export const getReturnsExceptionEndpoint: MerchantEndpoint = {
  id: 'getReturnsException',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/returnsexception',
  access: 'merchant',
  tag: 'Exceptions',
  summary: 'Read the returns exception of a SKU',
  answer: Type.Object(returnsFields),
  failures: [404],
  versioned: true,
  async handle({ services, account, value: skuId }) {
    const { context } = services;
    return foundAnswer(
      await readReturnsException(context, account, skuId),
      (locationIds) => spliceJson('{}', returnsJson(locationIds, account, context.names)),
      returnsTag,
    );
  },
};

export function returnsJson(locationIds: readonly string[], account: Account, names: Names): Record<string, string> {
  return {
    return_location_ids: JSON.stringify(locationIds),
    time_to_return: String(account.timeToReturnDays),
    return_shipping_methods: JSON.stringify(account.returnShippingMethods.map((method) => names.method(method))),
  };
}
