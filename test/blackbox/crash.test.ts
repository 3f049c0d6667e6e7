/** Tests that writes confirmed with 202 survive a killed process. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const WRITERS = 16;
const ACKNOWLEDGED_BEFORE_KILL = 100;
const ROUNDS = 3;

interface Written {
  readonly skuId: string;
  readonly price: number;
  readonly quantity: number;
}

it('kill -9 in the middle of writes loses no acknowledged write, and the server starts again by itself', async () => {
  const dataDir = await tempFolder();
  const variables = { DATA_DIR: dataDir, REQUESTS_PER_MINUTE: '1000000' };
  const acknowledged = new Map<string, Written>();
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startServeProcess(variables);
    await assertAllThere(server, acknowledged);
    const before = acknowledged.size;
    const token = await requestToken(server.url, 'test');
    let isKilled = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; !isKilled; n++) {
        const written = { skuId: `round-${round}-${writer}-${n}`, price: n + 0.5, quantity: n };
        if (!(await writeWhole(server.url, token, written))) return;
        acknowledged.set(written.skuId, written);
        if (!isKilled && acknowledged.size - before >= ACKNOWLEDGED_BEFORE_KILL) {
          isKilled = true;
          server.process.kill('SIGKILL');
        }
      }
    });
    await Promise.all(writers);
    assert.equal(await server.stop('SIGKILL'), 'SIGKILL');
    assert.ok(acknowledged.size > before, 'the round wrote something');
  }
  const server = await startServeProcess(variables);
  await assertAllThere(server, acknowledged);
  await assertToldOnce(server, acknowledged);
  assert.equal(await server.stop(), 0);
});

/** Returns true if all three writes were acknowledged, and false if the server was killed. */
async function writeWhole(url: string, token: string, { skuId, price, quantity }: Written): Promise<boolean> {
  const quantities = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity }] };
  const writes = [
    ['PUT', '', { ...minimalSku(), product_title: `Title of ${skuId}` }],
    ['PUT', '/price', { price }],
    ['PATCH', '/inventory', quantities],
  ] as const;
  try {
    for (const [method, part, body] of writes) {
      const response = await fetch(`${url}${skuPath(skuId)}${part}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      assert.equal(response.status, 202);
    }
    return true;
  } catch (error) {
    // fetch fails with a TypeError when the connection breaks, which is what the kill does.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function assertAllThere(server: ServeProcess, acknowledged: ReadonlyMap<string, Written>): Promise<void> {
  const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}` };
  const read = async (path: string) => (await fetch(`${server.url}${path}`, { headers })).json() as Promise<unknown>;
  for (const { skuId, price, quantity } of acknowledged.values()) {
    const sku = (await read(skuPath(skuId))) as { product_title: string };
    const storedPrice = (await read(`${skuPath(skuId)}/price`)) as { price: number };
    const stock = (await read(`${skuPath(skuId)}/inventory`)) as { fulfillment_nodes: { quantity: number }[] };
    assert.deepEqual(
      {
        title: sku.product_title,
        price: storedPrice.price,
        quantities: stock.fulfillment_nodes.map((n) => n.quantity),
      },
      { title: `Title of ${skuId}`, price, quantities: [quantity] },
    );
  }
}

/** Asserts that the feed has each acknowledged write once and in order, and other writes only if they were stored. */
async function assertToldOnce(server: ServeProcess, acknowledged: ReadonlyMap<string, Written>): Promise<void> {
  const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}` };
  const parts = new Map<string, string[]>();
  for (let after = '', more = true; more; ) {
    const response = await fetch(`${server.url}/events?types=offer.updated&limit=1000&after=${after}`, { headers });
    const page = (await response.json()) as {
      events: { merchant_sku: string; part: string }[];
      next: string;
      more: boolean;
    };
    for (const { merchant_sku, part } of page.events) {
      parts.set(merchant_sku, [...(parts.get(merchant_sku) ?? []), part]);
    }
    ({ next: after, more } = page);
  }
  const whole = ['sku', 'price', 'inventory'];
  for (const skuId of acknowledged.keys()) assert.deepEqual(parts.get(skuId), whole, skuId);
  for (const [skuId, told] of parts) {
    if (skuId.startsWith('round-')) assert.deepEqual(told, whole.slice(0, told.length), skuId);
  }
}
