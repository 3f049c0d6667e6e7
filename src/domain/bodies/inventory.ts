/** Describes the body of an inventory update. */
import Type, { type Static } from 'typebox';
import { List, Text, Whole } from '../check/schema.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

export const InventoryBody = Type.Object({
  fulfillment_nodes: List(
    Type.Object({
      fulfillment_node_id: Text(LIMITS.text_characters_max),
      quantity: Whole(0, LIMITS.count_max),
    }),
    LIMITS.fulfillment_nodes_max,
    { description: 'Only the nodes sent are updated; of several entries for one node the last wins.' },
  ),
});

export type InventoryUpload = Static<typeof InventoryBody>;

export function createInventoryCheck(names: Names): BodyCheck<InventoryUpload> {
  return createBodyCheck(InventoryBody, names);
}
