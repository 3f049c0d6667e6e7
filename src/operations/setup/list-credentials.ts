/** Use case: list the credential sets of a merchant, without their secrets. */
import type { Credential, Environment } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { KeyRights } from '../../domain/setup/key-scopes.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';

export interface ListedCredential
  extends Pick<Credential, 'user' | 'name' | 'createdMs' | 'endsMs' | 'lastUsedMs' | keyof KeyRights> {
  readonly environment: Environment;
}

export async function listCredentials(
  context: SetupContext,
  target: SetupTarget,
): Promise<Outcome<readonly ListedCredential[]>> {
  const found = await readTarget(context.store, target);
  if (!found.ok) return found;
  const listed: ListedCredential[] = [];
  for (const { accountId, environment } of found.value) {
    const credentials = await context.store.settings.listCredentials(accountId, context.nowMs());
    for (const { user, name, createdMs, endsMs, lastUsedMs, scopes, skuPrefix } of credentials) {
      listed.push({ environment, user, name, createdMs, endsMs, lastUsedMs, scopes, skuPrefix });
    }
  }
  return accept(listed);
}
