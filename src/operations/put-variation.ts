/** Use case: a merchant groups SKUs as variations of one product, under a parent SKU. */
import type { Account } from '../domain/account.ts';
import type { VariationUpload } from '../domain/bodies/variation.ts';
import type { SentBody } from '../domain/body-text.ts';
import { stringifyExactJson } from '../domain/int64.ts';
import type { Outcome } from '../domain/outcome.ts';
import { type ProblemCode, Report } from '../domain/problem.ts';
import { checkGroup, childrenOf, refinementsOf } from '../domain/variation-group.ts';
import type { Context } from './context.ts';
import { fromWrite, refuseByStoredRules, refuseUnknown } from './sku-outcomes.ts';

export async function putVariation(
  context: Context,
  account: Account,
  skuId: string,
  body: SentBody,
): Promise<Outcome<undefined>> {
  const checked = context.bodies.variation(body);
  if (!checked.ok) return checked;
  const { value: upload, ignored } = checked;
  const key = { accountId: account.accountId, skuId };
  const childrenSkus = childrenOf(skuId, upload.children_skus);

  // Brand and attributes are judged on this snapshot; that all members exist and are open, the write decides itself.
  const memberSkus = [skuId, ...childrenSkus];
  const stored = await context.store.readMembers(account.accountId, memberSkus, upload.variation_refinements);
  const members = new Map(stored.map((member) => [member.skuId, member]));
  const parent = members.get(skuId);
  if (parent === undefined) return refuseUnknown(skuId, ignored);
  const report = new Report();
  const states = new Map<string, ChildState>(
    stored.map((member) => [member.skuId, member.archived ? 'archived' : 'open']),
  );
  refuseChildren(upload, skuId, (child) => states.get(child) ?? 'unknown', report);
  checkGroup(parent, members, upload, report);
  if (report.problems.length > 0) return refuseByStoredRules(context.store, key, report, ignored);

  const written = await context.store.putGroup(key, {
    refinements: stringifyExactJson(refinementsOf(upload.variation_refinements)),
    title: upload.group_title ?? null,
    childrenSkus,
  });
  context.onOfferWritten();
  if (typeof written === 'string') return fromWrite(written, skuId, ignored);
  const refused = new Map<string, ChildState>(written.refused.map((child) => [child.skuId, child.state]));
  refuseChildren(upload, skuId, (child) => refused.get(child) ?? 'open', report);
  return refuseByStoredRules(context.store, key, report, ignored);
}

type ChildState = 'unknown' | 'archived' | 'open';

const CHILD_FAULTS: Readonly<Record<Exclude<ChildState, 'open'>, readonly [ProblemCode, string]>> = {
  unknown: ['child_unknown', 'was never uploaded'],
  archived: ['child_archived', 'is archived'],
};

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
