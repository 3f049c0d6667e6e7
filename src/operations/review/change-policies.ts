/** Use cases: an operator excludes brands, categories and codes, restricts brands, and removes such policies. */
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse, refuseRequest } from '../../domain/outcome.ts';
import { fieldProblem, type Problem } from '../../domain/problem.ts';
import { findPolicy, type Policy, policyTitle, withoutPolicy, withPolicy } from '../../domain/review/policies.ts';
import type { SetupContext } from '../setup/merchant-accounts.ts';
import { type ChangeGate, commandGate } from './rule-change.ts';

export async function listPolicies({ store }: SetupContext): Promise<Outcome<readonly Policy[]>> {
  return accept(await store.policies.listPolicies());
}

/** Grants must name existing merchants. If the brand is already restricted, the new grants are added. */
export async function addPolicy(context: SetupContext, body: SentBody, gate = commandGate()): Promise<Outcome<Policy>> {
  const checked = context.checks.policy(body);
  return checked.ok ? add(context, checked.value, checked.ignored, gate) : checked;
}

/** Grants a brand to more merchants. Refused unless the brand is restricted. */
export async function grantBrand(
  context: SetupContext,
  body: SentBody,
  gate = commandGate(),
): Promise<Outcome<Policy>> {
  const checked = context.checks.policy(body);
  if (!checked.ok) return checked;
  const policy = checked.value;
  const isRestricted = findPolicy(await context.store.policies.listPolicies(), policy)?.kind === 'restricted_brand';
  if (isRestricted) return add(context, policy, checked.ignored, gate);
  const brand = policy.kind === 'restricted_brand' ? policy.brand : '';
  return refuseRequest('policy_unknown', `The brand ${brand} is not restricted.`, checked.ignored);
}

export async function removePolicy(
  { store, checks }: SetupContext,
  body: SentBody,
  gate = commandGate(),
): Promise<Outcome<Policy>> {
  const checked = checks.policy(body);
  if (!checked.ok) return checked;
  const { value: touched, ignored } = checked;
  const unknown = () => refuseRequest('policy_unknown', undefined, ignored);
  const policies = withoutPolicy(await store.policies.listPolicies(), touched);
  if (policies === undefined) return unknown();
  const passed = await gate.pass('removePolicy', policyText(touched), { kind: 'policies', policies, touched });
  if (!passed.ok) return refuse(passed.problems, ignored);
  if (passed.value === 'preview') return checked;
  return (await store.policies.removePolicy(touched, passed.value)) === 'stored' ? checked : unknown();
}

async function add(
  { store }: SetupContext,
  touched: Policy,
  ignored: readonly string[],
  gate: ChangeGate,
): Promise<Outcome<Policy>> {
  const problems = await unknownMerchants(store, touched);
  if (problems.length > 0) return refuse(problems, ignored);
  const exists = () => refuseRequest('policy_exists', undefined, ignored);
  const policies = withPolicy(await store.policies.listPolicies(), touched);
  if (policies === undefined) return exists();
  const passed = await gate.pass('addPolicy', policyText(touched), { kind: 'policies', policies, touched });
  if (!passed.ok) return refuse(passed.problems, ignored);
  if (passed.value === 'preview') return accept(touched, ignored);
  return (await store.policies.addPolicy(touched, passed.value)) === 'stored' ? accept(touched, ignored) : exists();
}

/** Returns the fields of a policy by their names in requests; null or empty if a policy of this kind has none. */
export function policyFields(policy: Policy) {
  return {
    kind: policy.kind,
    brand: 'brand' in policy ? policy.brand : null,
    category: 'nodeId' in policy ? policy.nodeId : null,
    code: 'code' in policy ? policy.code : null,
    merchants: 'merchantIds' in policy ? [...policy.merchantIds] : [],
    order: 'order' in policy ? policy.order : null,
  };
}

/** Describes the policy to people. */
function policyText(policy: Policy): string {
  const { merchants } = policyFields(policy);
  return `${policyTitle(policy)}${merchants.length === 0 ? '' : ` (${merchants.join(', ')})`}`;
}

async function unknownMerchants(store: SetupContext['store'], policy: Policy): Promise<readonly Problem[]> {
  if (policy.kind !== 'restricted_brand') return [];
  const problems: Problem[] = [];
  for (const [index, id] of policy.merchantIds.entries()) {
    if ((await store.settings.readMerchant(id)) !== undefined) continue;
    problems.push(fieldProblem('merchant_unknown', ['merchants', index], 'no such merchant'));
  }
  return problems;
}
