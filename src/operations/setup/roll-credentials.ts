/** Use case: an operator or a merchant's admin replaces the credential set of one environment. */
import type { Environment } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { overlapSeconds } from '../../domain/setup/credential-roll.ts';
import type { NewCredential } from '../../store/port/settings.ts';
import { problemsOf, readWholeMerchant } from './merchant-accounts.ts';
import type { SetupContext } from './setup-context.ts';

export interface RolledCredentials {
  /** When the replaced set and its tokens stop working. */
  readonly previousEndMs: number;
}

export async function rollCredentials(
  context: SetupContext,
  owner: { readonly merchantId: string; readonly environment: Environment },
  body: SentBody,
  next: NewCredential,
): Promise<Outcome<RolledCredentials>> {
  const checked = context.checks.credentialRoll(body);
  const merchant = await readWholeMerchant(context.store, owner.merchantId);
  if (!checked.ok || !merchant.ok) return refuse(problemsOf(checked, merchant), checked.ignored);
  const nowMs = context.nowMs();
  const previousEndMs = nowMs + overlapSeconds(checked.value) * 1000;
  await context.store.settings.rollCredential(merchant.value.accounts[owner.environment], next, nowMs, previousEndMs);
  return accept({ previousEndMs }, checked.ignored);
}
