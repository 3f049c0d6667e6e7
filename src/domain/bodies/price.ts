/** Describes the body of a price upload. */
import { Amount, List, Text } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';

export const PriceBody = Type.Object({
  price: Amount(LIMITS.amount_min, {
    description: 'Amount you are paid for the item, without shipping, in US dollars.',
  }),
  fulfillment_nodes: Type.Optional(
    List(
      Type.Object(
        {
          fulfillment_node_id: Text(LIMITS.text_characters_max, {
            description: 'Id of one of your fulfillment nodes.',
          }),
          fulfillment_node_price: Amount(LIMITS.amount_min, { description: 'Price when this node ships the item.' }),
        },
        { title: 'NodePrice', description: 'Price at one fulfillment node.' },
      ),
      LIMITS.fulfillment_nodes_max,
      { description: 'Prices for individual nodes. If a node is listed twice, the last entry wins.' },
    ),
  ),
});
