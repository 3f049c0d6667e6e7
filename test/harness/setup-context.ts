/** Context for tests of account settings: a real store in its own folder, and a fixed clock. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { storedCredential } from '../../src/access/tokens/secrets.ts';
import type { Environment, NewCredential, NewMerchant } from '../../src/domain/account.ts';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import { createSetupChecks } from '../../src/domain/setup/all-setup.ts';
import type { SetupContext } from '../../src/operations/setup/merchant-accounts.ts';
import { openSqliteSetupStore } from '../../src/store/sqlite/open.ts';

export const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);

/** The names are `<carrier_1>`, `Acme`, `<carrier_3>`..., so that both spellings can be tested. */
const NAMES = new Names({
  ...NEUTRAL_NAMES,
  carriers: NEUTRAL_NAMES.carriers.map((name) => (name === '<carrier_2>' ? 'Acme' : name)),
});

export async function openSetupContext(t: Pick<TestContext, 'after'>): Promise<SetupContext> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'offerbook-test-'));
  const store = await openSqliteSetupStore({ dataDir });
  t.after(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { store, checks: createSetupChecks(NAMES), nowMs: () => NOW_MS };
}

/** Opens a context with the merchant `acme`, without settings. */
export async function openAcmeContext(t: Pick<TestContext, 'after'>): Promise<SetupContext> {
  const context = await openSetupContext(t);
  await context.store.settings.addMerchant(merchant('acme'), NOW_MS);
  return context;
}

export function merchant(merchantId: string): NewMerchant {
  return {
    merchantId,
    name: `The ${merchantId} company`,
    timeToReturnDays: 30,
    returnShippingMethods: ['<carrier_2> Ground'],
    credentials: credentials(merchantId),
  };
}

export function credentials(prefix: string): Readonly<Record<Environment, NewCredential>> {
  return {
    test: storedCredential(`${prefix}-test-user`, 'test secret'),
    live: storedCredential(`${prefix}-live-user`, 'live secret'),
  };
}

/** Returns the stored data of a merchant in one environment. */
export async function readAccountOf(context: SetupContext, merchantId: string, environment: Environment) {
  const found = await context.store.settings.readMerchant(merchantId);
  const account = found && (await context.store.settings.readAccount(found.accounts[environment]));
  if (account === undefined) throw new Error(`merchant ${merchantId} has no ${environment} account`);
  return account;
}
