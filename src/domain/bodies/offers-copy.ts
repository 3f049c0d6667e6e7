/** Describes a copy of offers from the other environment, as the portal sends it. */
import { List, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';

export const OffersCopyBody = Type.Object({
  skus: Type.Optional(
    List(Text(LIMITS.sku_id_characters_max, { min: 1 }), LIMITS.offers_per_change_max, {
      min: 1,
      description:
        'SKU ids of the offers to copy. If absent, all offers of the other environment that match the query.',
    }),
  ),
  with_issues: Type.Optional(
    Type.Boolean({ description: 'Also copies offers that would not be for sale because of an issue.' }),
  ),
});

export type OffersCopy = Static<typeof OffersCopyBody>;
