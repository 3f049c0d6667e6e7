/** In charge of finding the accounts that a change of the set-up is about: a merchant's, in one environment or both. */
import type { Account, Environment } from '../../domain/account.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupStore } from '../../store/port.ts';

export interface SetupTarget {
  readonly merchantId: string;
  readonly environments: readonly Environment[];
}

/** In the order of the target's environments. */
export async function readTarget(store: SetupStore, target: SetupTarget): Promise<Outcome<readonly Account[]>> {
  const merchant = await store.readMerchant(target.merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(target.merchantId)]);
  const accounts: Account[] = [];
  for (const environment of target.environments) {
    const account = await store.readAccount(merchant.accounts[environment]);
    if (account === undefined) throw new Error(`Merchant ${target.merchantId} has no ${environment} account.`);
    accounts.push(account);
  }
  return accept(accounts);
}

export function merchantUnknown(merchantId: string): Problem {
  return requestProblem('merchant_unknown', `There is no merchant ${JSON.stringify(merchantId)}.`);
}

/** Every reason that the given outcomes have to refuse. */
export function problemsOf(...outcomes: readonly Outcome<unknown>[]): Problem[] {
  return outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.problems));
}
