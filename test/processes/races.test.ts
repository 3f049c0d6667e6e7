/**
 * Tests that concurrent writes of one SKU in two processes have the same result as sequential ones. Each race is provoked: a
 * row lock is held until both processes wait for it, then released.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, Client as PostgresClient } from 'pg';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { HOLD_ROW, WAITING } from '../../src/store/postgres/testing/held-rows.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { createPlace, type StorePlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

const WAIT_MS_MAX = 30_000;
const SIZE = 101;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> | undefined;
}

describe('two server processes on one database', { skip: postgresSkipped() }, () => {
  const ending = new AsyncDisposableStack();
  let servers: readonly [ServeProcess, ServeProcess];
  let holder: Client;
  /** Separate from the lock holder, whose transaction would see a snapshot of the activity. */
  let watcher: Client;
  let authorization: string;
  let place: StorePlace;

  before(async () => {
    const created = await createPlace('postgres', createReadyDatabase);
    place = created.place;
    ending.defer(created.remove);
    const start = async (): Promise<ServeProcess> => {
      // Runs without the review, which would wait for the row as well.
      const server = await startServeProcess({ ...place, LOG_LEVEL: 'warn' }, ['--demo', '--role', 'api']);
      ending.defer(async () => void (await server.stop('SIGKILL')));
      return server;
    };
    servers = [await start(), await start()];
    const connect = async (): Promise<Client> => {
      const client = new PostgresClient({ connectionString: place.DATABASE_URL });
      await client.connect();
      ending.defer(() => client.end());
      return client;
    };
    [holder, watcher] = await Promise.all([connect(), connect()]);
    authorization = `Bearer ${await requestToken(servers[0].url, 'test')}`;
  });

  after(() => ending.disposeAsync());

  it('an archive, then a price: the price is refused and not stored', async () => {
    await upload('archived-first');
    assert.equal((await put(0, 'archived-first', '/price', { price: 1 })).status, 202);
    const [archived, priced] = await inTurn(
      'archived-first',
      () => put(0, 'archived-first', '/status/archive', { is_archived: true }),
      () => put(1, 'archived-first', '/price', { price: 2 }),
    );
    assert.equal(archived.status, 202);
    assert.deepEqual([priced.status, codes(priced)], [400, ['sku_archived']]);
    for (const place of [0, 1] as const) assert.equal((await get(place, 'archived-first', '/price')).body?.price, 1);
  });

  it('a price, then an archive: both are stored', async () => {
    await upload('priced-first');
    const answers = await inTurn(
      'priced-first',
      () => put(0, 'priced-first', '/price', { price: 2 }),
      () => put(1, 'priced-first', '/status/archive', { is_archived: true }),
    );
    assert.deepEqual(statuses(answers), [202, 202]);
    for (const place of [0, 1] as const) assert.equal((await get(place, 'priced-first', '/price')).body?.price, 2);
    assert.deepEqual(codes(await put(0, 'priced-first', '/price', { price: 3 })), ['sku_archived']);
  });

  it('two patches of one SKU on different nodes: both are kept', async () => {
    await upload('patched');
    const patch = (place: 0 | 1, fulfillment_node_id: string, quantity: number) =>
      send(place, 'PATCH', 'patched', '/inventory', { fulfillment_nodes: [{ fulfillment_node_id, quantity }] });
    const answers = await inTurn(
      'patched',
      () => patch(0, 'demo-node-east', 3),
      () => patch(1, 'demo-node-west', 4),
    );
    assert.deepEqual(statuses(answers), [202, 202]);
    const { body } = await get(1, 'patched', '/inventory');
    const nodes = body?.fulfillment_nodes as { fulfillment_node_id: string; quantity: number }[];
    const quantities = nodes.map(({ fulfillment_node_id, quantity }) => [fulfillment_node_id, quantity]);
    assert.deepEqual(new Map(quantities as [string, number][]), new Map([['demo-node-east', 3], ['demo-node-west', 4]])); // biome-ignore format: a table
  });

  it('an archive of a child, then a group with that child: the group is refused as a whole', async () => {
    const { parent, children } = await uploadSizes('refused');
    const [archived, grouped] = await inTurn(
      children[1],
      () => put(0, children[1], '/status/archive', { is_archived: true }),
      () => put(1, parent, '/variation', groupOf(children)),
    );
    assert.equal(archived.status, 202);
    assert.deepEqual([grouped.status, codes(grouped)], [400, ['child_archived']]);
    assert.deepEqual(codes(await get(0, parent, '/variation')), ['variation_unset']);
  });

  it('a group, then an archive of a child: both are stored', async () => {
    const { parent, children } = await uploadSizes('kept');
    const answers = await inTurn(
      children[1],
      () => put(1, parent, '/variation', groupOf(children)),
      () => put(0, children[1], '/status/archive', { is_archived: true }),
    );
    assert.deepEqual(statuses(answers), [202, 202]);
    assert.deepEqual((await get(0, parent, '/variation')).body?.children_skus, children);
    assert.deepEqual(codes(await put(1, children[1], '/price', { price: 1 })), ['sku_archived']);
  });

  it('20 requests with one key in both processes: one of them writes', async () => {
    await upload('keyed');
    const before = await changes();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => put((place % 2) as 0 | 1, 'keyed', '/price', { price: 2 }, 'one-key')),
    );
    assert.ok(answers.some(({ status }) => status === 202));
    for (const answer of answers) {
      if (answer.status !== 202) assert.deepEqual([answer.status, codes(answer)], [409, ['idempotency_key_in_use']]);
    }
    assert.equal(await changes(), before + 1);
  });

  it('a process killed during a write with a key: a repeat in another keeps the newer write', async (t) => {
    await upload('killed');
    const killed = await startServeProcess({ ...place, LOG_LEVEL: 'warn' }, ['--demo', '--role', 'api']);
    t.after(() => killed.stop('SIGKILL'));
    const body = { price: 2 };
    await holder.query('BEGIN');
    try {
      await holder.query(`SELECT FROM offer WHERE sku_id = 'killed' FOR UPDATE`);
      const lost = sendTo(killed.url, 'PUT', 'killed', '/price', body, 'killed-key').catch(() => undefined);
      await waitUntil('the write to wait for the row', WAIT_MS_MAX, async () => {
        return (await watcher.query(WAITING.text)).rowCount === 1 ? true : undefined;
      });
      assert.equal(await killed.stop('SIGKILL'), 'SIGKILL');
      assert.equal(await lost, undefined);
    } finally {
      // PostgreSQL continues the statement of the dead process.
      await holder.query('ROLLBACK');
    }
    await waitUntil('the write', WAIT_MS_MAX, async () =>
      (await get(0, 'killed', '/price')).body?.price === 2 ? true : undefined,
    );
    assert.equal((await put(0, 'killed', '/price', { price: 3 })).status, 202);
    assert.deepEqual(codes(await put(1, 'killed', '/price', body, 'killed-key')), ['idempotency_key_in_use']);
    await watcher.query(`UPDATE idempotency_key SET lease_ends_ms = 0 WHERE key = 'killed-key'`);
    assert.equal((await put(1, 'killed', '/price', body, 'killed-key')).status, 202);
    assert.equal((await get(0, 'killed', '/price')).body?.price, 3);
  });

  /** Holds the row of the SKU until the first call waits for it, and then the second one after it. */
  async function inTurn(
    skuId: string,
    first: () => Promise<Answer>,
    second: () => Promise<Answer>,
  ): Promise<[Answer, Answer]> {
    await holder.query('BEGIN');
    const calls: Promise<Answer>[] = [];
    try {
      const { rows } = await holder.query('SELECT account_id FROM offer WHERE sku_id = $1', [skuId]);
      const { rowCount } = await holder.query(HOLD_ROW.text, [rows[0]?.account_id, skuId]);
      assert.equal(rowCount, 1);
      for (const call of [first, second]) {
        calls.push(call());
        await waitUntil(`${calls.length} to wait for the row`, WAIT_MS_MAX, async () => {
          return (await watcher.query(WAITING.text)).rowCount === calls.length ? true : undefined;
        });
      }
    } finally {
      await holder.query('ROLLBACK');
    }
    return Promise.all(calls) as Promise<[Answer, Answer]>;
  }

  async function upload(skuId: string, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
    assert.equal((await put(0, skuId, '', { ...minimalSku(), ...fields })).status, 202);
  }

  async function uploadSizes(name: string) {
    const children = [`${name}-child-1`, `${name}-child-2`] as const;
    const parent = `${name}-parent`;
    for (const [place, skuId] of [parent, ...children].entries()) {
      const attributes_node_specific = [{ attribute_id: SIZE, attribute_value: `size ${place}` }];
      await upload(skuId, { attributes_node_specific });
    }
    return { parent, children };
  }

  async function changes(): Promise<number> {
    const { rows } = await watcher.query<{ count: number }>('SELECT count(*)::int AS count FROM offer_history');
    return rows[0]?.count ?? 0;
  }

  function put(place: 0 | 1, skuId: string, part: string, body: unknown, key?: string): Promise<Answer> {
    return sendTo(servers[place].url, 'PUT', skuId, part, body, key);
  }

  function get(place: 0 | 1, skuId: string, part: string): Promise<Answer> {
    return send(place, 'GET', skuId, part);
  }

  function send(place: 0 | 1, method: string, skuId: string, part: string, body?: unknown): Promise<Answer> {
    return sendTo(servers[place].url, method, skuId, part, body);
  }

  async function sendTo(
    url: string,
    method: string,
    skuId: string,
    part: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer> {
    const response = await fetch(`${url}${skuPath(skuId)}${part}`, {
      method,
      headers: { authorization, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
});

function groupOf(children_skus: readonly string[]) {
  return { relationship: 'Variation', variation_refinements: [SIZE], children_skus };
}

function statuses(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status);
}

function codes({ body }: Answer): string[] {
  const details = (body?.details ?? []) as readonly { readonly code: string }[];
  return details.map(({ code }) => code);
}
