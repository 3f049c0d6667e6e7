/** Tests listing merchants. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { merchant, NOW_MS, openSetupContext } from '../../../test/harness/setup-context.ts';
import { listMerchants } from './list-merchants.ts';

it('list-merchants lists none, then all in order of id with their state', async (t) => {
  const context = await openSetupContext(t);
  assert.deepEqual(await listMerchants(context), { ok: true, value: [], ignored: [] });
  await context.store.settings.addMerchant(merchant('zebra'), NOW_MS);
  await context.store.settings.addMerchant(merchant('acme'), NOW_MS + 1);
  await context.store.settings.setSuspended('zebra', true);
  const listed = await listMerchants(context);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ accounts, timeToReturnDays, returnShippingMethods, ...rest }) => rest),
    [
      { merchantId: 'acme', name: 'The acme company', createdMs: NOW_MS + 1, suspended: false, unfinished: null },
      { merchantId: 'zebra', name: 'The zebra company', createdMs: NOW_MS, suspended: true, unfinished: null },
    ],
  );
  assert.equal(new Set(listed.value.flatMap(({ accounts }) => [accounts.test, accounts.live])).size, 4);
});
