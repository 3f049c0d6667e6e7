/** Finds the accounts that an operator's search or re-check covers: one merchant's or all, in one environment or both. */
import type { Environment, Merchant } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { SetupStore } from '../../store/port.ts';
import { readWholeMerchant } from '../setup/merchant-accounts.ts';

/** Selects accounts. An undefined field selects all. */
export interface AccountChoice {
  readonly merchantId: string | undefined;
  readonly environment: Environment | undefined;
}

export interface ChosenAccount {
  readonly accountId: number;
  readonly environment: Environment;
  readonly merchant: Merchant;
}

/** Live accounts come before test accounts. */
const IN_ORDER: readonly Environment[] = ['live', 'test'];

/** Returns the accounts in order of merchant id, without unfinished merchants. Refuses a single merchant that is unknown or unfinished. */
export async function chooseAccounts(
  store: SetupStore,
  { merchantId, environment }: AccountChoice,
): Promise<Outcome<readonly ChosenAccount[]>> {
  const found = merchantId === undefined ? undefined : await readWholeMerchant(store, merchantId);
  if (found?.ok === false) return found;
  const merchants = found === undefined ? await store.settings.listMerchants() : [found.value];
  const environments = environment === undefined ? IN_ORDER : [environment];
  return accept(
    merchants
      .filter(({ unfinished }) => unfinished === null)
      .toSorted((one, other) => (one.merchantId < other.merchantId ? -1 : 1))
      .flatMap((merchant) =>
        environments.map((each) => ({ accountId: merchant.accounts[each], environment: each, merchant })),
      ),
  );
}

/** Returns whether the account comes before this position in the order of `chooseAccounts`. */
export function isBefore(
  { merchant: { merchantId }, environment }: ChosenAccount,
  position: { readonly merchantId: string; readonly environment: Environment },
): boolean {
  if (merchantId !== position.merchantId) return merchantId < position.merchantId;
  return IN_ORDER.indexOf(environment) < IN_ORDER.indexOf(position.environment);
}
