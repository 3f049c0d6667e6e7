/** In charge of changing the set-up of merchants beside a running test server, as an operator's command line does. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { storedCredential } from '../../src/access/secrets.ts';
import { DEMO_MERCHANT_ID } from '../../src/demo/demo-merchant.ts';
import type { Environment, FulfillmentNode } from '../../src/domain/account.ts';
import type { NewMerchant, SetupStore } from '../../src/store/port.ts';
import { openSqliteSetupStore } from '../../src/store/sqlite/open.ts';
import { ApiClient } from '../harness/api-client.ts';

export const EAST = 'demo-node-east';
export const WEST = 'demo-node-west';
export const RETURNS_EAST = 'demo-returns-east';
export const RETURNS_WEST = 'demo-returns-west';

const POLL_MS = 20;
/** Far beyond what is promised: a slow machine must not fail a test that is about something else. */
const PATIENCE_MS = 10_000;

export async function changeSetup<T>(api: ApiClient, change: (store: SetupStore) => Promise<T>): Promise<T> {
  const store = await openSqliteSetupStore({ dataDir: api.server.dataDir });
  try {
    return await change(store);
  } finally {
    await store.close();
  }
}

export async function accountIdOf(store: SetupStore, environment: Environment, merchantId = DEMO_MERCHANT_ID) {
  const merchant = await store.readMerchant(merchantId);
  assert.ok(merchant, `there is no merchant ${merchantId}`);
  return merchant.accounts[environment];
}

/** Adds nodes to the demo merchant, or replaces their set-up, and waits until the server knows. */
export async function putDemoNodes(
  api: ApiClient,
  environment: Environment,
  nodes: readonly FulfillmentNode[],
  deadlineMs = PATIENCE_MS,
): Promise<void> {
  await changeSetup(api, async (store) => {
    const accountId = await accountIdOf(store, environment);
    for (const node of nodes) await store.putNode(accountId, node);
  });
  const client = await api.inEnvironment(environment);
  await eventually(
    async () => {
      const { fulfillment_nodes } = await client.found('/fulfillment-nodes');
      const known = new Map((fulfillment_nodes as NodeRead[]).map((node) => [node.fulfillment_node_id, node]));
      return nodes.every(({ id, methods }) => String(known.get(id)?.shipping_methods) === String(methods));
    },
    'the nodes are known',
    deadlineMs,
  );
}

interface NodeRead {
  readonly fulfillment_node_id: string;
  readonly shipping_methods: readonly string[];
}

export function flatNode(id: string, change: Partial<FulfillmentNode> = {}): FulfillmentNode {
  return { id, rateKind: 'flat', methods: ['Freight'], levels: ['Standard'], ...change };
}

let merchantCount = 0;

export interface OwnMerchant {
  readonly merchantId: string;
  readonly test: ApiClient;
  readonly live: ApiClient;
}

/** A merchant of the test's own, without nodes and locations unless `setUp` adds some. */
export async function addMerchant(
  api: ApiClient,
  change: Partial<NewMerchant> = {},
  setUp: (store: SetupStore, accounts: Readonly<Record<Environment, number>>) => Promise<void> = async () => {},
): Promise<OwnMerchant> {
  const merchantId = `merchant-${merchantCount++}`;
  const credentials = {
    test: storedCredential(`${merchantId}-test`, 'secret'),
    live: storedCredential(`${merchantId}-live`, 'secret'),
  };
  await changeSetup(api, async (store) => {
    const merchant: NewMerchant = {
      merchantId,
      name: merchantId,
      timeToReturnDays: 30,
      returnShippingMethods: ['<carrier_2> Ground'],
      credentials,
      ...change,
    };
    assert.equal(await store.addMerchant(merchant, Date.now()), 'stored');
    const [test, live] = [await accountIdOf(store, 'test', merchantId), await accountIdOf(store, 'live', merchantId)];
    await setUp(store, { test, live });
  });
  const signIn = async (environment: Environment) =>
    new ApiClient(api.server, api.spelling, await tokenFor(api, credentials[environment].user, 'secret'));
  return { merchantId, test: await signIn('test'), live: await signIn('live') };
}

export async function tokenFor(api: ApiClient, user: string, pass: string): Promise<string> {
  const { status, body, text } = await api.send('POST', '/token', { user, pass });
  assert.equal(status, 200, text);
  return (body as { id_token: string }).id_token;
}

export async function eventually(holds: () => Promise<boolean>, what: string, deadlineMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `not within ${deadlineMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
}
