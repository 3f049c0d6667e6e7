/** Decides whether a SKU accepts a write: only an upload adds a SKU, and an archived SKU accepts only its archive flag. */
import type { OfferPart } from '../vocabulary/offer-parts.ts';
import type { WriteOutcome } from './part.ts';

export type SkuState = 'unknown' | 'open' | 'archived';

/** `archived` is the flag of the SKU; undefined if the SKU does not exist. */
export function skuState(archived: boolean | undefined): SkuState {
  if (archived === undefined) return 'unknown';
  return archived ? 'archived' : 'open';
}

export function outcomeFor(part: OfferPart, state: SkuState): WriteOutcome {
  if (state === 'unknown') return part === 'sku' ? 'stored' : 'unknown';
  return state === 'archived' && part !== 'archive' ? 'archived' : 'stored';
}
