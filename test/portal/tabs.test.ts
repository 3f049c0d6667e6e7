/** Tests in a browser how open pages handle a session that ends or changes, here or in another tab. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { browserSkipped, signInOn } from '../harness/browser.ts';
import { addPerson, PERSON_PASSWORD, PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';

/** Simulates a tab that the browser has frozen: it receives no messages. */
const DEAF = 'globalThis.BroadcastChannel = class { postMessage() {} addEventListener() {} }';

describe('open pages', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  before(async () => {
    await portal.call('PUT', '/merchant-skus/mug', MUG);
    const operator = await PortalBrowser.operatorOf(portal.url);
    const added = await operator.post('/merchants', { merchant_id: 'other', name: 'Other Stores' });
    assert.equal(added.status, 200, added.text);
    await addPerson(portal.server, 'eve@other.example', 'merchant-admin', 'other');
  });

  it('keep unsaved input when the session ends, and continue after the same person signs in', async (t) => {
    const page = await portal.openPage(t);
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    const save = page.getByRole('region', { name: 'Price' }).getByRole('button', { name: 'Save' });
    await openMug(page);
    await price.fill('9');
    await endSessions();
    await save.click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByText(DEMO_PEOPLE.merchant).waitFor();
    await dialog.getByLabel(/^Password/).fill('not the password');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText("Couldn't sign in").waitFor();
    await dialog.getByLabel(/^Password/).fill(DEMO_PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await price.inputValue(), '$9.00');
    await save.click();
    await page.getByText('Saved.').waitFor();
  });

  it('go to the sign-in page if the person signs out, and return after sign-in', async (t) => {
    const page = await portal.openPage(t);
    await openMug(page);
    await page.getByRole('textbox', { name: 'Price', exact: true }).fill('8');
    await endSessions();
    await page.getByRole('region', { name: 'Price' }).getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Your session has ended.').waitFor();
    await signInOn(page, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
  });

  it('close the password dialog when the same person signs in in another tab', async (t) => {
    const page = await portal.openPage(t);
    await openMug(page);
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('7');
    await endSessions();
    await page.getByRole('region', { name: 'Price' }).getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await signInElsewhere(page, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await price.inputValue(), '$7.00');
  });

  for (const [how, script] of [
    ['is notified', ''],
    ['is not notified', DEAF],
  ] as const) {
    it(`switch to another person who signs in in another tab, if the page ${how}`, async (t) => {
      const page = await portal.openPage(t);
      await page.addInitScript(script);
      await openMug(page);
      await page.getByRole('textbox', { name: 'Price', exact: true }).fill('6');
      const other = await signInElsewhere(page, 'eve@other.example', PERSON_PASSWORD);
      // A page that is not notified notices it at its next request.
      if (script !== '') {
        await page.bringToFront();
        await page.getByRole('tab', { name: 'History' }).click();
      }
      await page.getByRole('heading', { name: 'No offers yet' }).waitFor();
      await page.getByText('Other Stores').first().waitFor();
      assert.equal(await page.getByText(MUG.product_title).count(), 0);
      if (script !== '') return;
      await signOutOn(other);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  }

  it('keep unsaved input when the person signs out in another tab, and ask for the password', async (t) => {
    const page = await portal.openPage(t);
    await openMug(page);
    const price = page.getByRole('textbox', { name: 'Price', exact: true });
    await price.fill('5');
    const other = await page.context().newPage();
    await other.goto(`${portal.url}/portal/test/overview`);
    await signOutOn(other);
    await page.bringToFront();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel(/^Password/).fill(DEMO_PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal(await price.inputValue(), '$5.00');
    await page.getByRole('region', { name: 'Price' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
  });

  for (const opened of ['before a sign-in', 'during a session']) {
    it(`with a one-time link, opened ${opened}, stay open when the session changes in other tabs`, async (t) => {
      const operator = await PortalBrowser.operatorOf(portal.url);
      const email = `${opened.replaceAll(' ', '-')}@demo.example`;
      const invited = await operator.post('/users', { email, role: 'merchant-viewer', merchant: 'demo' });
      assert.equal(invited.status, 200, invited.text);
      const { link } = invited.body as { link: string };
      const page = await portal.openPage(t);
      const other = await page.context().newPage();
      const password = page.getByLabel(/^New password/);
      const openLink = async () => {
        await page.goto(link);
        await password.fill(PERSON_PASSWORD);
      };
      const isBefore = opened.startsWith('before');
      if (isBefore) await openLink();
      await other.goto(`${portal.url}/portal/sign-in`);
      const signIn = signInOn(other, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
      await Promise.all(isBefore ? [signIn, sessionRead(page)] : [signIn]);
      if (!isBefore) await openLink();
      await Promise.all([signOutOn(other), sessionRead(page)]);
      assert.equal(page.url(), link);
      assert.equal(await password.inputValue(), PERSON_PASSWORD);
      await page.bringToFront();
      await page.getByLabel(/^Confirm password/).fill(PERSON_PASSWORD);
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByRole('button', { name: `Account menu for ${email}` }).waitFor();
    });
  }

  it('are returned to without the URL fragment', async (t) => {
    const page = await portal.openPage(t);
    await page.goto(`${portal.url}/portal/test/overview`);
    await signInOn(page, DEMO_PEOPLE.merchant, DEMO_PASSWORD);
    await page.goto(`${portal.url}/portal/test/offers?sort=title#secret`);
    await page.getByRole('heading', { name: 'Offers', exact: true }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${portal.url}/portal/test/overview`);
    await signOutOn(other);
    await page.getByText('Your session has ended.').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('to'), '/test/offers?sort=title');
  });

  async function openMug(page: Page): Promise<void> {
    // While a review is pending the page polls it, and would notice an ended session too early.
    await waitToSee('the review of the mug', async () => {
      const { checks } = (await portal.read('/merchant-skus/mug/review')) as { checks: { state: string }[] };
      return checks.every(({ state }) => state !== 'pending') || undefined;
    });
    await portal.signIn(page, 'test/offers/mug');
    await page.getByRole('heading', { name: MUG.product_title }).waitFor();
  }

  /** Opens a tab that shares the page's cookie, and signs in with the form, which notifies the other tabs. */
  async function signInElsewhere(page: Page, email: string, password: string): Promise<Page> {
    const other = await page.context().newPage();
    await other.goto(`${portal.url}/portal/sign-in`);
    await signInOn(other, email, password);
    return other;
  }

  async function signOutOn(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Account menu for/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  }

  /** Waits until a page that was notified by another tab has read the session. */
  async function sessionRead(page: Page): Promise<void> {
    const answer = await page.waitForResponse((response) => response.url() === `${portal.url}/portal/api/session`);
    await answer.finished();
  }

  async function endSessions(): Promise<void> {
    const elsewhere = await PortalBrowser.merchantOf(portal.url);
    assert.equal((await elsewhere.delete('/sessions')).status, 202);
  }
});
