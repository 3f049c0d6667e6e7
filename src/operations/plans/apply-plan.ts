/** Use cases: a program applies a plan or undoes it, a merchant's users approve or refuse it, and both read it. */
import type { Account } from '../../domain/account.ts';
import { authorOfFile } from '../../domain/author.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import type { UndoablePart } from '../../domain/offers/history.ts';
import { PARTS } from '../../domain/offers/parts.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { approvalReasons, isExpired, type Plan, type PlanState, type WholePlan } from '../../domain/plans.ts';
import { missingScopes, scopeMissing } from '../../domain/setup/key-scopes.ts';
import { DAY_MS } from '../../domain/vocabulary/iso-time.ts';
import type { OfferPart } from '../../domain/vocabulary/offer-parts.ts';
import { isFileId } from '../files/file-context.ts';
import { type UndoneFile, undoFile } from '../files/undo-file.ts';
import type { PlanContext, Planner } from './make-plan.ts';

/** A part that the plan should have changed, and left alone because it was changed since the plan was made. */
export interface LeftPart {
  readonly skuId: string;
  readonly part: OfferPart;
}

/** `file`: the bulk file that applies the plan; undefined until it is applied, and after the file was deleted. */
export interface PlanReading<P extends Plan = Plan> {
  readonly plan: P;
  readonly state: PlanState;
  readonly file: BulkFile | undefined;
}

/** SKUs whose changes are read at a time. */
const PAGE_OFFERS = 200;

export async function listPlans(contexts: PlanContext, account: Account): Promise<readonly PlanReading[]> {
  const plans = await contexts.plans.listPlans(account.accountId);
  return Promise.all(plans.map((plan) => readingOf(contexts, account, plan)));
}

export async function readPlan(
  contexts: PlanContext,
  account: Account,
  planId: string,
): Promise<Outcome<PlanReading<WholePlan>>> {
  const plan = isFileId(planId) ? await contexts.plans.readPlan(account.accountId, planId) : undefined;
  return plan === undefined ? refuseRequest('plan_not_found') : accept(await readingOf(contexts, account, plan));
}

async function readingOf<P extends Plan>(
  { files, context }: PlanContext,
  { accountId }: Account,
  plan: P,
): Promise<PlanReading<P>> {
  const file = await files.store.files.readFile(accountId, plan.planId);
  if (file !== undefined) return { plan, state: file.endedMs === null ? 'applying' : 'applied', file };
  if (plan.decision === 'applied') return { plan, state: 'applied', file };
  return { plan, state: openState(plan, context.nowMs()), file };
}

function openState(plan: Plan, nowMs: number): PlanState {
  if (plan.decision === 'refused') return 'refused';
  if (isExpired(plan, nowMs)) return 'expired';
  return plan.reasons.length > 0 && plan.decision === null ? 'awaiting_approval' : 'planned';
}

/** Submits the plan's file. A plan that was applied before is returned as it is. */
export async function applyPlan(
  contexts: PlanContext,
  account: Account,
  planner: Planner,
  planId: string,
): Promise<Outcome<PlanReading>> {
  const read = await mayUse(contexts, account, planner, planId, 'by its maker');
  if (!read.ok) return read;
  const { plan, state } = read.value;
  if (state === 'applying' || state === 'applied') return read;
  const nowMs = contexts.context.nowMs();
  if (state === 'refused') return refuseRequest('plan_refused');
  if (state === 'expired') return refuseRequest('plan_expired');
  // Checked again, because the hours may be over, or the guard rails stricter.
  const exceeded = [...plan.reasons, ...approvalReasons(plan.totals, planner.key?.planLimits, nowMs)];
  if (exceeded.length > 0 && plan.decision !== 'approved') return refuseRequest('plan_needs_approval');
  const { accountId, number, createdMs, totals } = plan;
  const type = totals.archived > 0 ? 'Archive' : 'Offers';
  const submitted = { accountId, fileId: planId, type, name: `Plan ${planId}`, number } as const;
  const file = await contexts.plans.submitPlan(submitted, nowMs, createdMs);
  // Rows of a file with a lower number would not count as newer, so the plan would replace values that it did not show.
  if (file === 'stale') return refuseRequest('plan_stale');
  if (file === 'refused') return refuseRequest('plan_refused');
  if (file === 'unknown')
    return refuseRequest('plan_expired', 'The bulk file of the plan was deleted. Make a new plan.');
  contexts.files.onFileReceived();
  return accept({ plan, state: 'applying', file });
}

/** Restores the values from before the plan where they still are as the plan applied them. Any key with the scopes may undo a plan. */
export async function undoPlan(
  contexts: PlanContext,
  account: Account,
  planner: Planner,
  planId: string,
): Promise<Outcome<UndoneFile>> {
  const read = await mayUse(contexts, account, planner, planId);
  if (!read.ok) return read;
  const { state, file } = read.value;
  if (file !== undefined) return undoFile(contexts, account, planId);
  if (state !== 'applied') return refuseRequest('plan_not_applied');
  return refuseRequest('change_not_undoable', 'The bulk file of the plan was deleted, so the plan cannot be undone.');
}

async function mayUse(
  contexts: PlanContext,
  account: Account,
  { by, key }: Planner,
  planId: string,
  who?: 'by its maker',
): Promise<Outcome<PlanReading<WholePlan>>> {
  const read = await readPlan(contexts, account, planId);
  if (!read.ok || key === undefined) return read;
  const { plan } = read.value;
  if (who !== undefined && plan.by !== by) return refuseRequest('plan_of_other_key');
  const missing = missingScopes(key, plan.needs);
  return missing.length > 0 ? refuse([scopeMissing(missing)]) : read;
}

export async function decidePlan(
  contexts: PlanContext,
  account: Account,
  email: string,
  planId: string,
  decision: 'approved' | 'refused',
): Promise<Outcome<PlanReading>> {
  const read = await readPlan(contexts, account, planId);
  if (!read.ok) return read;
  const { state } = read.value;
  if (state === 'expired') return refuseRequest('plan_expired');
  const isOpen = state === 'planned' || state === 'awaiting_approval';
  const decided = isOpen && (await contexts.plans.decidePlan(account.accountId, planId, decision, email)) === 'stored';
  return decided ? readPlan(contexts, account, planId) : refuseRequest('plan_decided');
}

/**
 * Returns what the applied plan left alone; undefined before that, and once the history of the changes is not kept anymore. `changed`: the
 * parts that it should have changed, by SKU.
 */
export async function leftParts(
  { history, context }: PlanContext,
  { accountId }: Account,
  { state, plan: { planId, createdMs } }: PlanReading,
  changed: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<readonly LeftPart[] | undefined> {
  if (state !== 'applied' || createdMs <= context.nowMs() - history.history_days * DAY_MS) return undefined;
  const by = authorOfFile(planId);
  const skuIds = [...changed.keys()];
  const left: LeftPart[] = [];
  for (const { name } of PARTS) {
    const planned = skuIds.filter((skuId) => changed.get(skuId)?.has(name));
    for (let start = 0; start < planned.length; start += PAGE_OFFERS) {
      const page = planned.slice(start, start + PAGE_OFFERS);
      const written = await history.store.readChangesBy(accountId, by, name as UndoablePart, page);
      const known = new Set(written.map(({ skuId }) => skuId));
      left.push(...page.filter((skuId) => !known.has(skuId)).map((skuId) => ({ skuId, part: name })));
    }
  }
  return left;
}
