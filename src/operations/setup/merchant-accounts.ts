/** Defines the context of operations on settings, and finds the accounts of a merchant that one affects. */
import type { Account, Environment, Merchant, Unfinished } from '../../domain/account.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import type { SetupStore } from '../../store/port.ts';

export interface SetupTarget {
  readonly merchantId: string;
  readonly environments: readonly Environment[];
}

/** The target of a change to one account. */
export function targetOf({ merchantId, environment }: Account): SetupTarget {
  return { merchantId, environments: [environment] };
}

/** Returns the accounts of the target, in the order of its environments. */
export async function readTarget(store: SetupStore, target: SetupTarget): Promise<Outcome<readonly Account[]>> {
  const merchant = await store.settings.readMerchant(target.merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(target.merchantId)]);
  const accounts: Account[] = [];
  for (const environment of target.environments) {
    const account = await store.settings.readAccount(merchant.accounts[environment]);
    if (account === undefined) throw new Error(`Merchant ${target.merchantId} has no ${environment} account.`);
    accounts.push(account);
  }
  return accept(accounts);
}

/**
 * Finds the accounts for a change. Refuses an unfinished merchant, because the change would be lost or make the
 * merchant look complete.
 */
export async function readWholeTarget(store: SetupStore, target: SetupTarget): Promise<Outcome<readonly Account[]>> {
  const whole = await readWholeMerchant(store, target.merchantId);
  return whole.ok ? readTarget(store, target) : whole;
}

export async function readWholeMerchant(store: SetupStore, merchantId: string): Promise<Outcome<Merchant>> {
  const merchant = await store.settings.readMerchant(merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  return merchant.unfinished === null
    ? accept(merchant)
    : refuse([merchantUnfinished(merchantId, merchant.unfinished)]);
}

const UNFINISHED_TEXTS: Readonly<Record<Unfinished, string>> = {
  import: 'is unfinished. Import it again, or remove it.',
  removal: 'is unfinished. Run "offerbook merchant remove" again.',
};

function merchantUnfinished(merchantId: string, unfinished: Unfinished): Problem {
  const text = `The ${unfinished} of merchant ${JSON.stringify(merchantId)} ${UNFINISHED_TEXTS[unfinished]}`;
  return requestProblem('merchant_unfinished', text);
}

export function merchantUnknown(merchantId: string): Problem {
  return requestProblem('merchant_unknown', `No merchant ${JSON.stringify(merchantId)}.`);
}

/** Returns all problems of the refused outcomes. */
export function problemsOf(...outcomes: readonly Outcome<unknown>[]): Problem[] {
  return outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.problems));
}

export interface SetupContext {
  readonly store: SetupStore;
  readonly checks: SetupChecks;
  readonly nowMs: () => number;
}
