/** Stores plans. */
import type { Plan, WholePlan } from '../../domain/plans.ts';
import type { PlanStore } from '../port/plans.ts';
import { commandsWith, read, undone } from './command.ts';
import { columnsOf, JSON_TEXT } from './records.ts';
import { firstOf, insertStatement, rowsOf, statement } from './sql.ts';

const { write } = commandsWith({ account: true });

const CODECS = { totals: JSON_TEXT, reasons: JSON_TEXT };
const FIELDS = [
  ...(['accountId', 'planId', 'number', 'by', 'createdMs', 'needs'] as const),
  ...(['totals', 'reasons', 'decision', 'decidedBy'] as const),
] as const;
const PLAN = columnsOf<Plan>(CODECS)(...FIELDS);
const WHOLE = columnsOf<WholePlan>(CODECS)(...FIELDS, 'offers');

const COUNT = statement<[plans: number]>('count plans')`
  SELECT count(*) FROM plan WHERE account_id = $1 AND created_ms >= $2`;
const ADD = insertStatement('add plan', 'plan', WHOLE.names);
const READ = statement('read plan')`SELECT ${WHOLE.list} FROM plan WHERE account_id = $1 AND plan_id = $2`;
const LIST = statement('list plans')`
  SELECT ${PLAN.list} FROM plan WHERE account_id = $1 ORDER BY created_ms DESC, plan_id`;
const FIND_OLD = statement<[planId: string]>('find old plans')`
  SELECT plan_id FROM plan WHERE account_id = $1 ORDER BY created_ms DESC, plan_id LIMIT $3 OFFSET $2`;
const DROP_OLD = statement<[]>('drop old plans')`DELETE FROM plan WHERE account_id = $1 AND created_ms < $2`;
const DROP = statement<[]>('drop plan')`DELETE FROM plan WHERE account_id = $1 AND plan_id = $2`;
/** Otherwise the file could be submitted without its plan. */
const DISCARD_FILE = statement<[]>('discard file of plan')`
  UPDATE bulk_file SET created_ms = 0 WHERE account_id = $1 AND file_id = $2 AND coalesce(number, 0) = 0`;
const CLAIM = statement<[1]>('claim plan')`
  UPDATE plan SET decision = coalesce(decision, 'applied')
  WHERE account_id = $1 AND plan_id = $2 AND coalesce(decision, '') <> 'refused' RETURNING 1`;
const DECIDE = statement<[1]>('decide plan')`
  UPDATE plan SET decision = $3, decided_by = $4 WHERE account_id = $1 AND plan_id = $2 AND decision IS NULL RETURNING 1`;

/** More than one plan is beyond the limit only after the limit was lowered. */
const DROPPED_MAX = 100;

export const countPlans = read<PlanStore['countPlans']>(async (sql, accountId, sinceMs) => {
  return (await sql.run(COUNT, [accountId, sinceMs]))[0]?.[0] ?? 0;
});
export const readPlan = read<PlanStore['readPlan']>(firstOf(READ, WHOLE.of));
export const listPlans = read<PlanStore['listPlans']>(rowsOf(LIST, PLAN.of));

export const addPlan = write<PlanStore['addPlan']>(
  async (sql, plan, { sinceMs, recent_max, keptSinceMs, kept_max }) => {
    const { accountId } = plan;
    const [counted] = await sql.run(COUNT, [accountId, sinceMs]);
    if ((counted?.[0] ?? 0) >= recent_max) return undone('too_many');
    await sql.run(ADD, WHOLE.valuesOf(plan));
    await sql.run(DROP_OLD, [accountId, keptSinceMs]);
    for (const [planId] of await sql.run(FIND_OLD, [accountId, kept_max, DROPPED_MAX])) {
      await sql.run(DISCARD_FILE, [accountId, planId]);
      await sql.run(DROP, [accountId, planId]);
    }
    return 'stored';
  },
);

export const decidePlan = write<PlanStore['decidePlan']>(async (sql, accountId, planId, decision, decidedBy) => {
  const decided = await sql.run(DECIDE, [accountId, planId, decision, decidedBy]);
  return decided.length > 0 ? 'stored' : undone('decided');
});

export const claimPlan = write<PlanStore['claimPlan']>(async (sql, accountId, planId) => {
  return (await sql.run(CLAIM, [accountId, planId])).length > 0 ? 'stored' : undone('refused');
});
