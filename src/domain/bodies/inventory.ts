/** Describes the body of an inventory update. */
import { List, Text, Whole } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';

export const InventoryBody = Type.Object({
  fulfillment_nodes: List(
    Type.Object({
      fulfillment_node_id: Text(LIMITS.text_characters_max, { description: 'Id of one of your fulfillment nodes.' }),
      quantity: Whole(0, LIMITS.count_max, { description: 'Items in stock at the node.' }),
    }),
    LIMITS.fulfillment_nodes_max,
    { description: 'Only the listed nodes are updated. If a node is listed twice, the last entry wins.' },
  ),
});
