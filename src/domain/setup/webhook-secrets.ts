/** Replaces the secret of a webhook. During the overlap, the old secret signs messages too. */
import { LIMITS } from '../limits.ts';

/** Signs messages until it ends. */
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
 * Rolls secrets as keys are rolled: secrets that were replaced before keep their end, unless all end now. Otherwise the second of two rolls
 * at the same time would end a secret that was just issued. Returns undefined if too many are valid.
 */
export function rolledSecrets(
  secrets: readonly WebhookSecret[],
  { secret, nowMs, endsMs }: SecretRoll,
): readonly WebhookSecret[] | undefined {
  const valid = endsMs > nowMs ? secrets.filter((old) => old.endsMs === null || old.endsMs > nowMs) : [];
  if (valid.length >= LIMITS.webhook_secrets_max) return undefined;
  return [{ secret, endsMs: null }, ...valid.map((old) => ({ ...old, endsMs: old.endsMs ?? endsMs }))];
}
