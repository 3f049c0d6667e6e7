/** Tests `plans undo`: which plans of a key it undoes, in which order, and what it says about the others. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Run } from '../../client/src/cli/command.ts';
import { PLAN_COMMANDS } from '../../client/src/cli/plans.ts';
import { OfferbookError } from '../../client/src/errors.ts';

const GONE = { code: 'change_not_undoable', field: '', message: 'The bulk file of the plan was deleted.' } as const;

const MISSING = new OfferbookError(403, [{ ...GONE, code: 'scope_missing' }], new Headers());

/** Runs the command with these plans. Returns the calls, the printed result and the result of the command. */
async function undo(plans: readonly object[], { by, id }: { by?: string; id?: string }, failing: Error | undefined) {
  const calls: string[] = [];
  let printed: unknown;
  let text = '';
  const client = {
    plans: {
      list: async () => plans,
      async undo(planId: string) {
        calls.push(`undo ${planId}`);
        if (planId === 'gone' && failing !== undefined) throw failing;
        return { offers: 1, skipped: 0, skipped_skus: [], file: { marketplace_file_id: `undo-${planId}` } };
      },
    },
    files: {
      async *follow(fileId: string) {
        calls.push(`follow ${fileId}`);
        if (fileId === 'undo-lost') throw MISSING;
        yield {};
      },
    },
  };
  const run = {
    client: async () => client,
    values: id === undefined ? [] : [id],
    text: () => by,
    result: (value: unknown, show: () => string) => {
      printed = value;
      text = show();
    },
  } as unknown as Run;
  const isDone = await PLAN_COMMANDS['plans undo']?.run(run);
  return { calls, printed, text, isDone };
}

const own = { kind: 'key', name: 'agent' };
const PLANS = [
  { id: 'running', state: 'applying', by: own },
  { id: 'open', state: 'planned', by: own },
  { id: 'other', state: 'applied', by: { kind: 'key', name: 'erp' } },
  { id: 'person', state: 'applied', by: { kind: 'user', name: 'agent' } },
  { id: 'gone', state: 'applied', by: own },
  { id: 'old', state: 'applied', by: own },
];

it('undoes all applied plans of a key, waits for those that are still applied, and names those that it cannot undo', async () => {
  const { calls, printed, text, isDone } = await undo(
    PLANS,
    { by: 'agent' },
    new OfferbookError(400, [GONE], new Headers()),
  );
  assert.deepEqual(calls, [
    ...['follow running', 'undo running', 'follow undo-running'],
    'undo gone',
    ...['undo old', 'follow undo-old'],
  ]);
  const restored = { offers: 1, skipped: 0, skipped_skus: [] };
  assert.deepEqual(printed, [
    { plan: 'running', ...restored },
    { plan: 'gone', problems: [GONE] },
    { plan: 'old', ...restored },
  ]);
  assert.equal(text.split('\n')[1], 'gone: not undone: The bulk file of the plan was deleted.');
  assert.equal(isDone, false);
});

it('ends at the first failure that is not about one plan, and at a failure of the only plan', async () => {
  const busy = new OfferbookError(429, [{ ...GONE, code: 'uploads_too_many' }], new Headers());
  await assert.rejects(undo(PLANS, { by: 'agent' }, busy), busy);
  const unreachable = new Error('no answer');
  await assert.rejects(undo(PLANS, { by: 'agent' }, unreachable), unreachable);
  const lost = { id: 'lost', state: 'applied', by: own };
  await assert.rejects(undo([lost], { by: 'agent' }, undefined), MISSING, 'its plan is undone');
  const gone = new OfferbookError(400, [GONE], new Headers());
  await assert.rejects(undo(PLANS, { id: 'gone' }, gone), gone);
  const { calls, isDone } = await undo(PLANS, { id: 'running' }, undefined);
  assert.deepEqual([calls[0], isDone], ['follow running', true]);
});
