/** Describes fulfillment nodes and return locations. */
import { type FulfillmentNode, RATE_KINDS } from '../account.ts';
import { List, OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { SERVICE_LEVELS } from '../vocabulary/service-levels.ts';
import { SHIPPING_METHODS } from '../vocabulary/shipping-methods.ts';

/** The fields of a node without its id. */
export const NodeSetupBody = Type.Object({
  rate_kind: OneOf(RATE_KINDS, { description: 'How the node charges for shipping.' }),
  shipping_methods: List(OneOf(SHIPPING_METHODS, { 'x-carrier-names': true }), SHIPPING_METHODS.length, { min: 1 }),
  service_levels: List(OneOf(SERVICE_LEVELS), SERVICE_LEVELS.length, { min: 1 }),
});

export const NodeBody = Type.Object({
  fulfillment_node_id: Type.String({
    minLength: 1,
    maxLength: LIMITS.place_id_characters_max,
    // The id is part of a URL, and common HTTP clients resolve `.` and `..` before they send the request.
    pattern: '^(?!\\.{1,2}$)',
    'x-pattern-text': 'must not be "." or ".."',
  }),
  ...NodeSetupBody.properties,
});

export const ReturnLocationBody = Type.Object({
  return_location_id: Text(LIMITS.place_id_characters_max, { min: 1 }),
});

/** Duplicates are dropped, also when they use both names of a carrier. */
export function toNode(upload: Static<typeof NodeBody>): FulfillmentNode {
  return {
    id: upload.fulfillment_node_id,
    rateKind: upload.rate_kind,
    methods: [...new Set(upload.shipping_methods)],
    levels: [...new Set(upload.service_levels)],
  };
}

/** Shows a node in the API, the portal and the command line. */
export function nodeJson(node: FulfillmentNode, names: Names) {
  return {
    fulfillment_node_id: node.id,
    rate_kind: node.rateKind,
    shipping_methods: node.methods.map((method) => names.method(method)),
    service_levels: node.levels,
  };
}
