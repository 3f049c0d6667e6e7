/**
 * Tests the change feed and webhooks while writers, a bulk file, readers and receivers are busy together: with a server that is
 * killed, and with two servers on one database. One environment has the file, the other the webhooks.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/domain/limits.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { BulkFiles } from '../harness/bulk-files.ts';
import { lapseLeases } from '../harness/lapsed-leases.ts';
import { disconnected } from '../harness/run-sql.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { createPlace, type StoreKind, type StorePlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { verifyMessage, WebhookReceiver } from '../harness/webhook-receiver.ts';

const WAIT_MS_MAX = 120_000;
/** The work during which the server is killed. */
const KILLS = ['a file', 'a message'] as const;
/** Enough rows for the file to take longer than a reader needs to see the first ones. */
const ROWS = 4_000;
const WRITERS = 3;
/** A writer goes on to the next SKU after this many writes, fewer than one page of the history. */
const WRITES_PER_SKU = 12;
/** Writers wait while more of their writes have not been seen, so that readers and receivers stay busy as well. */
const UNSEEN_MAX = 30;
const SEEN_BEFORE_KILL = 20;
const TYPES = ['offer.updated', 'file.finished'];

type Environment = 'test' | 'live';

interface Event {
  readonly id: string;
  readonly type: string;
  readonly merchant_sku: string;
  readonly part: string;
  readonly by: { readonly kind: string; readonly name: string };
}

/** The writes to one SKU in order. The last one may be stored although it was not acknowledged. */
interface Written {
  readonly parts: string[];
  unsure?: string;
}

/** A merchant's program for one environment. Its calls return undefined when the server is gone. */
class Program {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  static async open(url: string, environment: Environment): Promise<Program> {
    return new Program(url, await requestToken(url, environment));
  }

  async send<T>(method: string, path: string, body?: unknown): Promise<T | undefined> {
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      // A machine that loses time can exceed the time limit of a statement. Programs repeat such reads.
      if (response.status === 503 && method === 'GET') return await this.send(method, path);
      assert.ok(response.ok, text);
      return (text === '' ? true : JSON.parse(text)) as T;
    } catch (error) {
      // fetch fails with a TypeError when the connection breaks, which is what the kill does.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  async found<T>(path: string): Promise<T> {
    return (await this.send<T>('GET', path)) ?? assert.fail(`${path} got no response`);
  }
}

/** Reads a feed page by page, each after the cursor of the one before. */
class Reader {
  readonly events: Event[] = [];
  #after = '';

  /** Follows the feed until `isOver` or the server is gone. */
  async follow(program: Program, isOver: () => boolean): Promise<void> {
    while (!isOver() && (await this.#read(program, 5)) !== undefined);
  }

  /** Reads the events that exist now. */
  async catchUp(program: Program): Promise<readonly Event[]> {
    while ((await this.#read(program, 0)) ?? assert.fail('The server is gone.'));
    return this.events;
  }

  /** Returns whether there are more events. */
  async #read(program: Program, wait_seconds: number): Promise<boolean | undefined> {
    const query = `types=${TYPES}&limit=1000&after=${this.#after}&wait=${wait_seconds}`;
    const page = await program.send<{ events: Event[]; next: string; more: boolean }>('GET', `/events?${query}`);
    if (page === undefined) return undefined;
    this.events.push(...page.events);
    this.#after = page.next;
    return page.more;
  }
}

/** Writes parts of its own SKUs, one after the other, until `isOver` or the server is gone. Programs take turns. */
async function write(
  programs: readonly Program[],
  name: string,
  written: Map<string, Written>,
  isUnseen: () => boolean,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const skuId = `${name}-${Math.floor(n / WRITES_PER_SKU)}`;
    const own: Written = written.get(skuId) ?? { parts: [] };
    written.set(skuId, own);
    const nodes = [{ fulfillment_node_id: 'demo-node-east', quantity: n + 1 }];
    const [method, part, body] = (
      [
        ['PUT', 'price', { price: n + 1 }],
        ['PATCH', 'inventory', { fulfillment_nodes: nodes }],
        ['PUT', 'sku', { ...minimalSku(), product_title: `Title ${n}` }],
      ] as const
    )[own.parts.length === 0 ? 2 : n % 3] as readonly [string, string, unknown];
    own.unsure = part;
    const program = programs[n % programs.length] as Program;
    const path = `${skuPath(skuId)}${part === 'sku' ? '' : `/${part}`}`;
    if ((await program.send(method, path, body)) === undefined) return;
    own.parts.push(part);
    delete own.unsure;
    await waitUntil('the writes to be seen', WAIT_MS_MAX, async () => (isOver() || !isUnseen() ? true : undefined));
  }
}

function countOf(written: ReadonlyMap<string, Written>): number {
  return written.values().reduce((sum, { parts }) => sum + parts.length, 0);
}

/** Asserts that every stored change has one event, in the order of the SKU's history, which has every acknowledged write. */
async function assertToldOnce(
  program: Program,
  events: readonly Event[],
  written: ReadonlyMap<string, Written>,
): Promise<void> {
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, 'No event appears twice.');
  const told = Map.groupBy(events, ({ merchant_sku }) => merchant_sku);
  for (const [skuId, { parts, unsure }] of written) {
    const history = await program.send<{ changes: Event[] }>('GET', `${skuPath(skuId)}/history?limit=200`).catch(() => {
      // The only write of the SKU was not stored.
      assert.deepEqual(parts, [], skuId);
      return { changes: [] };
    });
    const changes = history?.changes.toReversed() ?? assert.fail('The server is gone.');
    const summary = (list: readonly Event[]) => list.map(({ part, by: { kind } }) => `${part} by ${kind}`);
    assert.deepEqual(summary(told.get(skuId) ?? []), summary(changes), skuId);
    const stored = changes.map(({ part }) => part);
    assert.deepEqual(stored, stored.length > parts.length ? [...parts, unsure] : parts, skuId);
  }
}

function isOfFile({ type, by }: Event): boolean {
  return type === 'offer.updated' && by.kind === 'file';
}

/** Asserts that every row of the file has one event, and that the end of the file has one. Only the writers changed other offers. */
function assertFileTold(events: readonly Event[], written: ReadonlyMap<string, Written>): void {
  const rows = events.filter(({ type, merchant_sku }) => type === 'offer.updated' && !written.has(merchant_sku));
  assert.equal(rows.length, ROWS);
  assert.equal(new Set(rows.map(({ merchant_sku }) => merchant_sku)).size, ROWS);
  assert.ok(rows.every((event) => isOfFile(event) && event.part === 'sku'));
  assert.equal(events.filter(({ type }) => type === 'file.finished').length, 1);
}

function sendFile({ url, token }: Program): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_, row) => [`row-${row}`, minimalSku()]);
  return new BulkFiles(url, token).send('MerchantSKUs', JSON.stringify(Object.fromEntries(rows)));
}

async function addWebhook(program: Program, url: string): Promise<string> {
  const body = { url, types: TYPES };
  const added = await program.send<{ secret: string }>('POST', '/webhooks', body);
  return added?.secret ?? assert.fail('The server is gone.');
}

function idsOf({ messages }: WebhookReceiver): string[] {
  return messages.map(({ headers }) => String(headers['webhook-id']));
}

/** Waits for all events, and asserts that the first arrivals of each SKU are in the order of the feed. */
async function assertArrived(receiver: WebhookReceiver, events: readonly Event[]): Promise<void> {
  const ids = new Set(events.map(({ id }) => id));
  await waitUntil('all messages', WAIT_MS_MAX, async () =>
    ids.isSubsetOf(new Set(idsOf(receiver))) ? true : undefined,
  );
  const skuOf = new Map(events.map(({ id, merchant_sku }) => [id, merchant_sku]));
  // Maps are equal in any order of their keys.
  const bySku = (all: Iterable<string>) => Map.groupBy(all, (id) => skuOf.get(id));
  assert.deepEqual(bySku(new Set(idsOf(receiver))), bySku(ids));
}

/** Settings of the servers, and how to start one. All are stopped and the database is removed in the end. */
interface Scene {
  readonly place: StorePlace;
  start(): Promise<ServeProcess>;
}

async function withScene(store: StoreKind, run: (scene: Scene) => Promise<void>): Promise<void> {
  await using ending = new AsyncDisposableStack();
  const { place, remove } = await createPlace(store, createReadyDatabase);
  ending.defer(remove);
  await run({
    place,
    async start() {
      const settings = {
        REQUESTS_PER_MINUTE: '1000000',
        WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
        LOG_LEVEL: 'warn',
        // A busy machine takes longer than the default for some calls, and a 503 is not what is tested here.
        DATABASE_CALL_MS_MAX: '60000',
        DATABASE_STATEMENT_MS_MAX: '50000',
      };
      const server = await startServeProcess({ ...place, ...settings });
      ending.defer(async () => void (await server.stop('SIGKILL')));
      return server;
    },
  });
}

describe('kill -9 while writers, a file, readers and a receiver are busy', { concurrency: 2 }, () => {
  for (const store of ['sqlite', 'postgres'] as const) {
    const skip = store === 'postgres' ? postgresSkipped() : false;
    it(
      `on ${store}: the feed has every change once, and the webhook gets all, those of each SKU in order`,
      { skip },
      () => withScene(store, killAndCompare),
    );
  }
});

async function killAndCompare(scene: Scene): Promise<void> {
  using receiver = await WebhookReceiver.open();
  const written = { test: new Map<string, Written>(), live: new Map<string, Written>() };
  const readers = { test: new Reader(), live: new Reader() };
  const isUnseen = {
    test: () => countOf(written.test) - readers.test.events.length > UNSEEN_MAX,
    live: () => countOf(written.live) - receiver.messages.length > UNSEEN_MAX,
  };
  let unanswered = '';
  let fileId = '';
  let secret = '';
  const servers: ServeProcess[] = [];
  for (const [round, kill] of KILLS.entries()) {
    const server = await scene.start();
    servers.push(server);
    const [test, live] = [await Program.open(server.url, 'test'), await Program.open(server.url, 'live')];
    if (round === 0) {
      secret = await addWebhook(live, receiver.url);
      fileId = await sendFile(test);
    }
    const seen = () => [countOf(written.test), countOf(written.live), receiver.messages.length];
    const before = seen();
    const isOver = () => server.process.killed;
    const working = Object.entries({ test, live }).flatMap(([name, program]) => {
      const environment = name as Environment;
      return [
        readers[environment].follow(program, isOver),
        ...Array.from({ length: WRITERS }, (_, writer) => {
          const own = `writer-${round}-${writer}`;
          return write([program], own, written[environment], isUnseen[environment], isOver);
        }),
      ];
    });
    await waitUntil('all to be busy', WAIT_MS_MAX, async () =>
      seen().every((count, place) => count - (before[place] ?? 0) >= SEEN_BEFORE_KILL) ? true : undefined,
    );
    if (kill === 'a file') {
      await waitUntil('rows of the file', WAIT_MS_MAX, async () => readers.test.events.find(isOfFile));
      server.process.kill('SIGKILL');
    } else {
      unanswered = await killAtMessage(server, receiver);
    }
    await Promise.all(working);
    assert.equal(await server.stop('SIGKILL'), 'SIGKILL');
    await disconnected(scene.place);
    await lapseLeases(scene.place);
  }

  const server = await scene.start();
  const [test, live] = [await Program.open(server.url, 'test'), await Program.open(server.url, 'live')];
  const { status } = await new BulkFiles(server.url, test.token).ended(fileId, WAIT_MS_MAX);
  assert.equal(status, 'Processed successfully');
  for (const [environment, program] of Object.entries({ test, live })) {
    const reader = readers[environment as Environment];
    const events = await reader.catchUp(program);
    assert.deepEqual(await new Reader().catchUp(program), events, 'A new reader sees the same feed.');
    await assertToldOnce(program, events, written[environment as Environment]);
  }
  assertFileTold(readers.test.events, written.test);
  await assertArrived(receiver, readers.live.events);
  for (const message of receiver.messages) verifyMessage(secret, message);
  const again = idsOf(receiver).filter((id, place, all) => all.indexOf(id) < place);
  assert.ok(again.includes(unanswered));
  const repeated_max = (KILLS.length + lostWork([...servers, server])) * LIMITS.webhook_in_flight_max;
  assert.ok(again.length <= repeated_max, 'A crash repeats at most the messages that were in flight.');
  assert.equal(await server.stop(), 0);
}

/** On a busy machine, a process may lose a lease. What was in flight is then repeated. */
function lostWork(servers: readonly ServeProcess[]): number {
  return servers.flatMap(({ output }) => output().match(/"event":"work_lost"/g) ?? []).length;
}

/** Receives the message, but the server never gets the response. Returns the id of the event. */
async function killAtMessage(server: ServeProcess, receiver: WebhookReceiver): Promise<string> {
  const received = Promise.withResolvers<string>();
  receiver.answer = ({ headers }) => {
    server.process.kill('SIGKILL');
    receiver.answer = () => 204;
    received.resolve(String(headers['webhook-id']));
    return 0;
  };
  return received.promise;
}

const WEBHOOKS = 4;
const WRITES = 100;

describe('two processes on one database', { skip: postgresSkipped() }, () => {
  it('show all readers one feed, and send each event once to each webhook', () =>
    withScene('postgres', async (scene) => {
      const servers = [await scene.start(), await scene.start()];
      const programsOf = (environment: Environment) =>
        Promise.all(servers.map(({ url }) => Program.open(url, environment)));
      const programs = { test: await programsOf('test'), live: await programsOf('live') };
      using receivers = new DisposableStack();
      const hooks: WebhookReceiver[] = [];
      for (let n = 0; n < WEBHOOKS; n++) {
        const receiver = receivers.use(await WebhookReceiver.open());
        hooks.push(receiver);
        await addWebhook(programs.live[n % 2] as Program, receiver.url);
      }
      const fileId = await sendFile(programs.test[0] as Program);
      const written = { test: new Map<string, Written>(), live: new Map<string, Written>() };
      const readers = { test: [new Reader(), new Reader()], live: [new Reader(), new Reader()] };
      let isCompared = false;
      const following: Promise<void>[] = [];
      const writing: Promise<void>[] = [];
      for (const environment of ['test', 'live'] as const) {
        const own = programs[environment];
        following.push(
          ...readers[environment].map((reader, place) => reader.follow(own[place] as Program, () => isCompared)),
        );
        const map = written[environment];
        const isOver = () => countOf(map) >= WRITES;
        // The messages of live writes are awaited, so that webhooks are taken many times by either process.
        const isUnseen = () => environment === 'live' && countOf(map) - (hooks[0]?.messages.length ?? 0) > UNSEEN_MAX;
        for (let n = 0; n < WRITERS; n++) {
          const inTurn = n % 2 === 0 ? own : own.toReversed();
          writing.push(write(inTurn, `writer-${n}`, map, isUnseen, isOver));
        }
      }
      await Promise.all(writing);
      const test = programs.test[0] as Program;
      assert.equal(
        (await new BulkFiles(test.url, test.token).ended(fileId, WAIT_MS_MAX)).status,
        'Processed successfully',
      );
      const feeds = {
        test: await new Reader().catchUp(test),
        live: await new Reader().catchUp(programs.live[1] as Program),
      };
      for (const environment of ['test', 'live'] as const) {
        const feed = feeds[environment];
        for (const { events } of readers[environment]) {
          await waitUntil('the reader', WAIT_MS_MAX, async () => (events.length >= feed.length ? true : undefined));
          assert.deepEqual(events, feed);
        }
        await assertToldOnce(programs[environment][1] as Program, feed, written[environment]);
      }
      assertFileTold(feeds.test, written.test);
      for (const hook of hooks) {
        await assertArrived(hook, feeds.live);
      }
      isCompared = true;
      for (const server of servers) assert.equal(await server.stop(), 0);
      await Promise.all(following);
      const lost = lostWork(servers);
      for (const { messages } of hooks) {
        const repeated = messages.length - feeds.live.length;
        assert.ok(repeated <= lost * LIMITS.webhook_in_flight_max, `${repeated} messages were sent again`);
      }
    }));
});
