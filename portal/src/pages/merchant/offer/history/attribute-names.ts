/** Names the attributes of an offer's category. */
import { useQuery } from '@tanstack/react-query';
import { attributesQuery } from '../../../../api/categories.ts';
import type { Offer, OfferKey } from '../../../../api/offer.ts';

/** Returns attribute names from the current category. Attributes of earlier categories are shown by id. */
export function useAttributeNames({ environment }: OfferKey, offer: Offer): (id: string) => string {
  const category = offer.product_type_id ?? offer.marketplace_browse_node_id;
  const { data = [] } = useQuery({
    ...attributesQuery(environment, String(category ?? '')),
    enabled: category !== undefined,
  });
  const names = new Map(data.map((attribute) => [String(attribute.attribute_id), attribute.attribute_description]));
  return (id) => names.get(id) ?? `Attribute ${id}`;
}
