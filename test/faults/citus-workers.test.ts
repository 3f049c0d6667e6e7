/**
 * Tests a Citus node that dies, hangs or restarts under light load: other accounts are served as before, its own accounts get 503 in time,
 * everything recovers by itself, and no acknowledged write is lost.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { administer } from '../../src/store/postgres/testing/administer.ts';
import { createTestDatabase, type TestDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, skuPath } from '../harness/api-client.ts';
import { type BreakableNode, breakableNodes, citusFaultsSkipped } from '../harness/breakable-citus.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { scrape } from '../harness/metrics.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { addPerson, type PortalBrowser } from '../harness/portal-browser.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { merchant } from '../harness/setup-context.ts';
import { PATIENCE } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MERCHANTS = 8;
const METHODS = ['GET', 'PUT'] as const;
const PAUSE_MS = 250;
const FROZEN_MS = 20_000;
const RECOVERY_MS_MAX = 10_000;
/** The promised 99th percentile during the outage, compared with the idle cluster. */
const SLOWER_MAX = 4;
/**
 * Times are checked only if the cluster accepts a new connection and responds within this time; on a slower one (for example
 * emulated) they say nothing about the server. Everything else is still tested, and the skip is reported.
 */
const QUICK_ANSWER_MS_MAX = 100;
const SLOW_RECOVERY_MS_MAX = 120_000;
/** Below this time, a percentile says more about the machine than about the server. */
const IDLE_MS_MIN = 25;

interface Client {
  readonly merchantId: string;
  readonly worker: number;
  readonly token: string;
  tried: number;
  acknowledged: number;
  answers: { readonly method: string; readonly status: number; readonly took_ms: number }[];
}

describe('a node of a Citus cluster fails', { skip: citusFaultsSkipped() }, () => {
  let database: TestDatabase;
  let nodes: readonly BreakableNode[];
  let server: ServeProcess;
  let operator: PortalBrowser;
  let clients: readonly Client[] = [];
  let call_ms_max = 1_800;
  let recovery_ms_max = RECOVERY_MS_MAX;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  before(async () => {
    database = await createTestDatabase();
    const { pathname, hostname, port } = new URL(database.url);
    // Few shards are created faster, and each worker still has half of them.
    await administer(database.url, `ALTER DATABASE ${pathname.slice(1)} SET citus.shard_count = 8`);
    await administer(database.url, 'SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
    nodes = await breakableNodes(database.url);
    const place = { DATA_DIR: await tempFolder(), DATABASE_URL: database.url };
    const workers = await addMerchants({ ...place, ...PATIENCE });
    // A slow cluster (for example emulated) gets timeouts within which it can respond.
    const answer_ms = await firstAnswer_ms(database.url);
    call_ms_max = Math.max(call_ms_max, 4 * answer_ms);
    if (answer_ms > QUICK_ANSWER_MS_MAX) recovery_ms_max = SLOW_RECOVERY_MS_MAX;
    server = await startServeProcess(
      {
        ...place,
        REQUESTS_PER_MINUTE: '1000000',
        METRICS_PORT: '0',
        DATABASE_CALL_MS_MAX: String(Math.round(call_ms_max)),
        DATABASE_STATEMENT_MS_MAX: String(Math.round(call_ms_max * 0.83)),
        DATABASE_LOCK_MS_MAX: String(Math.round(call_ms_max * 0.72)),
      },
      [],
      300_000,
    );
    const seat = { url: server.url, place: { ...place, ...PATIENCE } };
    operator = await addPerson(seat, 'operator@portal.example', 'operator');
    clients = await Promise.all(
      [...workers].map(async ([merchantId, worker]) => {
        const token = await tokenOf(merchantId);
        return { merchantId, worker, token, tried: 0, acknowledged: 0, answers: [] };
      }),
    );
    for (const client of clients) {
      await waitUntil('the first upload', 60_000, async () => {
        return (await send(client, 'PUT', '', minimalSku())) === 202 ? true : undefined;
      });
    }
    running = Promise.all(clients.map((client) => keepWriting(client)));
    await allAreServed(60_000);
  });

  after(async () => {
    isStopped = true;
    await running;
    await server?.stop();
    await database?.drop();
  });

  it('a killed worker affects only its own accounts and their background work', async (t) => {
    const [, dead] = nodes as [BreakableNode, BreakableNode];
    const idle_ms = await idle();
    await dead.kill();
    try {
      await isRefused(dead);
      const ended = priceFile(clients.find(({ worker }) => worker !== dead.groupId) as Client);
      ended.catch(() => {});
      await othersAreServed(t, dead, idle_ms);
      assert.equal((await ended).status, 'Processed successfully');
      await operatorsSeeTheOthers(dead);
    } finally {
      await dead.start();
    }
    await allAreServed(recovery_ms_max);
    await assertStored();
    const all = clients.map(({ merchantId }) => [merchantId, true]);
    await waitUntil('operators to see all', recovery_ms_max, async () => {
      return isDeepStrictEqual(await merchantsCounted(), all) || undefined;
    });
  });

  it('a hanging worker affects only its own accounts', async (t) => {
    const [, , frozen] = nodes as [BreakableNode, BreakableNode, BreakableNode];
    const idle_ms = await idle();
    const goOn = frozen.freeze();
    try {
      await isRefused(frozen);
      await othersAreServed(t, frozen, idle_ms);
    } finally {
      goOn();
    }
    await allAreServed(recovery_ms_max);
    await assertStored();
  });

  it('calls wait for a restarting coordinator', async () => {
    const [coordinator] = nodes as [BreakableNode];
    await coordinator.kill();
    await coordinator.start();
    await allAreServed(recovery_ms_max);
    await assertStored();
  });

  /** Merchants with their worker. Half of them are on each of the two workers. */
  async function addMerchants(place: { DATA_DIR: string; DATABASE_URL: string }): Promise<Map<string, number>> {
    const workers = new Map<string, number>();
    await withSetupStore(place, async (store) => {
      for (let number = 0; workers.size < MERCHANTS; number++) {
        const merchantId = `merchant-${number}`;
        await store.settings.addMerchant(merchant(merchantId), Date.now());
        const [row] = await administer(
          place.DATABASE_URL,
          `SELECT groupid FROM account, pg_dist_placement
           WHERE merchant_id = $1 AND environment = 'test'
             AND shardid = get_shard_id_for_distribution_column('offer', account_id)`,
          [merchantId],
        );
        const worker = Number(row?.groupid);
        const have = [...workers.values()].filter((one) => one === worker).length;
        if (have < MERCHANTS / 2) workers.set(merchantId, worker);
      }
    });
    return workers;
  }

  async function tokenOf(merchantId: string): Promise<string> {
    const body = JSON.stringify({ user: `${merchantId}-test-user`, pass: 'test secret' });
    return waitUntil('a token', 60_000, async () => {
      const response = await fetch(`${server.url}/token`, { method: 'POST', body });
      const { id_token } = (await response.json()) as { id_token?: string };
      return id_token;
    });
  }

  async function keepWriting(client: Client): Promise<void> {
    while (!isStopped) {
      const value = ++client.tried;
      if ((await send(client, 'PUT', '/price', { price: value })) === 202) client.acknowledged = value;
      await send(client, 'GET', '/price');
      await pause(PAUSE_MS);
    }
  }

  async function send(client: Client, method: string, part: string, body?: unknown): Promise<number> {
    const startMs = performance.now();
    const response = await fetch(`${server.url}${skuPath('offer')}${part}`, {
      method,
      headers: { authorization: `Bearer ${client.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const took_ms = performance.now() - startMs;
    const { status } = response;
    client.answers.push({ method, status, took_ms });
    // Adds a second, because the few cores of a test machine may be busy.
    assert.ok(took_ms < call_ms_max + 200 + 1_000, `${method} ${part} got ${status} after ${took_ms} ms`);
    if (status === 503) assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    else assert.ok(status === 200 || status === 202 || (status === 404 && client.acknowledged === 0), text);
    return status;
  }

  /** Returns the 99th percentiles of all accounts. */
  async function idle(): Promise<Readonly<Record<string, number>>> {
    forgetAnswers();
    await pause(5_000);
    return Object.fromEntries(
      METHODS.map((method) => [method, percentile99(clients.flatMap((one) => took_ms(one, method)))]),
    );
  }

  async function isRefused({ groupId }: BreakableNode): Promise<void> {
    forgetAnswers();
    await waitUntil('calls of every account of the node to be refused', 30_000, async () => {
      const ofNode = clients.filter(({ worker }) => worker === groupId);
      return ofNode.every(({ answers }) => answers.some(({ status }) => status === 503)) ? true : undefined;
    });
  }

  /** Asserts that accounts of the other worker are served as before, and calls for accounts of the node are refused in time. */
  async function othersAreServed(
    t: TestContext,
    { groupId }: BreakableNode,
    idle_ms: Readonly<Record<string, number>>,
  ): Promise<void> {
    await pause(FROZEN_MS);
    const others = clients.filter(({ worker }) => worker !== groupId);
    const answers = others.flatMap((client) => client.answers);
    for (const method of METHODS) {
      const refused = answers.filter((answer) => answer.method === method && answer.status === 503);
      assert.equal(refused.length, 0, `${method} of other accounts`);
      const p99_ms = percentile99(others.flatMap((client) => took_ms(client, method)));
      const before_ms = Math.max(IDLE_MS_MIN, idle_ms[method] ?? 0);
      const told = `${method}: p99 was ${p99_ms} ms, idle ${before_ms} ms`;
      t.diagnostic(told);
      if (recovery_ms_max === RECOVERY_MS_MAX) assert.ok(p99_ms <= SLOWER_MAX * before_ms, told);
      else t.diagnostic(`not compared: needs a cluster that responds within ${QUICK_ANSWER_MS_MAX} ms`);
    }
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  }

  /** Merchants in the order of `clients`, and whether their offers are counted. */
  async function merchantsCounted(): Promise<readonly (readonly [merchantId: string, isCounted: boolean])[]> {
    const { merchants } = await operator.found<{ merchants: { id: string; offers: { test: number | null } }[] }>(
      '/merchants',
    );
    const offers = new Map(merchants.map((one) => [one.id, one.offers.test]));
    return clients.map(({ merchantId }) => [merchantId, offers.get(merchantId) !== null] as const);
  }

  async function operatorsSeeTheOthers({ groupId }: BreakableNode): Promise<void> {
    const expected = clients.map(({ merchantId, worker }) => [merchantId, worker !== groupId]);
    assert.deepEqual(await merchantsCounted(), expected);
    // An account of the node is due for review, but its offers cannot be read.
    await administer(
      database.url,
      `INSERT INTO work_lease (kind, account_id, due_ms)
       SELECT 'review', account_id, 0 FROM account WHERE merchant_id = $1 AND environment = 'test'
       ON CONFLICT DO NOTHING`,
      [clients.find(({ worker }) => worker === groupId)?.merchantId],
    );
    const { review, checks } = await operator.found<{
      review: { accounts_missing: number };
      checks: { name: string; ok: boolean }[];
    }>('/system');
    assert.ok(review.accounts_missing > 0);
    assert.equal(checks.find(({ name }) => name === 'Database nodes')?.ok, false);
    const [, metricsUrl] = /"metricsUrl":"([^"]+)"/.exec(server.output()) ?? [];
    const samples = await scrape(metricsUrl);
    assert.ok((samples.get('offerbook_review_accounts_missing') ?? 0) > 0);
    assert.ok(samples.has('offerbook_review_due_offers'));
  }

  async function priceFile({ token }: Client) {
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify(minimalSku());
    assert.equal((await fetch(`${server.url}${skuPath('in-file')}`, { method: 'PUT', headers, body })).status, 202);
    const files = new BulkFiles(server.url, token);
    return files.ended(await files.send('Price', JSON.stringify({ 'in-file': { price: 5 } })));
  }

  /** Resolves when each account had a successful write and read since the call. */
  async function allAreServed(wait_ms_max: number): Promise<void> {
    forgetAnswers();
    const served = waitUntil('all accounts to be served', wait_ms_max, async () => {
      const areServed = clients.every(({ answers }) => {
        return [200, 202].every((good) => answers.some(({ status }) => status === good));
      });
      return areServed ? true : undefined;
    });
    await Promise.race([served, running]);
  }

  async function assertStored(): Promise<void> {
    for (const client of clients) {
      const { acknowledged, token, merchantId } = client;
      const response = await fetch(`${server.url}${skuPath('offer')}/price`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(response.status, 200, merchantId);
      const { price } = (await response.json()) as { price: number };
      assert.ok(
        price >= acknowledged && price <= client.tried,
        `${merchantId} has ${price}, not ${acknowledged} or later`,
      );
    }
  }

  function forgetAnswers(): void {
    for (const client of clients) client.answers = [];
  }
});

/** Returns the time from a new connection to a worker's first response. */
async function firstAnswer_ms(url: string): Promise<number> {
  const startMs = performance.now();
  await administer(url, 'SELECT FROM offer WHERE account_id = 1');
  return performance.now() - startMs;
}

function took_ms({ answers }: Client, method: string): number[] {
  return answers.filter((answer) => answer.method === method).map((answer) => answer.took_ms);
}

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}
