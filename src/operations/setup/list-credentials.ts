/** Use case: list the credential sets of a merchant, without their secrets. */
import type { Environment } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export interface ListedCredential {
  readonly environment: Environment;
  readonly user: string;
  /** Name of the credential set; empty if it has none. */
  readonly name: string;
  readonly createdMs: number;
  /** When the credential stops working, if it was rolled and its overlap has not ended; otherwise null. */
  readonly endsMs: number | null;
  /** Accurate to the minute; null if it was never used. */
  readonly lastUsedMs: number | null;
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
    for (const { user, name, createdMs, endsMs, lastUsedMs } of credentials) {
      listed.push({ environment, user, name, createdMs, endsMs, lastUsedMs });
    }
  }
  return accept(listed);
}
