/** Describes the body of a variation group. variation-group.ts checks what its members must have in common. */
import { Id, List, OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import { RELATIONSHIP } from '../offers/variation-group.ts';

export const VariationBody = Type.Object({
  relationship: OneOf([RELATIONSHIP] as const, { description: 'Relationship between the SKUs in the group.' }),
  variation_refinements: List(Id(), LIMITS.variation_refinements_max, {
    min: 1,
    description: 'Ids of the attributes in which the members differ. Every member must have a value for each of them.',
  }),
  children_skus: List(Text(LIMITS.sku_id_characters_max, { min: 1 }), LIMITS.children_skus_max, {
    min: 1,
    description: 'Ids of the other members: uploaded SKUs of the same brand as the parent.',
  }),
  group_title: Type.Optional(
    Text(LIMITS.text_characters_max, { description: 'Title of the group on the product page.' }),
  ),
});

export type VariationUpload = Static<typeof VariationBody>;
