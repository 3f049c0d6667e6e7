/** Builds and verifies webhooks, which are signed as the Standard Webhooks specification says. */
import { parseJson } from './json.ts';
import type { EventRecord, WebhookMessage } from './types.ts';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Maximum age of a message. Older messages are refused, because an attacker may replay them. */
const AGE_SECONDS_MAX = 300;
const SECRET_PREFIX = 'whsec_';

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the body of an event's webhook, as the server sends it. */
export function webhookMessageOf({ id: _id, type, at: timestamp, ...data }: EventRecord): WebhookMessage {
  return { type, timestamp, data } as WebhookMessage;
}

/**
 * Returns the message of a webhook, or throws a `WebhookError`. `body` is the text as it was received, not parsed. While a secret is being
 * replaced, messages have a signature for each secret.
 */
export async function verifyWebhook(
  secret: string,
  headers: HeaderSource,
  body: string,
  nowMs: number = Date.now(),
): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d+$/.test(timestamp))
    throw new WebhookError(
      'The webhook-timestamp header must be a number of seconds. The message is not from Offerbook.',
    );
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > AGE_SECONDS_MAX) {
    throw new WebhookError(
      `The webhook timestamp differs from the current time by more than ${AGE_SECONDS_MAX} seconds. Check this computer's clock.`,
    );
  }
  const key = await keyOf(secret, 'verify');
  const content = contentOf(id, timestamp, body);
  for (const signature of signatures.split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    const bytes = fromBase64(signature.slice('v1,'.length));
    // Compares in constant time.
    if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, content)))
      return parseJson(body) as WebhookMessage;
  }
  throw new WebhookError(
    "The webhook signature is invalid. Pass the webhook's current secret, and the body exactly as it was received.",
  );
}

/** Returns the headers of a signed webhook, as the server sends them. */
export async function signWebhook(
  secret: string,
  id: string,
  body: string,
  nowMs: number = Date.now(),
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signed = await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), contentOf(id, timestamp, body));
  const signature = `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  const text = typeof value === 'string' ? value : value?.[0];
  if (!text) throw new WebhookError(`The ${name} header is missing. Pass all headers of the request to verifyWebhook.`);
  return text;
}

function contentOf(id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${id}.${timestamp}.${body}`);
}

function keyOf(secret: string, usage: 'sign' | 'verify'): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (bytes === undefined) throw new WebhookError(`The secret must be "${SECRET_PREFIX}" followed by base64.`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    // For text that is not base64, atob throws an error that differs between platforms.
    return undefined;
  }
}
