/** Tests the timeout, and that no message reaches a private address. test/api/webhooks.test.ts tests the rest. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { timedIt } from '../../test/harness/lost-time.ts';
import { WebhookReceiver } from '../../test/harness/webhook-receiver.ts';
import { TIMEOUT_MS, WebhookClient } from './webhook-client.ts';

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

timedIt('gives up on a receiver that does not respond in time', async (t) => {
  using receiver = await WebhookReceiver.open();
  receiver.answer = () => 0;
  const client = new WebhookClient({ allowedHosts: ['127.0.0.1'], timeout_ms: 1_500 });
  t.after(() => client.close());
  const startMs = performance.now();
  const failure = 'The receiver did not respond within 1.5 seconds.';
  assert.deepEqual(await client.send(receiver.url, {}, '{}'), { status: null, failure });
  assert.ok(performance.now() - startMs >= 1_490);
  assert.equal(receiver.messages.length, 1);
});

it('waits as long as the guide says', () => {
  const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/guides/webhooks.md'), 'utf8');
  assert.ok(guide.includes(`Respond with a 2xx within ${TIMEOUT_MS / 1000} seconds.`));
});
