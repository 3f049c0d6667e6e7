/** Describes a fulfillment node. */
import { type FulfillmentNode, RATE_KINDS } from '../account.ts';
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { List, OneOf } from '../check/schema.ts';
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

export type NodeUpload = Static<typeof NodeBody>;

export function createNodeCheck(names: Names): BodyCheck<NodeUpload> {
  return createBodyCheck(NodeBody, names);
}

/** Duplicates are dropped, also when they use both names of a carrier. */
export function toNode(upload: NodeUpload): FulfillmentNode {
  return {
    id: upload.fulfillment_node_id,
    rateKind: upload.rate_kind,
    methods: [...new Set(upload.shipping_methods)],
    levels: [...new Set(upload.service_levels)],
  };
}
