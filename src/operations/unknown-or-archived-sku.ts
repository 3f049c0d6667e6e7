/** The two refusals that every call about one SKU shares: it does not exist, or it is archived. */
import { accept, type Outcome, type Refused, refuse } from '../domain/outcome.ts';
import { type Problem, type Report, requestProblem } from '../domain/problem.ts';
import type { OfferStore, SkuKey, WriteOutcome } from '../store/port/offers.ts';

export function refuseUnknown(skuId: string, ignored: readonly string[] = []): Refused {
  return refuse([requestProblem('sku_unknown', `SKU ${skuId} not found.`)], ignored);
}

function refuseArchived(skuId: string, ignored: readonly string[]): Refused {
  const text = `SKU ${skuId} is archived. Unarchive it before you update it.`;
  return refuse([requestProblem('sku_archived', text)], ignored);
}

export function fromWrite(written: WriteOutcome, skuId: string, ignored: readonly string[]): Outcome<undefined> {
  return written === 'stored' ? accept(undefined, ignored) : refuseState(written, skuId, ignored);
}

export function refuseState(state: 'unknown' | 'archived', skuId: string, ignored: readonly string[]): Refused {
  return state === 'unknown' ? refuseUnknown(skuId, ignored) : refuseArchived(skuId, ignored);
}

/**
 * Refuses because of rules that need stored data. "Not found" and "archived" come before these rules in the order of
 * checks. They are looked up only here, because a write finds them by itself if nothing else is wrong.
 */
export async function refuseByStoredRules(
  store: OfferStore,
  key: SkuKey,
  report: Report | readonly Problem[],
  ignored: readonly string[],
): Promise<Refused> {
  const state = await store.readSkuState(key);
  if (state !== 'open') return refuseState(state, key.skuId, ignored);
  return refuse('problems' in report ? report.problems : report, ignored);
}
