/** Port for plans: changes to many offers that were tried, and are applied by a bulk file. */
import type { Plan, WholePlan } from '../../domain/plans.ts';

export interface PlanLimitsOfAccount {
  /** Plans made since this time count towards `recent_max`. */
  readonly sinceMs: number;
  readonly recent_max: number;
  /** Plans made before this time are deleted, and all but the newest `kept_max`, with their files that were not submitted. */
  readonly keptSinceMs: number;
  readonly kept_max: number;
}

export interface PlanStore {
  /** Returns the number of plans that the account made since then. */
  countPlans(accountId: number, sinceMs: number): Promise<number>;
  /** `too_many`: the account has `recent_max` recent plans. Requests at the same time may exceed it by one for each process. */
  addPlan(plan: WholePlan, limits: PlanLimitsOfAccount): Promise<'stored' | 'too_many'>;
  readPlan(accountId: number, planId: string): Promise<WholePlan | undefined>;
  /** Lists all plans of the account, newest first. */
  listPlans(accountId: number): Promise<readonly Plan[]>;
  /** `decided`: a person decided before, or the plan is being applied. */
  decidePlan(
    accountId: number,
    planId: string,
    decision: 'approved' | 'refused',
    decidedBy: string,
  ): Promise<'stored' | 'decided'>;
  /** Before a plan is applied: after it, a plan that is not `refused` yet cannot be refused. */
  claimPlan(accountId: number, planId: string): Promise<'stored' | 'refused'>;
}
