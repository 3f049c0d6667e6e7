/** Describes the body of a whole offer: each part is the body of its own call, which checks it. */
import { type TSchema, Type } from '../check/type.ts';
import { CLEARABLE_PARTS } from '../vocabulary/offer-parts.ts';
import { PART_BODIES } from './part-bodies.ts';
import { ShoeSkuBody, SkuBody } from './sku.ts';

const skuFields = { ...SkuBody.properties, product_type_id: Type.Optional(ShoeSkuBody.properties.product_type_id) };

export const OfferBody = Type.Object({
  sku: Type.Optional(
    Type.Object(skuFields, {
      description: 'Body of the SKU upload, or of the shoe upload if it has `product_type_id`. Required for a new SKU.',
    }),
  ),
  price: partOf(PART_BODIES.price, 'price upload'),
  inventory: partOf(PART_BODIES.inventory, 'inventory update'),
  ...Object.fromEntries(
    CLEARABLE_PARTS.map((part) => [part, partOf(PART_BODIES[part], `${part.replaceAll('_', ' ')} upload`)]),
  ),
});

function partOf(body: TSchema & { readonly properties: Record<string, TSchema> }, call: string) {
  return Type.Optional(Type.Object(body.properties, { description: `Body of the ${call}.` }));
}
