/** Contract tests for plans: what is stored, decided once, and how many are kept. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { WholePlan } from '../../domain/plans.ts';
import type { Store } from '../port.ts';
import { receivedFile, uploadedFile } from './bulk-files.ts';
import { NOW_MS, newAccountId } from './subject.ts';

const HOUR_MS = 3_600_000;
const LIMITS = { sinceMs: NOW_MS - HOUR_MS, recent_max: 2, kept_max: 3 };

export function planContract(store: () => Store): void {
  const newPlan = (accountId: number, createdMs = NOW_MS): WholePlan => ({
    accountId,
    planId: randomUUID(),
    number: 7,
    by: 'key:agent',
    createdMs,
    needs: 4,
    totals: { offers: 1, unchanged: 2, refused: 0, skipped: 0, archived: 0, percentMax: 5.25, lowestPrice: 9.5 },
    reasons: ['price_change'],
    decision: null,
    decidedBy: null,
    offers: '[{"merchant_sku":"a","changes":[9223372036854775807]}]',
  });
  const idsOf = async (accountId: number) => (await store().plans.listPlans(accountId)).map(({ planId }) => planId);

  describe('a plan', () => {
    test('is read as it was stored, by its own account, and listed without its offers', async () => {
      const plan = newPlan(newAccountId());
      assert.equal(await store().plans.addPlan(plan, LIMITS), 'stored');
      assert.deepEqual(await store().plans.readPlan(plan.accountId, plan.planId), plan);
      assert.equal(await store().plans.readPlan(newAccountId(), plan.planId), undefined);
      assert.equal(await store().plans.readPlan(plan.accountId, randomUUID()), undefined);
      const { offers: _, ...listed } = plan;
      assert.deepEqual(await store().plans.listPlans(plan.accountId), [listed]);
    });

    test('is decided once', async () => {
      const plan = newPlan(newAccountId());
      await store().plans.addPlan(plan, LIMITS);
      const { accountId, planId } = plan;
      assert.equal(await store().plans.decidePlan(accountId, planId, 'refused', 'ann'), 'stored');
      assert.equal(await store().plans.decidePlan(accountId, planId, 'approved', 'bob'), 'decided');
      assert.equal(await store().plans.decidePlan(newAccountId(), planId, 'approved', 'bob'), 'decided');
      const read = await store().plans.readPlan(accountId, planId);
      assert.deepEqual([read?.decision, read?.decidedBy], ['refused', 'ann']);
    });

    test('is not decided once its maker applies it, and not applied once it is refused', async () => {
      const accountId = newAccountId();
      const add = async (decision?: 'approved' | 'refused') => {
        const planId = await uploadedFile(store(), accountId);
        await store().plans.addPlan({ ...newPlan(accountId), planId }, { ...LIMITS, recent_max: 9 });
        if (decision !== undefined) await store().plans.decidePlan(accountId, planId, decision, 'ann');
        return planId;
      };
      const submit = (fileId: string, own = accountId) =>
        store().plans.submitPlan({ accountId: own, fileId, type: 'Offers', name: 'p', number: 7 }, NOW_MS, NOW_MS);
      const decided = async (planId: string) => {
        const plan = await store().plans.readPlan(accountId, planId);
        return [plan?.decision, plan?.decidedBy];
      };
      const [planId, approved, refused] = [await add(), await add('approved'), await add('refused')];
      assert.equal(await submit(planId, newAccountId()), 'refused', 'another account has no such plan');
      const file = await submit(planId);
      assert.ok(typeof file === 'object');
      assert.deepEqual([file.fileId, file.number, file.status], [planId, 7, 'Acknowledged']);
      assert.deepEqual(await submit(planId), file, 'a repeat');
      assert.equal(await store().plans.decidePlan(accountId, planId, 'refused', 'ann'), 'decided');
      assert.deepEqual(await decided(planId), ['applied', null]);
      assert.ok(typeof (await submit(approved)) === 'object');
      assert.deepEqual(await decided(approved), ['applied', 'ann']);
      assert.equal(await submit(refused), 'refused');
      assert.equal(await store().files.readFile(accountId, refused), undefined);
    });

    test('stays as it is if a file with a lower number was submitted since', async () => {
      const accountId = newAccountId();
      const planId = await uploadedFile(store(), accountId);
      await store().plans.addPlan({ ...newPlan(accountId), planId }, LIMITS);
      const { number } = await receivedFile(store(), 'Price', accountId);
      const submit = (drawn: number) =>
        store().plans.submitPlan(
          { accountId, fileId: planId, type: 'Offers', name: 'p', number: drawn },
          NOW_MS,
          NOW_MS,
        );
      assert.equal(await submit(number + 1), 'stale');
      assert.equal((await store().plans.readPlan(accountId, planId))?.decision, null);
      assert.equal(typeof (await submit(number - 1)), 'object');
    });

    test('stays as it is if its file was deleted', async () => {
      const plan = newPlan(newAccountId());
      await store().plans.addPlan(plan, LIMITS);
      const { accountId, planId } = plan;
      const file = { accountId, fileId: planId, type: 'Offers', name: 'p', number: 7 } as const;
      assert.equal(await store().plans.submitPlan(file, NOW_MS, NOW_MS), 'unknown');
      assert.equal((await store().plans.readPlan(accountId, planId))?.decision, null);
    });

    test('takes its file along if it is not kept, unless the file was submitted', async () => {
      const accountId = newAccountId();
      const fileIds = [await uploadedFile(store(), accountId), await uploadedFile(store(), accountId)];
      const receive = (fileId = '') =>
        store().files.receiveFile({ accountId, fileId, type: 'Offers', name: 'p' }, NOW_MS, 0);
      const submitted = await receive(fileIds[0]);
      for (const [index, planId] of [...fileIds, randomUUID()].entries()) {
        await store().plans.addPlan(
          { ...newPlan(accountId, NOW_MS + index), planId },
          { ...LIMITS, recent_max: 9, kept_max: 1 },
        );
      }
      assert.deepEqual(await receive(fileIds[0]), submitted);
      assert.equal(await receive(fileIds[1]), 'unknown');
    });

    test('is refused beyond the limit of recent plans, and only the newest ones are kept', async () => {
      const accountId = newAccountId();
      const earlier = [3, 2].map((hours) => newPlan(accountId, NOW_MS - hours * HOUR_MS));
      const recent = [2, 1].map((before) => newPlan(accountId, NOW_MS - before));
      for (const plan of [...earlier, ...recent]) {
        assert.equal(await store().plans.addPlan(plan, LIMITS), 'stored');
      }
      const [first, second] = recent;
      assert.deepEqual(await idsOf(accountId), [second?.planId, first?.planId, earlier[1]?.planId]);
      assert.equal(await store().plans.countPlans(accountId, LIMITS.sinceMs), 2);
      assert.equal(await store().plans.addPlan(newPlan(accountId), LIMITS), 'too_many');
      assert.equal(await store().plans.addPlan(newPlan(newAccountId()), LIMITS), 'stored');
    });

    test('is deleted with others of its age, some at a time', async () => {
      const [accountId, other] = [newAccountId(), newAccountId()];
      const many = { ...LIMITS, recent_max: 9, kept_max: 9 };
      const plans = Array.from({ length: 7 }, (_, age) => newPlan(accountId, NOW_MS - age));
      for (const plan of [...plans, newPlan(other, NOW_MS - HOUR_MS)]) await store().plans.addPlan(plan, many);
      const drop = () => store().plans.dropPlans(accountId, NOW_MS);
      assert.deepEqual([await drop(), await drop(), await drop()], [true, false, false]);
      assert.deepEqual(await idsOf(accountId), [plans[0]?.planId]);
      assert.equal((await idsOf(other)).length, 1);
    });
  });
}
