/** The product data of an offer. */
import type { SkuUpload } from '../../bodies/sku.ts';
import { stringifyExactJson } from '../../int64.ts';
import { currentPricePolicy } from '../../vocabulary/price-policies.ts';
import type { Part } from '../part.ts';
import { documentJson, spliceJson } from '../stored-json.ts';

/** A SKU upload by its own call, which refuses shoes. */
export const PLAIN_SKU: Part<'sku'> = Object.freeze<Part<'sku'>>({
  name: 'sku',
  code: 1,
  fileType: 'MerchantSKUs',
  path: '',
  source: 'offer',
  scope: 'listing',
  isInOffer: true,
  serverRules: ['whether the browse nodes are in the taxonomy', 'whether a SKU is archived'],
  toWrite: (skuId, upload, json) => {
    const document = json === undefined ? stringifyExactJson(toStoredSku(upload)) : withProp65(json, upload);
    return { skuId, part: 'sku', document };
  },
  valueIn: ({ document }) => document,
  decode: (_amount, text) => text,
  written: ({ document }) => document,
  applied: (offer, { document }) => ({ ...offer, document }),
  taggedText: (document) => document,
  storedTag: ({ documentTag }) => documentTag,
  json: documentJson,
});

export const SHOE_SKU: Part<'sku'> = Object.freeze<Part<'sku'>>({
  ...PLAIN_SKU,
  checkBody: (bodies, body) => bodies.shoeSku(body),
});

/** Bulk files and the history have no URL that distinguishes SKUs and shoes, so a body with a product type counts as a shoe. */
export const SKU: Part<'sku'> = Object.freeze<Part<'sku'>>({
  ...PLAIN_SKU,
  checkBody(bodies, body) {
    const type = (body.value as { readonly product_type_id?: unknown } | null)?.product_type_id;
    return type === undefined || type === null ? bodies.sku(body) : bodies.shoeSku(body);
  },
});

/** Returns the upload as it is stored: current price policy codes, explicit `prop_65`, no empty list of product codes. */
export function toStoredSku<T extends SkuUpload>(sku: T): T {
  const { prop_65 = false, ...sent } = sku;
  // Always the last field, so that the same content has the same text, and with it the same tag.
  const stored = { ...sent, prop_65 } as T;
  if (stored.standard_product_codes?.length === 0) delete stored.standard_product_codes;
  if (stored.map_implementation !== undefined) {
    stored.map_implementation = currentPricePolicy(stored.map_implementation);
  }
  return stored;
}

/** Returns the text of an upload as it is stored: body-check.ts returns the text only if `toStoredSku` changes nothing else. */
function withProp65(json: string, { prop_65 }: SkuUpload): string {
  return prop_65 === undefined ? spliceJson(json, { prop_65: 'false' }) : json;
}
