/** Portal: POST /{env}/plans/{plan_id}/approve and /refuse */
import { decidePlan } from '../../operations/plans/apply-plan.ts';
import { type AccountCall, endpointsOf } from '../endpoint.ts';
import { PlanAnswer, planAnswer } from '../endpoints/plans.ts';

async function decide({ services, account, person, targetId }: AccountCall, decision: 'approved' | 'refused') {
  return planAnswer(services, await decidePlan(services, account, person.email, targetId, decision));
}

const shared = { access: 'account', tag: 'Plans', answer: PlanAnswer, failures: [404] } as const;

export const plansEndpoints = endpointsOf(shared, {
  'POST /plans/{plan_id}/approve': {
    id: 'approvePlan',
    summary: 'Approve a plan that is beyond the guard rails of its key',
    description: 'The key can then apply the plan until it expires.',
    handle: (call) => decide(call, 'approved'),
  },
  'POST /plans/{plan_id}/refuse': {
    id: 'refusePlan',
    summary: 'Refuse a plan, so that it cannot be applied',
    handle: (call) => decide(call, 'refused'),
  },
});
