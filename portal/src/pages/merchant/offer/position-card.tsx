/** Card with the place of the offer among the offers of its product, and why it has this place. */
import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type OfferKey, positionQuery } from '../../../api/offer.ts';
import { countOf, priceText } from '../../../ui/numbers.ts';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';

export function PositionCard({ offerKey }: { readonly offerKey: OfferKey }) {
  const position = useQuery(positionQuery(offerKey));
  return (
    <Panel title="Position" about="The best offer of a product gets the order. Changes show after a few seconds.">
      <QueryView query={position} what="position">
        {({ is_shown, rank, rank_of, why, best_total }) =>
          rank === undefined ? (
            <Text>
              {is_shown ? 'Too many other offers come first.' : 'Not in the shop: not live, or out of stock.'}
            </Text>
          ) : (
            <Group>
              <Badge color={rank === 1 ? 'green' : 'yellow'}>{rank === 1 ? 'Best offer' : `Rank ${rank}`}</Badge>
              <Text>
                {`${why}. ${countOf(rank_of ?? 1, 'offer')} compared.`}
                {typeof best_total === 'number' && ` The best offer costs ${priceText(best_total)} with shipping.`}
              </Text>
            </Group>
          )
        }
      </QueryView>
    </Panel>
  );
}
