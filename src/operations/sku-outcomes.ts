/** In charge of the two answers that every call about one SKU may get: it was never uploaded, or it is archived. */
import { accept, type Outcome, type Refused, refuse } from '../domain/outcome.ts';
import { type Problem, type Report, requestProblem } from '../domain/problem.ts';
import type { OfferStore, SkuKey, WriteOutcome } from '../store/port/offers.ts';

export function refuseUnknown(skuId: string, ignored: readonly string[] = []): Refused {
  return refuse([requestProblem('sku_unknown', `SKU ${skuId} was never uploaded.`)], ignored);
}

function refuseArchived(skuId: string, ignored: readonly string[]): Refused {
  const text = `SKU ${skuId} cannot be updated because it is archived; unarchive it first.`;
  return refuse([requestProblem('sku_archived', text)], ignored);
}

export function fromWrite(written: WriteOutcome, skuId: string, ignored: readonly string[]): Outcome<undefined> {
  if (written === 'stored') return accept(undefined, ignored);
  return written === 'unknown' ? refuseUnknown(skuId, ignored) : refuseArchived(skuId, ignored);
}

/**
 * Refuses for rules that need stored data. An unknown or archived SKU comes before those in the order of checks; it
 * is looked up only here, since the write itself finds out when there is nothing else to refuse.
 */
export async function refuseByStoredRules(
  store: OfferStore,
  key: SkuKey,
  report: Report | readonly Problem[],
  ignored: readonly string[],
): Promise<Refused> {
  const state = await store.readSkuState(key);
  if (state === 'unknown') return refuseUnknown(key.skuId, ignored);
  if (state === 'archived') return refuseArchived(key.skuId, ignored);
  return refuse('problems' in report ? report.problems : report, ignored);
}
