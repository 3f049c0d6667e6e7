/** Tests the webhooks of the Developers page in a browser: from adding one to deleting it, refusals at fields, and what viewers see. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped } from '../harness/browser.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const PAGE = 'api-integration?tab=webhooks';
const PHONE = { width: 390, height: 844 };

describe('webhooks in a browser', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.open();
  });
  after(() => receiver[Symbol.dispose]());

  it('an admin adds one, sends a test event, replays an event, rolls the secret, disables and deletes it', async (t) => {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/api-integration');
    await page.getByRole('tab', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor();

    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(receiver.url);
    assert.equal(await dialog.getByRole('checkbox', { checked: true }).count(), 9, 'all events by default');
    const others = ['offer.will_fail', 'offer.will_pass', 'requirement.reminder', 'offer.position_changed'];
    for (const type of ['offer.status_changed', 'key.rolled', ...others]) {
      await dialog.getByRole('checkbox', { name: type, exact: true }).uncheck();
    }
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Copy the secret now').waitFor();
    const secret = await dialog.locator('pre').textContent();
    assert.match(secret ?? '', /^whsec_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('offer.updated, file.finished, report.ready', { exact: true }).waitFor();
    await page.getByText('Last delivery: none yet').waitFor();
    assert.equal(await page.getByText(secret ?? '').count(), 0, 'the secret is shown once');

    receiver.answer = () => 500;
    await page.getByRole('button', { name: `Send test event ${receiver.url}` }).click();
    await page.getByText('Test event not delivered').waitFor();
    await page.getByText('The receiver returned 500.').waitFor();
    receiver.answer = () => 204;
    await page.getByRole('button', { name: `Send test event ${receiver.url}` }).click();
    await page.getByText('Test event delivered').waitFor();
    assert.deepEqual(
      receiver.messages.map(({ body }) => body.type),
      ['webhook.test', 'webhook.test'],
    );

    const merchant = await PortalBrowser.merchantOf(portal.url);
    assert.equal((await merchant.put('/test/merchant-skus/mug', MUG)).status, 202);
    const [, , event] = await receiver.received(3);
    await page.getByRole('link', { name: `Deliveries ${receiver.url}` }).click();
    const row = page.getByRole('row').filter({ hasText: 'offer.updated' });
    await waitUntil('the delivery in the log', 60_000, async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await row.count()) === 1 || undefined;
    });
    await row.getByText('204', { exact: true }).waitFor();
    assert.equal(await page.getByRole('row').filter({ hasText: 'webhook.test' }).count(), 2);
    assert.equal(await page.getByRole('button', { name: /^Replay/ }).count(), 1, 'test events are not replayed');
    await page.getByRole('button', { name: `Replay ${event?.headers['webhook-id']}` }).click();
    await page.getByText('Event delivered', { exact: true }).waitFor();
    assert.deepEqual((await receiver.received(4))[3]?.text, event?.text);
    await row.nth(1).waitFor();
    await assertFitsPhone(page);

    await page.getByRole('link', { name: 'All webhooks' }).click();
    await page.getByRole('button', { name: `Roll secret ${receiver.url}` }).click();
    await dialog.getByRole('combobox', { name: 'Keep the old secret valid for' }).click();
    await page.getByRole('option', { name: '1 hour', exact: true }).click();
    await dialog.getByRole('button', { name: 'Roll secret' }).click();
    await dialog.getByText('The old secret stays valid for 1 hour').waitFor();
    assert.notEqual(await dialog.locator('pre').textContent(), secret);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: `Disable ${receiver.url}` }).click();
    await page.getByText('Disabled by the merchant.').waitFor();
    await page.getByRole('button', { name: `Enable ${receiver.url}` }).waitFor();
    await assertFitsPhone(page);
    await page.getByRole('button', { name: `Delete ${receiver.url}` }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
  });

  it('an operator adds one of the marketplace, sends a test event, sees its deliveries, and deletes it', async (t) => {
    receiver.answer = () => 204;
    const page = await portal.openPage(t);
    await portal.signIn(page, '', DEMO_PEOPLE.operator, DEMO_PASSWORD);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Live webhooks' }).waitFor();
    await page.getByRole('button', { name: 'Add test webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(receiver.url);
    assert.equal(await dialog.getByRole('checkbox').count(), 1, 'there is nothing to choose but batches');
    await dialog.getByRole('checkbox', { name: 'Send in batches' }).check();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Copy the secret now').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('All events · in batches', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Send test event ${receiver.url}` }).click();
    await page.getByText('Test event delivered').waitFor();
    await page.getByRole('link', { name: `Deliveries ${receiver.url}` }).click();
    await page.getByRole('row').filter({ hasText: 'webhook.test' }).waitFor();
    await page.getByRole('link', { name: 'All webhooks' }).click();
    await page.getByRole('button', { name: `Disable ${receiver.url}` }).click();
    await page.getByText('Disabled by the operator.').waitFor();
    await assertFitsPhone(page);
    await page.getByRole('button', { name: `Delete ${receiver.url}` }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: `Delete ${receiver.url}` }).waitFor({ state: 'hidden' });
  });

  it('refusals are shown at the field, above the form, or as the result of the test event', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const url = `https://hooks.example/${'long'.repeat(30)}`;
    const added = await merchant.post('/live/webhooks', { url, types: ['file.finished'] });
    assert.equal(added.status, 200, added.text);
    const page = await portal.openPage(t);
    await portal.signIn(page, `live/${PAGE}`);
    await page.getByRole('button', { name: `Edit ${url}` }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('URL');
    await field.fill('hooks.example');
    await dialog.getByRole('checkbox', { name: 'file.finished', exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a full URL that starts with https:// or http://.').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await dialog.getByText('Must have 1 to 9 entries.').waitFor();
    await dialog.getByRole('checkbox', { name: 'report.ready', exact: true }).check();
    for (const name of ['Include changes', 'Send in batches']) {
      await dialog.getByRole('checkbox', { name, exact: true }).check();
    }
    await field.fill(` ${url}/2 `);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(`${url}/2`, { exact: true }).waitFor();
    await page.getByText('report.ready · with changes · in batches', { exact: true }).waitFor();
    await assertFitsPhone(page);

    const unknown = 'http://hook.invalid/hook';
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await field.fill('http://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText(/public internet/).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await field.fill(unknown);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: `Send test event ${unknown}` }).click();
    const outcome = page.getByRole('status').filter({ hasText: 'Test event not delivered' });
    await outcome.getByText('The host name cannot be resolved.').waitFor();
    await page.getByText('Not sent', { exact: true }).waitFor();

    for (let count = 2; count < 10; count++) assert.equal((await merchant.post('/live/webhooks', { url })).status, 200);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await field.fill(url);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('The account has reached the limit of 10 webhooks.').waitFor();
  });

  it('a viewer sees them and their deliveries, and no button that changes anything', async (t) => {
    const merchant = await PortalBrowser.merchantOf(portal.url);
    const added = await merchant.post('/test/webhooks', { url: 'https://hooks.example/seen' });
    const { webhook_id } = added.body as { webhook_id: string };
    await addPerson(portal.server, 'viewer@hooks.example', 'merchant-viewer');
    const page = await portal.openPage(t);
    await portal.signIn(page, `test/${PAGE}`, 'viewer@hooks.example', PERSON_PASSWORD);
    await page.getByText('https://hooks.example/seen', { exact: true }).waitFor();
    const panel = page.getByRole('region', { name: 'Webhooks' });
    assert.equal(await panel.getByRole('button').count(), 0);
    await panel.getByRole('link', { name: 'Deliveries https://hooks.example/seen' }).click();
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    assert.ok(page.url().endsWith(`&webhook=${webhook_id}`), page.url());
    assert.equal((await merchant.delete(`/test/webhooks/${webhook_id}`)).status, 202);
    await page.reload();
    await page.getByRole('heading', { name: 'Webhook not found' }).waitFor();
  });
});

async function assertFitsPhone(page: Page): Promise<void> {
  const size = page.viewportSize() ?? assert.fail();
  await page.setViewportSize(PHONE);
  await waitUntil('the page to be as narrow as a phone', 60_000, async () => {
    return (await page.evaluate<number>('document.documentElement.scrollWidth')) <= PHONE.width || undefined;
  });
  await page.setViewportSize(size);
}
