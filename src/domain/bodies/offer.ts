/** Describes the body of a whole offer: each part is the body of its own call, which checks it. */
import { Type } from '../check/type.ts';
import { InventoryBody } from './inventory.ts';
import { PriceBody } from './price.ts';
import { ReturnsExceptionBody } from './returns-exception.ts';
import { ShippingExceptionBody } from './shipping-exception.ts';
import { ShoeSkuBody, SkuBody } from './sku.ts';

const skuFields = { ...SkuBody.properties, product_type_id: Type.Optional(ShoeSkuBody.properties.product_type_id) };

export const OfferBody = Type.Object({
  sku: Type.Optional(
    Type.Object(skuFields, {
      description: 'Body of the SKU upload, or of the shoe upload if it has `product_type_id`. Required for a new SKU.',
    }),
  ),
  price: Type.Optional(Type.Object(PriceBody.properties, { description: 'Body of the price upload.' })),
  inventory: Type.Optional(Type.Object(InventoryBody.properties, { description: 'Body of the inventory update.' })),
  shipping_exception: Type.Optional(
    Type.Object(ShippingExceptionBody.properties, { description: 'Body of the shipping exception upload.' }),
  ),
  returns_exception: Type.Optional(
    Type.Object(ReturnsExceptionBody.properties, { description: 'Body of the returns exception upload.' }),
  ),
});
