/** Use cases: a merchant reads all parts of a SKU in one call, and writes several of them, all or none. */
import type { Account } from '../../domain/account.ts';
import { type Awaitable, whenThere } from '../../domain/awaitable.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { isObject, isPresent, notKind } from '../../domain/check/compile.ts';
import { LIMITS } from '../../domain/limits.ts';
import { checkWrite } from '../../domain/offers/check-write.ts';
import type { CheckContext, CheckedWrite, PartWrite, RefusedWrite } from '../../domain/offers/part.ts';
import { PARTS_IN_OFFER } from '../../domain/offers/parts.ts';
import { refuseUnknown } from '../../domain/offers/write-state.ts';
import { type Accepted, accept, type Outcome, type Refused, refuse } from '../../domain/outcome.ts';
import { problemBelow, Report, requestProblem } from '../../domain/problem.ts';
import { type Review, reviewOffer } from '../../domain/review/review-offer.ts';
import type { OfferStore, SkuKey, WholeOffer } from '../../store/port/offers.ts';
import { offerTagIn } from '../../store/port/part-tags.ts';
import type { Context } from '../context.ts';
import { factsOf, reviewKnowledge } from '../review-knowledge.ts';
import { answerRefused, fromWrite, type WriteOperation, writeParts } from './write.ts';

const NAMES: readonly string[] = PARTS_IN_OFFER.map(({ name }) => name);

export interface OfferReading {
  readonly offer: WholeOffer;
  /** Has no checks if the stored verdict is valid and says that no check failed. */
  readonly review: Omit<Review, 'next'>;
  readonly tag: string;
}

/** Reads all parts as of one moment, with the review of exactly these parts. */
export function readOffer(context: Context, account: Account, skuId: string): Awaitable<Outcome<OfferReading>> {
  const { accountId } = account;
  return whenThere(context.store.offers.readWholeOffer({ accountId, skuId }), (offer) => {
    if (offer === undefined) return refuseUnknown(skuId);
    const { verdict, price, inventory } = offer;
    const knowledge = reviewKnowledge(context.rules, account);
    const review =
      verdict?.rules === knowledge.tag && verdict.status === 'available'
        ? { ...verdict, checks: [] }
        : reviewOffer(factsOf(offer), knowledge, offer.evidence, context.names);
    return accept({ offer, review, tag: offerTagIn({ offer, price, inventory }) });
  });
}

/**
 * Checks each part by the rules of its own call, and returns the problems of all parts. The problems take precedence over "SKU not found"
 * and "SKU is archived" if any of them does in its own call.
 */
export function checkOffer(
  context: CheckContext,
  account: Account,
  skuId: string,
  { value: sent, problems }: SentBody,
): Accepted<readonly PartWrite[]> | RefusedWrite {
  const report = new Report();
  report.append(problems);
  let isBehindState = problems.length === 0;
  const writes: PartWrite[] = [];
  const ignored: string[] = [];
  if (isObject(sent)) {
    for (const part of PARTS_IN_OFFER) {
      const { name } = part;
      const value = sent[name];
      if (!isPresent(value)) continue;
      if (!isObject(value)) {
        report.add('wrong_type', `must be an object, ${notKind(value)}`, name);
        isBehindState = false;
        continue;
      }
      const checked = checkWrite(part, context, account, skuId, { value, problems: [] }) as CheckedWrite;
      ignored.push(...checked.ignored.map((pointer) => `/${name}${pointer}`));
      if (checked.ok) {
        writes.push(checked.value);
      } else {
        report.append(checked.problems.map((problem) => problemBelow(name, problem)));
        isBehindState &&= checked.behindSkuState;
      }
    }
    for (const name of Object.keys(sent)) if (!NAMES.includes(name)) report.ignore(name);
    if (!NAMES.some((name) => isPresent(sent[name]))) {
      report.add('required', `must have at least one of: ${NAMES.join(', ')}`);
      isBehindState = false;
    }
  } else {
    report.append([requestProblem('body_not_object', 'The body must be a JSON object.')]);
    isBehindState = false;
  }
  const allIgnored = [...report.ignored, ...ignored].slice(0, LIMITS.ignored_fields_max);
  if (report.problems.length === 0) return accept(writes, allIgnored);
  return { ok: false, problems: report.problems, ignored: allIgnored, behindSkuState: isBehindState };
}

export const putOffer: WriteOperation = async (context, request, by) => {
  const { account, skuId, body } = request;
  const key = { accountId: account.accountId, skuId, by };
  const checked = checkOffer(context, account, skuId, body);
  if (!checked.ok) return answerRefusedOffer(context.store.offers, key, checked, body);
  const written = await writeParts(context, key, checked.value, request, 'offer');
  context.onOfferWritten();
  return fromWrite(written, skuId, () => undefined, checked.ignored);
};

/** A body that includes the SKU data may create the SKU, so it is never refused with "SKU not found". */
export async function answerRefusedOffer(
  offers: OfferStore,
  key: SkuKey,
  checked: RefusedWrite,
  body: SentBody,
): Promise<Refused> {
  const mayBeNew = isObject(body.value) && isPresent(body.value.sku);
  if (mayBeNew && checked.behindSkuState && (await offers.readSkuState(key)) === 'unknown') {
    return refuse(checked.problems, checked.ignored);
  }
  return answerRefused(offers, key, checked);
}
