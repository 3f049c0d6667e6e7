/** Decides whether a SKU accepts a write: only an upload adds a SKU, and an archived SKU accepts only its archive flag. */
import { type Refused, refuse, refuseOutdated } from '../outcome.ts';
import { requestProblem } from '../problem.ts';
import type { OfferPart } from '../vocabulary/offer-parts.ts';

/** Names the rule for most parts. */
export const UPLOADED = 'whether each SKU exists and is not archived';

export type SkuState = 'unknown' | 'open' | 'archived';

/** `archived` is the flag of the SKU; undefined if the SKU does not exist. */
export function skuState(archived: boolean | undefined): SkuState {
  if (archived === undefined) return 'unknown';
  return archived ? 'archived' : 'open';
}

export function outcomeFor(part: OfferPart, state: SkuState): 'stored' | 'unknown' | 'archived' {
  if (state === 'unknown') return part === 'sku' ? 'stored' : 'unknown';
  return state === 'archived' && part !== 'archive' ? 'archived' : 'stored';
}

export function refuseUnknown(skuId: string, ignored: readonly string[] = []): Refused {
  return refuse([requestProblem('sku_unknown', `SKU ${skuId} not found.`)], ignored);
}

export function refuseState(state: 'unknown' | 'archived', skuId: string, ignored: readonly string[]): Refused {
  if (state === 'unknown') return refuseUnknown(skuId, ignored);
  const text = `SKU ${skuId} is archived and cannot be updated. Unarchive it first.`;
  return refuse([requestProblem('sku_archived', text)], ignored);
}

export function refusePrecondition(skuId: string, currentTag: string | null, ignored: readonly string[]): Refused {
  const text =
    currentTag === null
      ? `SKU ${skuId} does not have the data that If-Match requires. Nothing was changed.`
      : `The stored data of SKU ${skuId} does not match If-Match or If-None-Match. Nothing was changed; read it again.`;
  return refuseOutdated(text, currentTag, ignored);
}
