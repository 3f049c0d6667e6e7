/** GET /merchant-skus/{user_defined_sku_id} */
import type { Account } from '../../domain/account.ts';
import { type Awaitable, whenThere } from '../../domain/awaitable.ts';
import { ShippingExceptionBody } from '../../domain/bodies/shipping-exception.ts';
import { ShoeSkuBody, SkuBody } from '../../domain/bodies/sku.ts';
import { VariationBody } from '../../domain/bodies/variation.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import type { Names } from '../../domain/names.ts';
import { PRICE_POLICIES } from '../../domain/vocabulary/price-policies.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import { readSku, type SkuReading } from '../../operations/read-sku.ts';
import { foundAnswer } from '../answers/answers.ts';
import { documentJson, exceptionsJson, spliceJson } from '../answers/stored-json.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { returnsFields, returnsJson } from './get-returns-exception.ts';
import { groupMembersJson } from './get-variation.ts';

/** The uploaded fields as stored. */
export const storedSkuFields = {
  ...SkuBody.properties,
  prop_65: Type.Boolean({ description: 'Whether the product is subject to Proposition 65 warnings.' }),
  map_implementation: Type.Optional(OneOf(PRICE_POLICIES, { description: 'Price policy, see the SKU upload.' })),
  product_type_id: Type.Optional(ShoeSkuBody.properties.product_type_id),
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
      ...storedSkuFields,
      merchant_sku: Type.String({ description: 'Id of the SKU, decoded.' }),
      is_archived: Type.Boolean({ description: 'Whether the SKU is archived.' }),
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
  tag: 'SKUs',
  summary: 'Read a SKU with its status',
  description:
    'Read price and inventory with their own calls. The `ETag` covers the fields of the SKU upload, not status, archive flag, ' +
    'exceptions and variation group.',
  answer: SkuAnswer,
  failures: [404],
  versioned: true,
  handle: (call) => skuAnswer(call, call.value),
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
  return spliceJson(documentJson(offer.document, names), {
    merchant_sku: JSON.stringify(skuId),
    is_archived: String(offer.archived),
    status: JSON.stringify(names.status(verdict.status)),
    sub_status: verdict.subStatuses.length === 0 ? '[]' : JSON.stringify(verdict.subStatuses),
    fulfillment_nodes: offer.shippingExceptions === null ? null : exceptionsJson(offer.shippingExceptions, names),
    ...(offer.returnLocationIds === null ? {} : returnsJson(offer.returnLocationIds, account, names)),
    ...(offer.group === null ? {} : groupMembersJson(offer.group)),
  });
}
