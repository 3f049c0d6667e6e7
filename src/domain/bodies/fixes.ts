/** Describes the bodies that apply fixes of the review. */
import { List, Text } from '../check/schema.ts';
import { Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';

export const FixesBody = Type.Object({
  fixes: List(Text(LIMITS.fix_id_characters_max, { min: 1 }), LIMITS.fixes_applied_max, {
    min: 1,
    description: 'Ids of fixes, as in `GET …/review`.',
  }),
});

/** Fixes of many offers, as the portal sends them. */
export const OffersFixBody = Type.Object({
  offers: List(
    Type.Object({ sku: Text(LIMITS.sku_id_characters_max, { min: 1 }), fixes: FixesBody.properties.fixes }),
    LIMITS.offers_fixed_max,
    { min: 1, description: 'SKU ids with the ids of their fixes, as in `GET /offers/fixes`.' },
  ),
});
