/** Compiles the checks of all request bodies once, for the configured names and the current taxonomy. */
import type { Names } from '../names.ts';
import type { Taxonomy } from '../taxonomy.ts';
import { createArchiveCheck } from './archive.ts';
import { createFileUploadedCheck } from './file-uploaded.ts';
import { createInventoryCheck } from './inventory.ts';
import { createOffersChangeCheck } from './offers-change.ts';
import { createPriceCheck } from './price.ts';
import { createReturnsExceptionCheck } from './returns-exception.ts';
import { createShippingExceptionCheck } from './shipping-exception-rules.ts';
import { createShoeSkuCheck, createSkuCheck } from './sku.ts';
import { createTokenCheck } from './token.ts';
import { createVariationCheck } from './variation.ts';

export type BodyChecks = ReturnType<typeof createBodyChecks>;

export function createBodyChecks(names: Names, taxonomy: Taxonomy) {
  const knowsBrowseNode = (id: number | bigint) => taxonomy.node(id) !== undefined;
  return {
    token: createTokenCheck(names),
    sku: createSkuCheck(names, knowsBrowseNode),
    shoeSku: createShoeSkuCheck(names, knowsBrowseNode),
    price: createPriceCheck(names),
    inventory: createInventoryCheck(names),
    variation: createVariationCheck(names),
    shipping_exception: createShippingExceptionCheck(names),
    returns_exception: createReturnsExceptionCheck(names),
    archive: createArchiveCheck(names),
    offersChange: createOffersChangeCheck(names),
    fileUploaded: createFileUploadedCheck(names),
  };
}
