/** Tests that the demo is recognized by its credentials, and completed at every start. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { storedCredential } from '../access/tokens/secrets.ts';
import type { NewMerchant } from '../domain/account.ts';
import type { SetupStore } from '../store/port.ts';
import { openSqliteSetupStore } from '../store/sqlite/open.ts';
import { closeDemo, DEMO_CREDENTIALS, DEMO_MERCHANT_ID, DEMO_NODES, openDemo } from './demo-merchant.ts';

const NOW_MS = Date.parse('2026-01-31T09:30:00Z');

function demoNamed(secrets: { test: string; live: string }): NewMerchant {
  const { test, live } = DEMO_CREDENTIALS;
  return {
    merchantId: DEMO_MERCHANT_ID,
    name: 'Demo',
    timeToReturnDays: 30,
    returnShippingMethods: ['Freight'],
    credentials: {
      test: storedCredential(test.user, secrets.test),
      live: storedCredential(live.user, secrets.live),
    },
  };
}

async function isSuspended(store: SetupStore): Promise<boolean | undefined> {
  return (await store.settings.readMerchant(DEMO_MERCHANT_ID))?.suspended;
}

it('a merchant that is only named demo is not changed', async (t) => {
  const store = await openSqliteSetupStore({ dataDir: await tempFolder() });
  t.after(() => store.close());
  await store.settings.addMerchant(demoNamed({ test: 'own secret', live: 'another' }), NOW_MS);
  assert.equal(await closeDemo(store), false);
  assert.equal(await isSuspended(store), false);
  assert.equal(await openDemo(store, NOW_MS), 'absent');
});

it('the demo is suspended and resumed', async (t) => {
  const store = await openSqliteSetupStore({ dataDir: await tempFolder() });
  t.after(() => store.close());
  assert.equal(await openDemo(store, NOW_MS), 'created');
  assert.equal(await closeDemo(store), true);
  assert.equal(await isSuspended(store), true);
  assert.equal(await closeDemo(store), false);
  assert.equal(await openDemo(store, NOW_MS), 'present');
  assert.equal(await isSuspended(store), false);
});

it('a demo whose creation was interrupted is completed at the next start, and changes are kept', async (t) => {
  const store = await openSqliteSetupStore({ dataDir: await tempFolder() });
  t.after(() => store.close());
  const { test, live } = DEMO_CREDENTIALS;
  await store.settings.addMerchant(demoNamed({ test: test.secret, live: live.secret }), NOW_MS);
  const accountId = (await store.settings.readMerchant(DEMO_MERCHANT_ID))?.accounts.test ?? 0;
  const [east] = DEMO_NODES;
  assert.ok(east !== undefined);
  await store.settings.putNode(accountId, { ...east, rateKind: 'per_pound' });
  assert.equal(await openDemo(store, NOW_MS), 'present');
  const account = await store.settings.readAccount(accountId);
  assert.deepEqual([...(account?.nodes.keys() ?? [])], ['demo-node-east', 'demo-node-west']);
  assert.equal(account?.nodes.get(east.id)?.rateKind, 'per_pound');
  assert.deepEqual([...(account?.returnLocationIds ?? [])], ['demo-returns-east', 'demo-returns-west']);
});
