/** Port for plans: changes to many offers that were tried, and are applied by a bulk file. */
import type { BulkFile } from '../../domain/bulk-files.ts';
import type { Plan, WholePlan } from '../../domain/plans.ts';

export interface PlanLimitsOfAccount {
  /** Plans made since this time count towards `recent_max`. */
  readonly sinceMs: number;
  readonly recent_max: number;
  /** All but the newest plans are deleted, with their files that were not submitted. */
  readonly kept_max: number;
}

type PlanFile = Pick<BulkFile, 'accountId' | 'fileId' | 'type' | 'name' | 'number'>;

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
  /**
   * Marks the plan with the id of the file as applied, and submits the file. Returns the file as it is if it was submitted before. Changes
   * nothing if it is `stale`: a file with a lower number was submitted since `sinceMs` or has not ended, `refused` by a person, or `unknown`:
   * the file was deleted.
   */
  submitPlan(file: PlanFile, nowMs: number, sinceMs: number): Promise<BulkFile | 'stale' | 'refused' | 'unknown'>;
  /** Deletes some plans that were made before this time, without their files. Returns whether some may be left. */
  dropPlans(accountId: number, beforeMs: number): Promise<boolean>;
}
