/** Compiles the checks of all request bodies once, for the configured names and the current taxonomy. */
import type { TSchema } from '../check/type.ts';
import type { Int64 } from '../int64.ts';
import type { Names } from '../names.ts';
import { CLEARABLE_PARTS, OFFER_PARTS, type OfferPart } from '../vocabulary/offer-parts.ts';
import { type BodyCheck, type BodyRules, createBodyCheck } from './body-check.ts';
import { requireFieldToClear } from './clearable-field.ts';
import { createFileUploadedCheck } from './file-uploaded.ts';
import { FixesBody, OffersFixBody } from './fixes.ts';
import { createOffersChangeCheck } from './offers-change.ts';
import { OffersCopyBody } from './offers-copy.ts';
import { PART_BODIES, type PartBody } from './part-bodies.ts';
import { createPlanCheck } from './plan.ts';
import { checkShippingExceptions } from './shipping-exception-rules.ts';
import { createShoeSkuCheck, createSkuCheck } from './sku.ts';
import { createTokenCheck } from './token.ts';

/** Returns undefined for an id that no browse node has. */
export interface KnownNodes {
  node(id: Int64): unknown;
}

/** A taxonomy that has every browse node, for checks without a server. */
export const ANY_NODES: KnownNodes = { node: () => true };

/** The checks of the parts that need no taxonomy. */
type PartChecks = { readonly [Name in Exclude<OfferPart, 'sku'>]: BodyCheck<PartBody<Name>> };

export type BodyChecks = ReturnType<typeof createBodyChecks>;

export function createBodyChecks(names: Names, taxonomy: KnownNodes) {
  const knowsBrowseNode = (id: Int64) => taxonomy.node(id) !== undefined;
  const partChecks = OFFER_PARTS.filter((part) => part !== 'sku').map((part) => {
    return [part, createBodyCheck<TSchema>(PART_BODIES[part], names, RULES[part] as BodyRules<unknown>)];
  });
  return {
    token: createTokenCheck(names),
    ...(Object.fromEntries(partChecks) as PartChecks),
    sku: createSkuCheck(names, knowsBrowseNode),
    shoeSku: createShoeSkuCheck(names, knowsBrowseNode),
    offersChange: createOffersChangeCheck(names),
    offersCopy: createBodyCheck(OffersCopyBody, names),
    plan: createPlanCheck(names),
    fixes: createBodyCheck(FixesBody, names),
    offersFix: createBodyCheck(OffersFixBody, names),
    fileUploaded: createFileUploadedCheck(names),
  };
}

/** The rules between the fields of a body. */
const RULES: Readonly<Partial<Record<OfferPart, BodyRules<never>>>> = {
  ...Object.fromEntries(CLEARABLE_PARTS.map((part) => [part, requireFieldToClear(PART_BODIES[part])])),
  shipping_exception: checkShippingExceptions,
};
