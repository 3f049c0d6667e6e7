/**
 * Runs clients that write and read without pause while a test breaks something. They check every response, and afterwards all stored data,
 * against the promises.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { minimalSku, requestToken, skuPath } from './api-client.ts';
import { LostTime } from './lost-time.ts';
import { waitUntil } from './wait-until.ts';

/** Promised times, plus the time that a test machine with two busy cores may add. Lost time does not count. */
const ANSWER_MS_MAX = 2_000 + 1_000;
const RECOVERY_MS_MAX = 5_000 + 5_000;
/** Not a promise: how long a state is awaited. */
const PATIENCE_MS = 60_000;
/** Pause of each client between calls: about 500 requests per second in total, which two cores handle easily. */
const PAUSE_MS = 20;
const PRICE_WRITERS = 4;
const UPLOADERS = 2;
const READERS = 4;

/** Values increase by one with each write, so that a stored value tells which writes it includes. */
interface Counted {
  readonly skuId: string;
  tried: number;
  acknowledged: number;
}

export class SteadyLoad {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #prices: Counted[] = Array.from({ length: PRICE_WRITERS }, (_, n) => counted(`price-${n}`));
  readonly #stocks: Counted[] = Array.from({ length: PRICE_WRITERS }, (_, n) => counted(`price-${n}`));
  readonly #group = counted('group-parent');
  readonly #uploads = { acknowledged: [] as string[], count: 0 };
  readonly #answers = new Map<string, { good: number; refused: number }>();
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();
  #longest_ms = 0;
  readonly #lost: LostTime;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}` };
    this.#lost = new LostTime(url);
  }

  /** Resolves when every kind of call succeeded once. The server needs the demo merchant. */
  static async start(url: string): Promise<SteadyLoad> {
    const load = new SteadyLoad(url, await requestToken(url, 'test'));
    const upload = (skuId: string, body: object) =>
      waitUntil(`the upload of ${skuId}`, PATIENCE_MS, async () => {
        return (await load.#send('upload', 'PUT', skuPath(skuId), body)) || undefined;
      });
    for (const { skuId } of load.#prices) await upload(skuId, minimalSku());
    for (const skuId of ['group-parent', 'group-child']) {
      const attributes = [{ attribute_id: 1, attribute_value: skuId }];
      await upload(skuId, { ...minimalSku(), attributes_node_specific: attributes });
    }
    load.#running = Promise.all(load.#clients());
    await load.isWell();
    return load;
  }

  /** Responses so far, by kind of call. */
  counts(): ReadonlyMap<string, { readonly good: number; readonly refused: number }> {
    return structuredClone(this.#answers);
  }

  /** Duration of the slowest response so far. */
  get longest_ms(): number {
    return this.#longest_ms;
  }

  /** Resolves when each kind of call succeeded again; fails if that takes longer than promised. */
  async isWell(): Promise<void> {
    const [startMs, lost_ms] = [performance.now(), this.#lost.ms];
    await this.#changes('good', 'every kind of call to succeed', KINDS);
    const took_ms = performance.now() - startMs - (this.#lost.ms - lost_ms);
    assert.ok(took_ms < RECOVERY_MS_MAX, `it took ${took_ms} ms`);
  }

  /** Resolves when each of these kinds of calls, or by default each kind, was refused, so that the fault affects all of them. */
  isRefused(...kinds: readonly string[]): Promise<unknown> {
    return this.#changes('refused', 'calls to be refused', kinds.length > 0 ? kinds : KINDS);
  }

  /** Stops the clients; fails if one of them got a response that is not allowed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#lost[Symbol.dispose]();
    await this.#running;
  }

  /**
   * Asserts that every write acknowledged since the last check is stored, that nothing else is, and that groups are complete.
   * Clients may continue.
   */
  async assertStored(url: string = this.#url): Promise<void> {
    const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
    // On a machine that loses time, a call may exceed the time limit of the database.
    const read = (path: string) =>
      waitUntil(`a response of ${path}`, PATIENCE_MS, async () => {
        const response = await fetch(`${url}${path}`, { headers });
        const body = (await response.json()) as Record<string, unknown>;
        if (response.status === 503) return undefined;
        assert.equal(response.status, 200, path);
        return body;
      });
    for (const price of this.#prices) {
      await assertSeen(price, async () => (await read(`${skuPath(price.skuId)}/price`)).price);
    }
    for (const stock of this.#stocks) {
      await assertSeen(stock, async () => {
        const inventory = await read(`${skuPath(stock.skuId)}/inventory`);
        return (inventory.fulfillment_nodes as { quantity: number }[])[0]?.quantity;
      });
    }
    await assertSeen(this.#group, async () => {
      const group = await read(`${skuPath(this.#group.skuId)}/variation`);
      assert.deepEqual(group.children_skus, ['group-child']);
      return group.group_title;
    });
    const uploads = this.#uploads.acknowledged.splice(0);
    assert.ok(uploads.length > 0, 'something was uploaded');
    for (const skuId of uploads) assert.equal((await read(skuPath(skuId))).product_title, `Title of ${skuId}`);
  }

  #clients(): Promise<void>[] {
    const prices = this.#prices.map((price, n) => {
      const stock = this.#stocks[n] as Counted;
      return this.#again(async () => {
        await this.#count(price, 'price', 'PUT', '/price', (value) => ({ price: value }));
        await this.#count(stock, 'stock', 'PATCH', '/inventory', (quantity) => ({
          fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity }],
        }));
      });
    });
    const group = this.#again(() =>
      this.#count(this.#group, 'group', 'PUT', '/variation', (value) => ({
        relationship: 'Variation',
        variation_refinements: [1],
        children_skus: ['group-child'],
        group_title: String(value),
      })),
    );
    const uploads = Array.from({ length: UPLOADERS }, () => this.#again(() => this.#upload()));
    const readers = Array.from({ length: READERS }, (_, n) =>
      this.#again(async () => {
        await this.#send('read', 'GET', `${skuPath(`price-${n % PRICE_WRITERS}`)}/inventory`);
        await this.#send('list', 'GET', '/merchant-skus?limit=10');
      }),
    );
    return [...prices, group, ...uploads, ...readers];
  }

  async #again(step: () => Promise<unknown>): Promise<void> {
    while (!this.#isStopped) {
      await step();
      await pause(PAUSE_MS);
    }
  }

  async #count(
    values: Counted,
    kind: string,
    method: string,
    part: string,
    bodyOf: (value: number) => unknown,
  ): Promise<void> {
    const value = ++values.tried;
    if (await this.#send(kind, method, `${skuPath(values.skuId)}${part}`, bodyOf(value))) values.acknowledged = value;
  }

  async #upload(): Promise<void> {
    const skuId = `upload-${this.#uploads.count++}`;
    const body = { ...minimalSku(), product_title: `Title of ${skuId}` };
    if (await this.#send('upload', 'PUT', skuPath(skuId), body)) this.#uploads.acknowledged.push(skuId);
  }

  /** Returns true if the call succeeded, and false if it was refused as allowed. */
  async #send(kind: string, method: string, path: string, body?: unknown): Promise<boolean> {
    const [startMs, lost_ms] = [performance.now(), this.#lost.ms];
    const request = { method, headers: this.#headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.#url}${path}`, request);
    const text = await response.text();
    const took_ms = performance.now() - startMs - (this.#lost.ms - lost_ms);
    this.#longest_ms = Math.max(this.#longest_ms, took_ms);
    assert.ok(took_ms < ANSWER_MS_MAX, `${method} ${path} got ${response.status} after ${took_ms} ms`);
    const seen = this.#answers.get(kind) ?? { good: 0, refused: 0 };
    this.#answers.set(kind, seen);
    if (response.status === (method === 'GET' ? 200 : 202)) {
      seen.good++;
      return true;
    }
    assert.equal(response.status, 503, `${method} ${path} got ${response.status} ${text}`);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    seen.refused++;
    return false;
  }

  #changes(which: 'good' | 'refused', what: string, kinds: readonly string[]) {
    const before = this.counts();
    const has = (kind: string) => (this.#answers.get(kind)?.[which] ?? 0) > (before.get(kind)?.[which] ?? 0);
    const changed = waitUntil(what, PATIENCE_MS, async () => (kinds.every(has) ? true : undefined));
    // A client with a wrong response ends the wait immediately.
    return Promise.race([changed, this.#running]);
  }
}

const KINDS = ['price', 'stock', 'group', 'upload', 'read', 'list'];

function counted(skuId: string): Counted {
  return { skuId, tried: 0, acknowledged: 0 };
}

/**
 * Asserts that an acknowledged or later value is stored. It is unknown whether refused writes were stored, so any later one may be the
 * last.
 */
async function assertSeen(counted: Counted, read: () => Promise<unknown>): Promise<void> {
  const { skuId, acknowledged } = counted;
  const stored = Number(await read());
  const { tried } = counted;
  assert.ok(stored >= acknowledged && stored <= tried, `${skuId} has ${stored}, not ${acknowledged} to ${tried}`);
}
