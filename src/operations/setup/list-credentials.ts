/** Use case: list the credential sets of a merchant or of the marketplace, without their secrets. */
import type { Account, Credential, Environment } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { KeyRights } from '../../domain/setup/key-scopes.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';

export interface ListedCredential
  extends Pick<Credential, 'user' | 'name' | 'createdMs' | 'endsMs' | 'lastUsedMs' | keyof KeyRights> {
  readonly environment: Environment;
}

export interface KeysTarget extends Omit<SetupTarget, 'merchantId'> {
  /** Null for the marketplace. */
  readonly merchantId: string | null;
}

export async function listCredentials(
  context: SetupContext,
  target: KeysTarget,
): Promise<Outcome<readonly ListedCredential[]>> {
  const found = await accountsOf(context, target);
  if (!found.ok) return found;
  const listed: ListedCredential[] = [];
  for (const { accountId, environment } of found.value) {
    const credentials = await context.store.settings.listCredentials(accountId, context.nowMs());
    for (const { user, name, createdMs, endsMs, lastUsedMs, scopes, skuPrefix, planLimits = null } of credentials) {
      listed.push({ environment, user, name, createdMs, endsMs, lastUsedMs, scopes, skuPrefix, planLimits });
    }
  }
  return accept(listed);
}

async function accountsOf(
  { store }: SetupContext,
  { merchantId, environments }: KeysTarget,
): Promise<Outcome<readonly Pick<Account, 'accountId' | 'environment'>[]>> {
  if (merchantId !== null) return readTarget(store, { merchantId, environments });
  const accounts = [];
  for (const environment of environments) {
    const accountId = await store.settings.readMarketplaceAccount(environment);
    if (accountId !== undefined) accounts.push({ accountId, environment });
  }
  return accept(accounts);
}
