/** Use cases: an operator excludes brands, categories and codes, restricts brands, and takes that back. */
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { Policy } from '../../domain/review/policies.ts';
import type { SetupStore } from '../../store/port.ts';

type Policies = Pick<SetupStore, 'addPolicy' | 'removePolicy' | 'listPolicies' | 'readMerchant'>;

/** Grants go to merchants that there are. */
export async function addPolicy(store: Policies, policy: Policy): Promise<Outcome<Policy>> {
  const unknown = await unknownMerchants(store, policy);
  if (unknown.length > 0) {
    return refuse(unknown.map((id) => requestProblem('merchant_unknown', `There is no merchant ${id}.`)));
  }
  if ((await store.addPolicy(policy)) === 'stored') return accept(policy);
  return refuse([requestProblem('policy_exists', 'This policy is in force already.')]);
}

/** Of a brand that is restricted. */
export async function grantBrand(
  store: Policies,
  brand: string,
  merchantIds: readonly string[],
  isSameBrand: (one: string, other: string) => boolean,
): Promise<Outcome<Policy>> {
  const policies = await store.listPolicies();
  const restricted = policies.some((policy) => policy.kind === 'restricted_brand' && isSameBrand(policy.brand, brand));
  if (!restricted) return refuse([requestProblem('policy_unknown', `The brand ${brand} is not restricted.`)]);
  return addPolicy(store, { kind: 'restricted_brand', brand, merchantIds });
}

export async function removePolicy(store: Policies, policy: Policy): Promise<Outcome<Policy>> {
  if ((await store.removePolicy(policy)) === 'stored') return accept(policy);
  return refuse([requestProblem('policy_unknown', 'There is no such policy.')]);
}

async function unknownMerchants(store: Policies, policy: Policy): Promise<readonly string[]> {
  if (policy.kind !== 'restricted_brand') return [];
  const unknown: string[] = [];
  for (const id of policy.merchantIds) if ((await store.readMerchant(id)) === undefined) unknown.push(id);
  return unknown;
}
