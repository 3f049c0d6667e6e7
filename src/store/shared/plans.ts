/** Stores plans. */
import type { Plan, WholePlan } from '../../domain/plans.ts';
import type { PlanStore } from '../port/plans.ts';
import { commandsWith, read, undone } from './command.ts';
import { hasEarlierSince } from './files/lists.ts';
import { receiveFile } from './files/progress.ts';
import { columnsOf, JSON_TEXT } from './records.ts';
import { firstOf, insertStatement, rowsOf, statement } from './sql.ts';

const { keptWrite, write } = commandsWith({ account: true });

const CODECS = { totals: JSON_TEXT, reasons: JSON_TEXT };
const FIELDS = [
  ...(['accountId', 'planId', 'number', 'by', 'createdMs', 'needs'] as const),
  ...(['totals', 'reasons', 'decision', 'decidedBy'] as const),
] as const;
const PLAN = columnsOf<Plan>(CODECS)(...FIELDS);
const WHOLE = columnsOf<WholePlan>(CODECS)(...FIELDS, 'offers');

/** A plan may have 8 MB, so that SQLite's other writes would wait for many. */
const DROPPED_AT_ONCE = 5;

const COUNT = statement<[plans: number]>('count plans')`
  SELECT count(*) FROM plan WHERE account_id = $1 AND created_ms >= $2`;
const ADD = insertStatement('add plan', 'plan', WHOLE.names);
const READ = statement('read plan')`SELECT ${WHOLE.list} FROM plan WHERE account_id = $1 AND plan_id = $2`;
const LIST = statement('list plans')`
  SELECT ${PLAN.list} FROM plan WHERE account_id = $1 ORDER BY created_ms DESC, plan_id`;
const FIND_OLD = statement<[planId: string]>('find old plans')`
  SELECT plan_id FROM plan WHERE account_id = $1 ORDER BY created_ms DESC, plan_id LIMIT $3 OFFSET $2`;
const DROP_OLD = statement<[1]>('drop old plans')`
  DELETE FROM plan WHERE account_id = $1 AND plan_id IN (
    SELECT p.plan_id FROM plan p WHERE p.account_id = $1 AND p.created_ms < $2 ORDER BY p.created_ms LIMIT ${DROPPED_AT_ONCE})
  RETURNING 1`;
const DROP = statement<[]>('drop plan')`DELETE FROM plan WHERE account_id = $1 AND plan_id = $2`;
/** Otherwise the file could be submitted without its plan. */
const DISCARD_FILE = statement<[]>('discard file of plan')`
  UPDATE bulk_file SET created_ms = 0 WHERE account_id = $1 AND file_id = $2 AND coalesce(number, 0) = 0`;
const CLAIM = statement<[1]>('claim plan')`
  UPDATE plan SET decision = 'applied'
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

export const addPlan = write<PlanStore['addPlan']>(async (sql, plan, { sinceMs, recent_max, kept_max }) => {
  const { accountId } = plan;
  const [counted] = await sql.run(COUNT, [accountId, sinceMs]);
  if ((counted?.[0] ?? 0) >= recent_max) return undone('too_many');
  await sql.run(ADD, WHOLE.valuesOf(plan));
  for (const [planId] of await sql.run(FIND_OLD, [accountId, kept_max, DROPPED_MAX])) {
    await sql.run(DISCARD_FILE, [accountId, planId]);
    await sql.run(DROP, [accountId, planId]);
  }
  return 'stored';
});

export const decidePlan = write<PlanStore['decidePlan']>(async (sql, accountId, planId, decision, decidedBy) => {
  const decided = await sql.run(DECIDE, [accountId, planId, decision, decidedBy]);
  return decided.length > 0 ? 'stored' : undone('decided');
});

export const submitPlan = write<PlanStore['submitPlan']>(async (sql, file, nowMs, sinceMs) => {
  if (await hasEarlierSince(sql, file.accountId, file.number, sinceMs)) return undone('stale');
  if ((await sql.run(CLAIM, [file.accountId, file.fileId])).length === 0) return undone('refused');
  const received = await receiveFile(sql, file, nowMs, 0);
  return received === 'unknown' ? undone('unknown') : received;
});

export const dropPlans = keptWrite<PlanStore['dropPlans']>(
  { lane: 'background' },
  async (sql, accountId, beforeMs) => (await sql.run(DROP_OLD, [accountId, beforeMs])).length === DROPPED_AT_ONCE,
);
