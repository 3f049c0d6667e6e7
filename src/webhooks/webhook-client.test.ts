/** Tests that no message reaches a private address. test/api/webhooks.test.ts tests the rest. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { WebhookReceiver } from '../../test/harness/webhook-receiver.ts';
import { WebhookClient } from './webhook-client.ts';

it('refuses a public name that resolves to a private address, when a message is sent', async (t) => {
  using receiver = await WebhookReceiver.open();
  const client = new WebhookClient({ allowedHosts: [], resolvePublic: async () => ['127.0.0.1'] });
  t.after(() => client.close());
  const failure = 'The host has an address that is not on the public internet.';
  for (const host of ['hooks.example', '127.0.0.1']) {
    const url = receiver.url.replace('127.0.0.1', host);
    assert.equal(client.refuses(url), host === '127.0.0.1');
    assert.deepEqual(await client.send(url, {}, '{}'), { status: null, failure });
  }
  assert.deepEqual(receiver.messages, []);
});
