/** Describes the body of shipping exceptions; shipping-exception-rules.ts checks it. */
import { Amount, List, OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import { SERVICE_LEVELS } from '../vocabulary/service-levels.ts';
import { OVERRIDE_TYPES, SHIPPING_EXCEPTION_TYPES } from '../vocabulary/shipping-exceptions.ts';
import { SHIPPING_METHODS } from '../vocabulary/shipping-methods.ts';

export const ServiceLevelSchema = OneOf(SERVICE_LEVELS, {
  title: 'ServiceLevel',
  description: 'How quickly the item is delivered.',
});
export const ShippingMethodSchema = OneOf(SHIPPING_METHODS, {
  title: 'ShippingMethod',
  description: 'A carrier service.',
  'x-carrier-names': true,
});

const shippingExceptionFields = {
  service_level: Type.Optional(ServiceLevelSchema),
  shipping_method: Type.Optional(ShippingMethodSchema),
  override_type: Type.Optional(
    OneOf(OVERRIDE_TYPES, {
      description: 'Whether the amount replaces the default charge or is added to it. Not allowed with restricted.',
    }),
  ),
  shipping_charge_amount: Type.Optional(
    Amount(0, { description: 'Shipping charge. Required with override_type, not allowed with restricted.' }),
  ),
  shipping_exception_type: OneOf(SHIPPING_EXCEPTION_TYPES, {
    description:
      'restricted: the item never ships this way. exclusive: the item ships only this way; allowed once per node, and ' +
      'not together with other types. include: the item ships this way at the normal charge, or at the override.',
  }),
};

const ShippingException = Type.Object(shippingExceptionFields, {
  title: 'ShippingException',
  description: 'Rule for one way to ship. Send service_level, shipping_method, or both.',
});

const NodeExceptions = Type.Object(
  {
    fulfillment_node_id: Text(LIMITS.text_characters_max, { description: 'Id of one of your fulfillment nodes.' }),
    shipping_exceptions: List(ShippingException, LIMITS.shipping_exceptions_per_node_max, {
      description: 'All exceptions at this node.',
    }),
  },
  { title: 'NodeShippingExceptions', description: 'Shipping exceptions at one fulfillment node.' },
);

export const ShippingExceptionBody = Type.Object({
  fulfillment_nodes: Type.Optional(
    List(NodeExceptions, LIMITS.fulfillment_nodes_max, {
      description: 'Replaces all exceptions of the SKU. An empty list, or {} as the body, clears them.',
    }),
  ),
});

export type ShippingException = Static<typeof ShippingException>;
export type NodeExceptions = Static<typeof NodeExceptions>;
export type ShippingExceptionUpload = Static<typeof ShippingExceptionBody>;
