/** Tests WEBHOOKS=off: a server on a restored database sends nothing to merchants. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const ALLOWED = { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' };

async function uploadWithWebhook(server: string, receiver: string, skuId: string): Promise<void> {
  const headers = { authorization: `Bearer ${await requestToken(server, 'test')}` };
  const webhook = { method: 'POST', headers, body: JSON.stringify({ url: receiver, types: ['offer.updated'] }) };
  assert.equal((await fetch(`${server}/webhooks`, webhook)).status, 200);
  const sku = { method: 'PUT', headers, body: JSON.stringify(minimalSku()) };
  assert.equal((await fetch(`${server}${skuPath(skuId)}`, sku)).status, 202);
}

it('WEBHOOKS=off keeps events until a server runs without it', async () => {
  using receiver = await WebhookReceiver.open();
  const [silent, sending] = [{ DATA_DIR: await tempFolder() }, { DATA_DIR: await tempFolder() }];
  const skus = () => receiver.messages.map(({ body }) => body.data.merchant_sku);
  await withOfferbook(silent, { demo: true, settings: { ...ALLOWED, WEBHOOKS: 'off' } }, async (url) => {
    await uploadWithWebhook(url, receiver.url, 'kept');
    // The other server starts later and looks for events just as often. Once it has sent one, this server has had enough time.
    await withOfferbook(sending, { demo: true, settings: ALLOWED }, async (other) => {
      await uploadWithWebhook(other, receiver.url, 'sent');
      await receiver.received(1);
    });
    assert.deepEqual(skus(), ['sent']);
  });
  await withOfferbook(silent, { demo: true, settings: ALLOWED }, () => receiver.received(2));
  assert.deepEqual(skus(), ['sent', 'kept']);
});
