/** Creates secrets of webhooks, and signs messages as the Standard Webhooks specification says. */
import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookSecret } from '../domain/setup/webhooks.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export interface Message {
  readonly id: string;
  readonly nowMs: number;
  readonly body: string;
}

/** Returns the headers of a message, with a signature for every secret that has not expired. */
export function signedHeaders({ id, nowMs, body }: Message, secrets: readonly WebhookSecret[]): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const valid = secrets.filter(({ endsMs }) => endsMs === null || endsMs > nowMs);
  const signatures = valid.map(({ secret }) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
