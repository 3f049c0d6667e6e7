/** Defines webhooks and their deliveries. Replaces the secret of a webhook: during the overlap, the old secret signs messages too. */
import type { Environment } from '../account.ts';
import type { Included } from '../event-changes.ts';
import type { FeedPosition } from '../events.ts';
import { LIMITS } from '../limits.ts';
import type { EventType } from '../vocabulary/event-types.ts';

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

/** All events up to the position are confirmed. */
export interface WebhookPosition extends FeedPosition {
  /** Events after it that are confirmed too, because messages are sent in parallel. */
  readonly confirmed?: readonly FeedPosition[];
}

export interface Webhook {
  readonly accountId: number;
  readonly webhookId: string;
  /** The environment of the storefront whose changes are sent; null: the events of the account are sent. */
  readonly shop: Environment | null;
  readonly address: string;
  readonly types: readonly EventType[];
  /** Additional data in events. */
  readonly include: readonly Included[];
  /** Whether a message has up to `webhook_batch_events_max` events. */
  readonly batches: boolean;
  readonly secrets: readonly WebhookSecret[];
  readonly createdMs: number;
  /** Why nothing is delivered; null while it is enabled. */
  readonly disabledReason: string | null;
  readonly position: WebhookPosition;
  /** Number of failed attempts in a row, each after its pause. */
  readonly attempts: number;
  /** When the first of these attempts failed; null if the last one succeeded. */
  readonly failingSinceMs: number | null;
  /** The earliest time of the next delivery. During a delivery, the end of its lease. */
  readonly dueMs: number;
}

/** The fields that can be changed. `roll` replaces the current secret. */
export type WebhookChange = Partial<
  Pick<Webhook, 'address' | 'types' | 'include' | 'batches' | 'disabledReason'> & { readonly roll: SecretRoll }
>;

/** The state after a delivery. */
export type WebhookProgress = Pick<Webhook, 'position' | 'attempts' | 'failingSinceMs' | 'disabledReason'>;

export interface WebhookDelivery {
  /** The id of the message, for a batch. */
  readonly eventId: string;
  readonly type: string;
  readonly events: number;
  readonly atMs: number;
  readonly attempt: number;
  /** HTTP status of the webhook's response; null if there was no response. */
  readonly status: number | null;
  /** Why it failed, for people; null if it was delivered. */
  readonly failure: string | null;
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
