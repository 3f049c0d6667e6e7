/** Compiles the checks of all request bodies once, for the configured names and the current taxonomy. */
import type { Int64 } from '../int64.ts';
import type { Names } from '../names.ts';
import { ArchiveBody } from './archive.ts';
import { createBodyCheck } from './body-check.ts';
import { createFileUploadedCheck } from './file-uploaded.ts';
import { InventoryBody } from './inventory.ts';
import { createOffersChangeCheck } from './offers-change.ts';
import { PriceBody } from './price.ts';
import { createReturnsExceptionCheck } from './returns-exception.ts';
import { createShippingExceptionCheck } from './shipping-exception-rules.ts';
import { createShoeSkuCheck, createSkuCheck } from './sku.ts';
import { createTokenCheck } from './token.ts';
import { VariationBody } from './variation.ts';

/** Returns undefined for an id that no browse node has. */
export interface KnownNodes {
  node(id: Int64): unknown;
}

/** A taxonomy that has every browse node, for checks without a server. */
export const ANY_NODES: KnownNodes = { node: () => true };

export type BodyChecks = ReturnType<typeof createBodyChecks>;

export function createBodyChecks(names: Names, taxonomy: KnownNodes) {
  const knowsBrowseNode = (id: Int64) => taxonomy.node(id) !== undefined;
  return {
    token: createTokenCheck(names),
    sku: createSkuCheck(names, knowsBrowseNode),
    shoeSku: createShoeSkuCheck(names, knowsBrowseNode),
    price: createBodyCheck(PriceBody, names),
    inventory: createBodyCheck(InventoryBody, names),
    variation: createBodyCheck(VariationBody, names),
    shipping_exception: createShippingExceptionCheck(names),
    returns_exception: createReturnsExceptionCheck(names),
    archive: createBodyCheck(ArchiveBody, names),
    offersChange: createOffersChangeCheck(names),
    fileUploaded: createFileUploadedCheck(names),
  };
}
