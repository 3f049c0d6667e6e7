/**
 * Tests that the events of the storefront lead to what the offers say after processes were killed while programs wrote and the storefront
 * was projected: no event is lost, and none appears twice. A batch is stored whole or not at all, so not even the last one is repeated.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { newEan } from '../api/fixtures/shop.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { freePort } from '../harness/free-port.ts';
import { lapseLeases } from '../harness/lapsed-leases.ts';
import { waitForLines } from '../harness/log-lines.ts';
import { postgresPlace } from '../harness/postgres-place.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import type { StorePlace } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { OFTEN, waitUntil } from '../harness/wait-until.ts';

const WAIT_MS_MAX = 60_000;
const WRITERS = 4;
/** Each writer has an offer of every product. */
const PRODUCTS = 3;
/** Every such write sells an offer out. */
const SOLD_OUT = 5;
/** How many new events are seen before each kill. */
const SEEN_BEFORE_KILLS = [1, 25, 60, 5];

interface Shown {
  readonly merchant_sku: string;
  readonly price: number;
  readonly quantity: number;
}

interface Event {
  readonly id: string;
  readonly code: string;
  readonly change: {
    readonly product?: object | null;
    readonly offers_changed: readonly Shown[];
    readonly offers_removed: readonly Pick<Shown, 'merchant_sku'>[];
  };
}

/** Calls a server at one address, again while it is down. */
class Program {
  readonly #url: string;
  #token: Promise<string> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async write(method: string, path: string, body: object): Promise<void> {
    this.#token ??= requestToken(this.#url, 'test');
    const headers = { authorization: `Bearer ${await this.#token}` };
    const { status, text } = await this.#send(path, { method, headers, body: JSON.stringify(body) });
    assert.equal(status, 202, text);
  }

  /** The shop of the demo needs no token. */
  async shop<T>(path: string): Promise<T | undefined> {
    const { status, text } = await this.#send(`/shop/api${path}`, {});
    assert.ok(status === 200 || status === 404, text);
    return status === 404 ? undefined : JSON.parse(text);
  }

  #send(path: string, request: RequestInit): Promise<{ status: number; text: string }> {
    return waitUntil(`a response of ${path}`, WAIT_MS_MAX, async () => {
      try {
        const response = await fetch(`${this.#url}${path}`, request);
        return response.status === 503 ? undefined : { status: response.status, text: await response.text() };
      } catch (error) {
        // fetch fails with a TypeError when the connection breaks, which is what the kill does.
        if (error instanceof TypeError) return undefined;
        throw error;
      }
    });
  }
}

class Reader {
  readonly events: Event[] = [];
  #after = '';

  async follow(program: Program, isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#read(program, 1);
  }

  async catchUp(program: Program): Promise<readonly Event[]> {
    while (await this.#read(program, 0));
    return this.events;
  }

  async #read(program: Program, wait_seconds: number): Promise<boolean> {
    const query = `limit=100&after=${this.#after}&wait=${wait_seconds}`;
    const page = await program.shop<{ events: Event[]; next: string; more: boolean }>(`/events?${query}`);
    assert.ok(page);
    this.events.push(...page.events);
    this.#after = page.next;
    return page.more;
  }
}

/** Codes of the products. */
const EANS = Array.from({ length: PRODUCTS }, newEan);
/** The last value that was written, by SKU. */
type Written = Map<string, number>;

/** Gives the offers of a writer rising prices and quantities, and sells them out from time to time. */
async function write(program: Program, writer: string, written: Written, isOver: () => boolean): Promise<void> {
  const skuOf = (product: number) => `${writer}-${product}`;
  for (const [product, ean] of EANS.entries()) {
    const standard_product_codes = [{ standard_product_code_type: 'EAN', standard_product_code: ean }];
    await program.write('PUT', skuPath(skuOf(product)), { ...minimalSku(), standard_product_codes });
  }
  for (let n = 1; !isOver() || n <= PRODUCTS; n++) {
    const skuId = skuOf(n % PRODUCTS);
    await program.write('PUT', `${skuPath(skuId)}/price`, { price: n });
    const quantity = isSoldOut(n) ? 0 : n;
    const fulfillment_nodes = [{ fulfillment_node_id: 'demo-node-east', quantity }];
    await program.write('PATCH', `${skuPath(skuId)}/inventory`, { fulfillment_nodes });
    written.set(skuId, n);
  }
}

function isSoldOut(n: number): boolean {
  return n % SOLD_OUT === 0;
}

/** Returns what the offers say in the end, by SKU in order. */
function wanted(written: Written): [skuId: string, price: number, quantity: number][] {
  return [...written].flatMap(([skuId, n]) => (isSoldOut(n) ? [] : [[skuId, n, n] as [string, number, number]])).sort();
}

/** Returns what the events say in the end, in the same form. Asserts that each event tells something new. */
function told(events: readonly Event[]): ReturnType<typeof wanted> {
  const now = new Map<string, Shown>();
  const last = new Map<string, number>();
  for (const { id, change } of events) {
    assert.ok(change.offers_changed.length + change.offers_removed.length > 0 || 'product' in change, id);
    for (const offer of change.offers_changed) {
      const { merchant_sku: skuId, price, quantity } = offer;
      assert.notDeepEqual(offer, now.get(skuId), `${id} repeats the offer ${skuId}`);
      assert.ok(price + quantity > (last.get(skuId) ?? 0), `${id} shows an older state of ${skuId}`);
      now.set(skuId, offer);
      last.set(skuId, price + quantity);
    }
    for (const { merchant_sku: skuId } of change.offers_removed) {
      assert.ok(now.delete(skuId), `${id} removes ${skuId}, which was not shown`);
    }
  }
  return rows([...now.values()]);
}

function rows(offers: readonly Shown[]): ReturnType<typeof wanted> {
  return offers.map(({ merchant_sku, price, quantity }) => [merchant_sku, price, quantity] as const).sort() as never;
}

/** Asserts that the numbers of the events have no gaps. */
function assertWhole(events: readonly Event[]): void {
  const numbers = events.map(({ id }) => Number.parseInt(id.split('-')[1] ?? '', 36));
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  );
}

/** A server that is killed. */
interface Killed {
  readonly url: string;
  /** Resolves when a process has got the signal. */
  kill(round: number): Promise<void>;
  restart(): Promise<void>;
}

/**
 * Kills a process in each round while programs write and one reads, then compares events, products and what was written. Each round has its
 * own offers, so that no later write hides an event that was lost.
 */
async function killAndCompare({ url, kill, restart }: Killed): Promise<void> {
  const written: Written = new Map();
  const reader = new Reader();
  const program = new Program(url);
  let isOver = false;
  const reading = reader.follow(program, () => isOver);
  const killing = (async () => {
    for (const [round, seen] of SEEN_BEFORE_KILLS.entries()) {
      let isKilled = false;
      const writing = Array.from({ length: WRITERS }, (_, writer) => {
        return write(program, `w${round}-${writer}`, written, () => isKilled);
      });
      const before = reader.events.length;
      const isSeen = async () => (reader.events.length >= before + seen ? true : undefined);
      const killed = waitUntil(`${seen} events`, WAIT_MS_MAX, isSeen, OFTEN).then(() => kill(round));
      await Promise.race([killed, Promise.all(writing)]).finally(() => {
        isKilled = true;
      });
      await restart();
      await Promise.all(writing);
    }
  })();
  await Promise.race([killing, reading]).finally(() => {
    isOver = true;
  });
  await reading;
  const end = JSON.stringify(wanted(written));
  await waitUntil('the last events', WAIT_MS_MAX, async () => {
    return JSON.stringify(told(await reader.catchUp(program))) === end ? true : undefined;
  });
  assertWhole(reader.events);
  assert.deepEqual(await new Reader().catchUp(program), reader.events, 'A new reader sees the same events.');
  const shown: Shown[] = [];
  for (const ean of EANS) {
    const found = await program.shop<{ offers: readonly Shown[] }>(`/products/${ean}`);
    shown.push(...(found?.offers ?? []));
  }
  assert.deepEqual(rows(shown), wanted(written));
}

async function start(t: TestContext, place: StorePlace, args: readonly string[] = []) {
  const settings = { STOREFRONT: 'on', REQUESTS_PER_MINUTE: '1000000' };
  const server = await startServeProcess({ ...place, ...settings }, ['--demo', ...args]);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

describe('kill -9 while offers change and the storefront is projected', { concurrency: 2 }, () => {
  it('on SQLite: the events continue after the restart, without a gap or a repeat', async (t) => {
    const place = { DATA_DIR: await tempFolder(), PORT: String(await freePort()) };
    let server = await start(t, place);
    await killAndCompare({
      url: server.url,
      kill: async () => void server.process.kill('SIGKILL'),
      async restart() {
        await server.stop('SIGKILL');
        await lapseLeases(place);
        server = await start(t, place);
      },
    });
  });

  it('on PostgreSQL with two processes: the other one continues', { skip: postgresSkipped() }, async (t) => {
    const server = await start(t, await postgresPlace(), ['--processes', '2']);
    await killAndCompare({
      url: server.url,
      async kill(round) {
        // Kills them in turn, so that the one that projects is among any two, and the other one runs.
        const ready = await waitForLines(server, 'worker_ready', 2 + round);
        const victim = ready.filter(({ number }) => number === 1 + (round % 2)).at(-1);
        process.kill(Number(victim?.pid), 'SIGKILL');
      },
      async restart() {},
    });
  });
});
