/** The parts of an offer that its history records, as the API and the portal name them, and the types of their bulk files. */

/** The parts that a merchant can clear. Each is stored as one JSON text. */
export const CLEARABLE_PARTS = ['shipping_exception', 'returns_exception'] as const;

export const OFFER_PARTS = ['sku', 'price', 'inventory', 'archive', 'variation', ...CLEARABLE_PARTS] as const;

export type ClearablePart = (typeof CLEARABLE_PARTS)[number];
export type OfferPart = (typeof OFFER_PARTS)[number];

/** The type of each part's bulk files, spelled as integrators read and write it, in the order of the documentation. */
export const FILE_TYPE_OF = Object.freeze({
  sku: 'MerchantSKUs',
  price: 'Price',
  inventory: 'Inventory',
  variation: 'Variation',
  shipping_exception: 'ShippingException',
  returns_exception: 'ReturnsException',
  archive: 'Archive',
} as const satisfies Record<OfferPart, string>);
