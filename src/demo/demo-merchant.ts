/**
 * Creates the demo merchant in an empty database, with public credentials, so that the quick start works as printed.
 * Public credentials are dangerous on a real server, so this module refuses to create them there.
 */
import { fitsSecret, storedCredential } from '../access/tokens/secrets.ts';
import { ENVIRONMENTS, type FulfillmentNode } from '../domain/account.ts';
import { DEFAULT_RETURN_SHIPPING_METHOD, DEFAULT_TIME_TO_RETURN_DAYS } from '../domain/vocabulary/shipping-methods.ts';
import type { SetupStore } from '../store/port.ts';
import { closeDemoPeople, openDemoPeople } from './demo-people.ts';

export const DEMO_MERCHANT_ID = 'demo';

export const DEMO_CREDENTIALS = Object.freeze({
  test: { user: 'demo-test-user', secret: 'demo-test-secret' },
  live: { user: 'demo-live-user', secret: 'demo-live-secret' },
});

/** Refused by every server that was not started with `--demo`. */
export const DEMO_USERS: readonly string[] = Object.values(DEMO_CREDENTIALS).map(({ user }) => user);

export const DEMO_NODES: readonly FulfillmentNode[] = [
  {
    id: 'demo-node-east',
    rateKind: 'flat',
    methods: ['<carrier_2> Ground', '<carrier_2> 2 Day', '<carrier_4> Ground'],
    levels: ['Standard', 'Second Day', 'Expedited'],
  },
  {
    id: 'demo-node-west',
    rateKind: 'per_pound',
    methods: ['<carrier_4> Ground', 'Freight'],
    levels: ['Standard', 'Scheduled (freight)'],
  },
];

const DEMO_RETURN_LOCATIONS: readonly string[] = ['demo-returns-east', 'demo-returns-west'];

export class DemoRefusedError extends Error {
  override readonly name = 'DemoRefusedError';
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Throws unless only this machine can reach the demo. */
export function assertDemoIsSafe(settings: {
  host: string;
  publicUrl: string | undefined;
  nodeEnv: string | undefined;
}): void {
  const { host, publicUrl, nodeEnv } = settings;
  if (nodeEnv === 'production')
    throw new DemoRefusedError('--demo is refused: NODE_ENV is production. Unset NODE_ENV.');
  if (!LOOPBACK.test(host))
    throw new DemoRefusedError(`--demo is refused: HOST ${host} is not a loopback address. Set it to 127.0.0.1.`);
  if (publicUrl !== undefined && !LOOPBACK.test(new URL(publicUrl).hostname)) {
    throw new DemoRefusedError(
      `--demo is refused: PUBLIC_URL ${publicUrl} is not a loopback address. Unset PUBLIC_URL.`,
    );
  }
}

/** Creates the demo merchant in an empty database; completes and resumes an existing one. */
export async function openDemo(store: SetupStore, nowMs: number): Promise<'created' | 'present' | 'absent'> {
  let present = await findDemo(store);
  if (present === undefined && (await store.settings.listMerchants()).length > 0) {
    // Another process may have added the demo between the two reads.
    present = await findDemo(store);
    if (present === undefined) return 'absent';
  }
  if (present === undefined) await addDemoMerchant(store, nowMs);
  const merchantId = present ?? DEMO_MERCHANT_ID;
  await completeSetup(store, merchantId);
  await openDemoPeople(store, merchantId, nowMs);
  await store.settings.setSuspended(merchantId, false);
  return present === undefined ? 'created' : 'present';
}

/** Suspends an existing demo merchant and removes its portal users. Returns whether anything changed. */
export async function closeDemo(store: SetupStore): Promise<boolean> {
  const hadPeople = await closeDemoPeople(store);
  const merchantId = await findDemo(store);
  const merchant = merchantId === undefined ? undefined : await store.settings.readMerchant(merchantId);
  if (merchant === undefined || merchant.suspended) return hadPeople;
  await store.settings.setSuspended(merchant.merchantId, true);
  return true;
}

/** Finds the demo merchant by its credentials, not by its name. */
async function findDemo(store: SetupStore): Promise<string | undefined> {
  for (const { user, secret } of Object.values(DEMO_CREDENTIALS)) {
    const credential = await store.settings.readCredentialOfUser(user);
    if (credential === undefined || !fitsSecret(credential, secret)) continue;
    return (await store.settings.readAccount(credential.accountId))?.merchantId;
  }
  return undefined;
}

async function addDemoMerchant(store: SetupStore, nowMs: number): Promise<void> {
  const { test, live } = DEMO_CREDENTIALS;
  await store.settings.addMerchant(
    {
      merchantId: DEMO_MERCHANT_ID,
      name: 'Demo merchant',
      timeToReturnDays: DEFAULT_TIME_TO_RETURN_DAYS,
      returnShippingMethods: [DEFAULT_RETURN_SHIPPING_METHOD],
      credentials: {
        test: storedCredential(test.user, test.secret),
        live: storedCredential(live.user, live.secret),
      },
    },
    nowMs,
  );
}

/** Adds missing parts, for example after an interrupted start; changed parts stay as they are. */
async function completeSetup(store: SetupStore, merchantId: string): Promise<void> {
  const merchant = await store.settings.readMerchant(merchantId);
  if (merchant === undefined) throw new Error('The demo merchant was stored but cannot be read.');
  for (const environment of ENVIRONMENTS) {
    const accountId = merchant.accounts[environment];
    const account = await store.settings.readAccount(accountId);
    for (const node of DEMO_NODES) {
      if (!account?.nodes.has(node.id)) await store.settings.putNode(accountId, node);
    }
    for (const locationId of DEMO_RETURN_LOCATIONS) await store.settings.addReturnLocation(accountId, locationId);
  }
}
