/** Use cases: an operator excludes brands, categories and codes, restricts brands, and removes such policies. */
import type { SentBody } from '../../domain/body-text.ts';
import { brandKey } from '../../domain/brand-key.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem, type Problem, requestProblem } from '../../domain/problem.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { SetupContext } from '../setup/setup-context.ts';

export async function listPolicies({ store }: SetupContext): Promise<Outcome<readonly Policy[]>> {
  return accept(await store.policies.listPolicies());
}

/** Grants must name existing merchants. Grants of a brand that is already restricted are added. */
export async function addPolicy(context: SetupContext, body: SentBody): Promise<Outcome<Policy>> {
  const checked = context.checks.policy(body);
  return checked.ok ? add(context, checked.value, checked.ignored) : checked;
}

/** Expects a restricted brand. */
export async function grantBrand(context: SetupContext, body: SentBody): Promise<Outcome<Policy>> {
  const checked = context.checks.policy(body);
  if (!checked.ok) return checked;
  const policy = checked.value;
  const brand = policy.kind === 'restricted_brand' ? policy.brand : '';
  const policies = await context.store.policies.listPolicies();
  const isRestricted = policies.some(
    (known) => known.kind === 'restricted_brand' && brandKey(known.brand) === brandKey(brand),
  );
  if (isRestricted) return add(context, policy, checked.ignored);
  return refuse([requestProblem('policy_unknown', `The brand ${brand} is not restricted.`)], checked.ignored);
}

export async function removePolicy(context: SetupContext, body: SentBody): Promise<Outcome<Policy>> {
  const checked = context.checks.policy(body);
  if (!checked.ok) return checked;
  if ((await context.store.policies.removePolicy(checked.value)) === 'stored') return checked;
  return refuse([requestProblem('policy_unknown', 'No such policy.')], checked.ignored);
}

async function add({ store }: SetupContext, policy: Policy, ignored: readonly string[]): Promise<Outcome<Policy>> {
  const problems = await unknownMerchants(store, policy);
  if (problems.length > 0) return refuse(problems, ignored);
  if ((await store.policies.addPolicy(policy)) === 'stored') return accept(policy, ignored);
  return refuse([requestProblem('policy_exists', 'This policy already exists.')], ignored);
}

async function unknownMerchants(store: SetupContext['store'], policy: Policy): Promise<readonly Problem[]> {
  if (policy.kind !== 'restricted_brand') return [];
  const problems: Problem[] = [];
  for (const [place, id] of policy.merchantIds.entries()) {
    if ((await store.settings.readMerchant(id)) !== undefined) continue;
    problems.push(fieldProblem('merchant_unknown', ['merchants', place], 'no such merchant'));
  }
  return problems;
}
