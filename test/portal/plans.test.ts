/** Tests the page of a plan in a browser: what it shows, and that a user can approve or refuse it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { ALL_RIGHTS, type KeyRights } from '../../src/domain/setup/key-scopes.ts';
import { browserSkipped } from '../harness/browser.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

describe('plans in a browser', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();

  async function program(planLimits: KeyRights['planLimits'] = null) {
    const { user, secret, stored } = issueCredential('test');
    await withSetupStore(portal.server.place, async ({ settings }) => {
      const merchant = await settings.readMerchant('demo');
      assert.ok(merchant);
      const next = { ...stored, ...ALL_RIGHTS, planLimits, name: 'agent' };
      await settings.addCredential(merchant.accounts.test, next, Date.now(), 99);
    });
    const send = async (method: string, path: string, body?: object, headers = {}) => {
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${portal.url}${path}`, sent);
      const text = await response.text();
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
    };
    const { body: issued } = await send('POST', '/token', { user, pass: secret });
    const headers = { authorization: `Bearer ${issued.id_token}` };
    return (method: string, path: string, body?: object) => send(method, path, body, headers);
  }

  it('an admin sees what a program wants to change, refuses one plan and approves another', async (t) => {
    const api = await program({ offersMax: null, percentMax: 10, hours: null });
    const erp = await program();
    await erp('PUT', '/merchant-skus/mug/offer', { sku: MUG, price: { price: 10 } });
    const change = (price: number) => ({ offers: [{ merchant_sku: 'mug', offer: { price: { price } } }] });
    const first = (await api('POST', '/plans', change(20))).body;
    const second = (await api('POST', '/plans', change(15))).body;
    assert.equal(second.state, 'awaiting_approval');

    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/files');
    await page.getByRole('heading', { name: 'Plans of your programs' }).waitFor();
    await page.getByText('Waiting for approval').first().waitFor();

    await page.goto(`${portal.url}/portal/test/plans/${first.id}`);
    await page.getByText('Price: $10.00 → $20.00').waitFor();
    await page.getByText('The largest price change is 100%. The lowest new price is $20.00.').waitFor();
    await page.getByText('a larger price change than the key may make').waitFor();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('heading', { name: 'Refused' }).waitFor();
    assert.equal((await api('POST', `/plans/${first.id}/apply`)).status, 403);

    await page.goto(`${portal.url}/portal/test/plans/${second.id}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Ready to apply' }).waitFor();
    assert.equal((await api('POST', `/plans/${second.id}/apply`)).status, 200);
    // The page follows the plan.
    await page.getByRole('heading', { name: 'Applied' }).waitFor();
  });
});
