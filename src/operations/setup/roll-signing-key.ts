/** Use case: an operator replaces the key that signs tokens. */
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { SetupContext } from './setup-context.ts';

export interface RolledSigningKey {
  readonly keyId: string;
  /** When tokens signed with an older key stop working. */
  readonly previousEndMs: number;
}

/** Servers sign with the old key until they notice the new one. Tokens signed in that time keep their full lifetime too. */
const PREVIOUS_KEY_SECONDS = LIMITS.setup_notice_seconds_max + LIMITS.token_lifetime_seconds;

export async function rollSigningKey(
  context: SetupContext,
  key: { readonly keyId: string; readonly secret: Uint8Array },
  previous: 'until_tokens_expire' | 'revoked',
): Promise<Outcome<RolledSigningKey>> {
  const nowMs = context.nowMs();
  const previousEndMs = previous === 'revoked' ? nowMs : nowMs + PREVIOUS_KEY_SECONDS * 1000;
  await context.store.settings.addSigningKey(key, nowMs, previousEndMs);
  return accept({ keyId: key.keyId, previousEndMs });
}
