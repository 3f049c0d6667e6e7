/** Replaces the secret of a webhook. During the overlap, the old secret signs messages too. */
import { LIMITS } from '../limits.ts';

/** A secret that signs messages until it expires. */
export interface WebhookSecret {
  readonly secret: string;
  /** Null for the current one. */
  readonly endsMs: number | null;
}

export interface SecretRoll {
  readonly secret: string;
  readonly nowMs: number;
  /** When the current secret ends. */
  readonly endsMs: number;
}

/**
 * Rolls the current secret. As with keys, secrets that were replaced before keep their expiry, unless all expire now. Otherwise the second
 * of two concurrent rolls would end a secret that was just issued. Returns undefined if too many secrets are valid.
 */
export function rolledSecrets(
  secrets: readonly WebhookSecret[],
  { secret, nowMs, endsMs }: SecretRoll,
): readonly WebhookSecret[] | undefined {
  const valid = endsMs > nowMs ? secrets.filter((old) => old.endsMs === null || old.endsMs > nowMs) : [];
  if (valid.length >= LIMITS.webhook_secrets_max) return undefined;
  return [{ secret, endsMs: null }, ...valid.map((old) => ({ ...old, endsMs: old.endsMs ?? endsMs }))];
}
