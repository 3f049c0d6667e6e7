/** Tests that the client accepts webhooks that are signed as the specification says, and no others. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { signWebhook, verifyWebhook } from '../../client/src/webhooks.ts';

const KEY = Buffer.from('0123456789abcdef01234567');
const SECRET = `whsec_${KEY.toString('base64')}`;
const BODY = '{"type":"offer.updated","sku":"ü"}';
const NOW_MS = 1_800_000_000_000;

function signed(timestamp: number, body = BODY): Record<string, string> {
  const signature = createHmac('sha256', KEY).update(`m1.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': 'm1', 'webhook-timestamp': `${timestamp}`, 'webhook-signature': `v1,${signature}` };
}

describe('webhooks', () => {
  it('are accepted with their own signature, even alongside that of an older secret, within five minutes', async () => {
    const headers = signed(NOW_MS / 1000);
    const event = { type: 'offer.updated', sku: 'ü' };
    assert.deepEqual(await verifyWebhook(SECRET, headers, BODY, NOW_MS), event);
    assert.deepEqual(await verifyWebhook(SECRET, new Headers(headers), BODY, NOW_MS + 300_000), event);
    const two = { ...headers, 'webhook-signature': `v1,${btoa('other')} ${headers['webhook-signature']}` };
    assert.deepEqual(await verifyWebhook(SECRET, two, BODY, NOW_MS - 300_000), event);
    assert.deepEqual(await signWebhook(SECRET, 'm1', BODY, NOW_MS), headers);
  });

  it('are refused when anything differs', async () => {
    const headers = signed(NOW_MS / 1000);
    const refused = (text: RegExp) => ({ name: 'WebhookError', message: text });
    const wrong = refused(/webhook signature is invalid/);
    await assert.rejects(verifyWebhook(SECRET, headers, `${BODY} `, NOW_MS), wrong);
    await assert.rejects(verifyWebhook(SECRET, { ...headers, 'webhook-id': 'm2' }, BODY, NOW_MS), wrong);
    await assert.rejects(verifyWebhook(`whsec_${btoa('another key')}`, headers, BODY, NOW_MS), wrong);
    await assert.rejects(verifyWebhook(SECRET, { ...headers, 'webhook-signature': 'v1,%' }, BODY, NOW_MS), wrong);
    for (const later of [301_000, -301_000]) {
      await assert.rejects(verifyWebhook(SECRET, headers, BODY, NOW_MS + later), refused(/more than 300 seconds/));
    }
    for (const name of Object.keys(headers)) {
      const missing = refused(new RegExp(`^The ${name} header is missing\\. Pass all headers`));
      await assert.rejects(verifyWebhook(SECRET, { ...headers, [name]: undefined }, BODY, NOW_MS), missing);
    }
    const noTime = { ...headers, 'webhook-timestamp': 'now' };
    await assert.rejects(verifyWebhook(SECRET, noTime, BODY, NOW_MS), refused(/must be a number of seconds/));
  });
});
