/** Builds the refusals that calls for one SKU share: it does not exist, is archived, or does not meet a precondition. */
import type { PartWrite } from '../domain/offers/part.ts';
import { accept, type Outcome, type Refused, refuse, refuseOutdated } from '../domain/outcome.ts';
import { type Problem, type Report, requestProblem } from '../domain/problem.ts';
import type { OfferStore, PartsOutcome, SkuKey } from '../store/port/offers.ts';
import { writtenTag } from '../store/port/part-tags.ts';

export function refuseUnknown(skuId: string, ignored: readonly string[] = []): Refused {
  return refuse([requestProblem('sku_unknown', `SKU ${skuId} not found.`)], ignored);
}

function refuseArchived(skuId: string, ignored: readonly string[]): Refused {
  const text = `SKU ${skuId} is archived and cannot be updated. Unarchive it first.`;
  return refuse([requestProblem('sku_archived', text)], ignored);
}

export function refuseState(state: 'unknown' | 'archived', skuId: string, ignored: readonly string[]): Refused {
  return state === 'unknown' ? refuseUnknown(skuId, ignored) : refuseArchived(skuId, ignored);
}

export function refusePrecondition(skuId: string, currentTag: string | null, ignored: readonly string[]): Refused {
  const text =
    currentTag === null
      ? `SKU ${skuId} does not have the data that If-Match requires. Nothing was changed.`
      : `The stored data of SKU ${skuId} does not match If-Match or If-None-Match. Nothing was changed; read it again.`;
  return refuseOutdated(text, currentTag, ignored);
}

/** The tag after a write: null if the part is not set, undefined if it is unknown. */
export type NewTag = string | null | undefined;

/** Converts the result of a write that names no other SKU. `write` determines the new tag if the store does not return it. */
export function fromWrite(
  written: PartsOutcome,
  write: PartWrite | { readonly kind: 'offer'; readonly skuId: string },
  ignored: readonly string[],
): Outcome<NewTag> {
  if (written === 'stored') return accept(write.kind === 'offer' ? undefined : writtenTag(write), ignored);
  if (typeof written === 'string') return refuseState(written, write.skuId, ignored);
  if ('newTag' in written) return accept(written.newTag, ignored);
  if ('refused' in written) throw new Error('A write without a group returned refused children.');
  return refusePrecondition(write.skuId, written.currentTag, ignored);
}

/**
 * Refuses a write by rules that need stored data. "SKU not found" and "SKU is archived" take precedence over these rules. They are looked
 * up only here, because a write detects them itself if nothing else is wrong.
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
