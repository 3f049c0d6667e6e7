/** Use case: a merchant reads one part of a SKU. */
import type { Account } from '../../domain/account.ts';
import { type Awaitable, whenThere } from '../../domain/awaitable.ts';
import { type Int64, parseExactJson } from '../../domain/int64.ts';
import type { GroupUpload, Part, ReadingOf, Source, SourceOf } from '../../domain/offers/part.ts';
import { PARTS } from '../../domain/offers/parts.ts';
import { excludedSkus } from '../../domain/offers/variation-group.ts';
import { refuseUnknown } from '../../domain/offers/write-state.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import { readSource, tagIn } from '../../store/port/part-tags.ts';
import type { Context } from '../context.ts';

export interface PartReading<Name extends OfferPart = OfferPart> {
  readonly value: ReadingOf<Name>;
  readonly tag: string | null;
}

export function readPart(
  { store }: Context,
  { accountId }: Account,
  skuId: string,
  part: Part,
): Awaitable<Outcome<PartReading>> {
  return whenThere(readSource(store.offers, { accountId, skuId }, part.source), (found) => {
    if (found === 'unknown') return refuseUnknown(skuId);
    const value = found === 'unset' ? null : part.valueIn(found as SourceOf<OfferPart>);
    if (value !== null) return accept({ value, tag: tagIn(part, found) });
    if (part.unset === undefined) throw new Error(`SKU ${skuId} lacks a part that every offer has: ${part.name}.`);
    const [code, text] = part.unset;
    return refuseRequest(code, `SKU ${skuId} ${text}.`);
  });
}

/** Returns the members of a group that are excluded from it because of their current data. */
export async function readExcluded(
  { store }: Context,
  { accountId }: Account,
  parentId: string,
  { refinements, childrenSkus }: GroupUpload,
): Promise<readonly string[]> {
  const ids = parseExactJson(refinements) as Int64[];
  return excludedSkus(await store.offers.readMembers(accountId, [parentId, ...childrenSkus], ids));
}

/** The parts that an offer may lack. */
export const OPTIONAL_PARTS = PARTS.filter(({ unset }) => unset !== undefined);

/** Returns the names of the optional parts that are set. */
export async function readSetParts(
  { store }: Context,
  { accountId }: Account,
  skuId: string,
): Promise<Outcome<readonly OfferPart[]>> {
  // Several parts are in one source, which is read once.
  const bySource = Object.entries(Object.groupBy(OPTIONAL_PARTS, ({ source }) => source)) as [Source, Part[]][];
  const reads = await Promise.all(bySource.map(([source]) => readSource(store.offers, { accountId, skuId }, source)));
  if (reads.includes('unknown')) return refuseUnknown(skuId);
  const set = bySource.flatMap(([, parts], index) => {
    const found = reads[index];
    return parts.filter(({ valueIn }) => typeof found === 'object' && valueIn(found) !== null);
  });
  return accept(OPTIONAL_PARTS.filter((part) => set.includes(part)).map(({ name }) => name));
}
