/** Use case: an operator lists the credential sets of a merchant; what is secret of them stays in the store. */
import type { Environment } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export interface ListedCredential {
  readonly environment: Environment;
  readonly user: string;
  readonly createdMs: number;
  /** Set when it was replaced with an overlap that is not over. */
  readonly endsMs: number | null;
}

export async function listCredentials(
  context: SetupContext,
  target: SetupTarget,
): Promise<Outcome<readonly ListedCredential[]>> {
  const found = await readTarget(context.store, target);
  if (!found.ok) return found;
  const listed: ListedCredential[] = [];
  for (const { accountId, environment } of found.value) {
    for (const { user, createdMs, endsMs } of await context.store.listCredentials(accountId, context.nowMs())) {
      listed.push({ environment, user, createdMs, endsMs });
    }
  }
  return accept(listed);
}
