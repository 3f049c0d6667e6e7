/** Lists the body of the call that writes each part of an offer. */
import type { Static, TSchema } from '../check/type.ts';
import type { OfferPart } from '../vocabulary/offer-parts.ts';
import { ArchiveBody } from './archive.ts';
import { InventoryBody } from './inventory.ts';
import { PriceBody } from './price.ts';
import { ReturnsExceptionBody } from './returns-exception.ts';
import { ShippingExceptionBody } from './shipping-exception.ts';
import { SkuBody } from './sku.ts';
import { VariationBody } from './variation.ts';

export const PART_BODIES = Object.freeze({
  sku: SkuBody,
  price: PriceBody,
  inventory: InventoryBody,
  archive: ArchiveBody,
  variation: VariationBody,
  shipping_exception: ShippingExceptionBody,
  returns_exception: ReturnsExceptionBody,
} satisfies Record<OfferPart, TSchema>);

export type PartBody<Name extends OfferPart> = Static<(typeof PART_BODIES)[Name]>;
