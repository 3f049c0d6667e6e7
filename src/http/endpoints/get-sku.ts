/** GET /merchant-skus/{user_defined_sku_id} */
import type { Account } from '../../domain/account.ts';
import { type Awaitable, whenThere } from '../../domain/awaitable.ts';
import { ShippingExceptionBody } from '../../domain/bodies/shipping-exception.ts';
import { StoredSku } from '../../domain/bodies/sku.ts';
import { VariationBody } from '../../domain/bodies/variation.ts';
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import type { Names } from '../../domain/names.ts';
import { groupFields } from '../../domain/offers/parts/variation.ts';
import { documentJson, exceptionsJson, spliceJson } from '../../domain/offers/stored-json.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { RETURN_SHIPPING_METHODS, TIME_TO_RETURN_DAYS_MAX } from '../../domain/vocabulary/shipping-methods.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { readSku, type SkuReading } from '../../operations/read-sku.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';

/** The fields of a returns exception, shared with its own call. All but the first come from the account settings. */
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

/** Id and archive flag, shared with the read of a whole offer. */
export const ownFields = {
  merchant_sku: Type.String({ description: 'Id of the SKU, decoded.' }),
  is_archived: Type.Boolean({ description: 'Whether the SKU is archived.' }),
};

/** Status and sub-statuses, shared with the review. */
export const statusFields = (names: Names) => ({
  status: OneOf(
    (Object.keys(STATUSES) as Status[]).map((status) => names.status(status)),
    { title: 'Status', description: 'Whether customers can buy the SKU, and if not, why.' },
  ),
  sub_status: Type.Array(OneOf(SUB_STATUSES, { title: 'SubStatus', description: 'One reason for the status.' }), {
    description: 'Reasons why the SKU is not available. There may be several.',
  }),
});

export const SkuAnswer = (names: Names) =>
  Type.Object(
    {
      ...StoredSku.properties,
      ...ownFields,
      ...statusFields(names),
      ...ShippingExceptionBody.properties,
      ...Type.Partial(Type.Object(returnsFields)).properties,
      ...Type.Partial(VariationBody).properties,
    },
    {
      title: 'Sku',
      description: 'The uploaded data of a SKU, with its status and the exceptions and group that are set.',
    },
  );

export const getSkuEndpoint: MerchantEndpoint = {
  id: 'getSku',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}',
  access: 'merchant',
  needs: SCOPE.read,
  tag: 'SKUs',
  summary: 'Read a SKU with its status',
  description:
    'Read price and inventory with their own calls, or all parts with `GET …/offer`. The `ETag` covers the fields of the SKU upload, not status, archive flag, ' +
    'exceptions and variation group.',
  answer: SkuAnswer,
  failures: [404],
  versioned: true,
  handle: (call) => skuAnswer(call, call.skuId),
};

/** Builds the response of the SKU read, also for `GET /merchant-skus?sku=`. */
export function skuAnswer({ services, account }: MerchantCall, skuId: string): Awaitable<Answer> {
  const { context } = services;
  return whenThere(readSku(context, account, skuId), (outcome) =>
    foundAnswer(
      outcome,
      (reading) => skuJson(skuId, reading, account, context.names),
      ({ offer }) => offer.documentTag,
    ),
  );
}

function skuJson(skuId: string, { offer, verdict }: SkuReading, account: Account, names: Names): string {
  const { shipping_exception: exceptions, returns_exception: locationIds } = offer.clearable;
  return spliceJson(documentJson(offer.document, names), {
    merchant_sku: JSON.stringify(skuId),
    is_archived: String(offer.archived),
    status: JSON.stringify(names.status(verdict.status)),
    sub_status: verdict.subStatuses.length === 0 ? '[]' : JSON.stringify(verdict.subStatuses),
    fulfillment_nodes: exceptions === null ? null : exceptionsJson(exceptions, names),
    ...(locationIds === null ? {} : returnsJson(locationIds, account, names)),
    ...(offer.group === null ? {} : groupFields(offer.group)),
  });
}

/** `locationIds` is JSON text. */
export function returnsJson(locationIds: string, account: Account, names: Names): Record<string, string> {
  return {
    return_location_ids: locationIds,
    time_to_return: String(account.timeToReturnDays),
    return_shipping_methods: JSON.stringify(account.returnShippingMethods.map((method) => names.method(method))),
  };
}
