/** Use case: a merchant groups SKUs as variations of one product, under a parent SKU. */
import type { Account } from '../domain/account.ts';
import type { Author } from '../domain/author.ts';
import type { VariationUpload } from '../domain/bodies/variation.ts';
import type { SentBody } from '../domain/body-text.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { GroupOutcome } from '../domain/offers/parts.ts';
import type { Accepted, Outcome } from '../domain/outcome.ts';
import type { WriteConditions } from '../domain/precondition.ts';
import { type Problem, type ProblemCode, Report } from '../domain/problem.ts';
import { checkGroup, childrenOf, refinementsOf } from '../domain/variation-group.ts';
import type { OfferStore } from '../store/port/offers.ts';
import type { WriteOf } from './check-order.ts';
import { acceptUnless, answerRefused, type CheckContext, type RefusedWrite, refuseBody } from './check-order.ts';
import type { Context } from './context.ts';
import { fromWrite, type NewTag, refuseByStoredRules, refuseUnknown } from './unknown-or-archived-sku.ts';
import { writeParts } from './write-part.ts';

export type GroupCheckContext = CheckContext & { readonly store: { readonly offers: Pick<OfferStore, 'readMembers'> } };

type RefusedChildren = Extract<GroupOutcome, object>['refused'];

export interface AcceptedGroup extends Accepted<WriteOf<'variation'>> {
  /** Returns problems for children that the write found missing or archived. */
  readonly problemsOf: (refused: RefusedChildren) => readonly Problem[];
}

/** Checks a group. It reads the members, because their brands and attributes must match. */
export async function checkVariation(
  context: GroupCheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<AcceptedGroup | RefusedWrite> {
  const checked = context.bodies.variation(body);
  if (!checked.ok) return refuseBody(checked);
  const { value: upload, ignored } = checked;
  const childrenSkus = childrenOf(skuId, upload.children_skus);

  // Brand and attributes are checked on this snapshot. The write itself checks that all members exist and are not
  // archived.
  const memberSkus = [skuId, ...childrenSkus];
  const stored = await context.store.offers.readMembers(account.accountId, memberSkus, upload.variation_refinements);
  const members = new Map(stored.map((member) => [member.skuId, member]));
  const parent = members.get(skuId);
  if (parent === undefined) return { ...refuseUnknown(skuId, ignored), behindSkuState: false };
  const report = new Report();
  const states = new Map<string, ChildState>(
    stored.map((member) => [member.skuId, member.archived ? 'archived' : 'open']),
  );
  refuseChildren(upload, skuId, (child) => states.get(child) ?? 'unknown', report);
  checkGroup(parent, members, upload, report);
  const accepted = acceptUnless<'variation'>(report, ignored, () => ({
    skuId,
    kind: 'variation',
    group: {
      refinements: stringifyExactJson(refinementsOf(upload.variation_refinements)),
      title: upload.group_title ?? null,
      childrenSkus,
    },
  }));
  if (!accepted.ok) return accepted;
  return { ...accepted, problemsOf: (refused) => problemsOfChildren(upload, skuId, refused) };
}

export async function putVariation(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
  by: Author,
  conditions?: WriteConditions,
): Promise<Outcome<NewTag>> {
  const key = { accountId: account.accountId, skuId, by };
  const checked = await checkVariation(context, account, skuId, body);
  if (!checked.ok) return answerRefused(context.store.offers, key, checked);
  const written = await writeParts(context, key, [checked.value], conditions);
  context.onOfferWritten();
  if (typeof written === 'string' || !('refused' in written)) return fromWrite(written, checked.value, checked.ignored);
  return refuseByStoredRules(context.store.offers, key, checked.problemsOf(written.refused), checked.ignored);
}

type ChildState = 'unknown' | 'archived' | 'open';

const CHILD_FAULTS: Readonly<Record<Exclude<ChildState, 'open'>, readonly [ProblemCode, string]>> = {
  unknown: ['child_unknown', 'not found'],
  archived: ['child_archived', 'is archived'],
};

function problemsOfChildren(upload: VariationUpload, parentId: string, refused: RefusedChildren): readonly Problem[] {
  const states = new Map<string, ChildState>(refused.map((child) => [child.skuId, child.state]));
  const report = new Report();
  refuseChildren(upload, parentId, (child) => states.get(child) ?? 'open', report);
  return report.problems;
}

function refuseChildren(
  upload: VariationUpload,
  parentId: string,
  stateOf: (skuId: string) => ChildState,
  report: Report,
): void {
  for (const [index, child] of upload.children_skus.entries()) {
    const state = child === parentId ? 'open' : stateOf(child);
    if (state === 'open') continue;
    const [code, text] = CHILD_FAULTS[state];
    report.add(code, `SKU ${child} ${text}`, 'children_skus', index);
  }
}
