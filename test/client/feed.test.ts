/** Tests the change feed through the client and its commands `events` and `listen`, against a real server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Offerbook } from '../../client/src/offerbook.ts';
import { skuPath } from '../../client/src/parts.ts';
import { verifyWebhook } from '../../client/src/webhooks.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { ROOT } from '../harness/suites.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
const SECRET = `whsec_${btoa('0123456789abcdef01234567')}`;
const UPDATES = ['offer.updated'];
/** Far more time than a message takes. */
const PATIENCE_MS = 60_000;

describe('the change feed of the client', () => {
  let server: TestServer;
  let client: Offerbook;

  function start(t: TestContext, ...args: readonly string[]) {
    const child = spawn(process.execPath, [path.join(ROOT, 'client/src/cli/main.ts'), ...args], {
      env: { ...process.env, OFFERBOOK_URL: server.url, OFFERBOOK_USER: user, OFFERBOOK_PASS: pass },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    return child;
  }

  before(async () => {
    server = await startTestServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
    client = new Offerbook({ url: server.url, user, pass });
    await client.call('PUT', skuPath('fed'), { body: minimalSku() });
    await client.putPrice('fed', { price: 1 });
  });
  after(() => server.close());

  it('ends after the last event if requested, and continues after a cursor', async () => {
    const events = await Array.fromAsync(client.events({ types: UPDATES, once: true }));
    assert.deepEqual(
      events.map((event) => 'part' in event && event.part),
      ['sku', 'price'],
    );
    const rest = await Array.fromAsync(client.events({ types: UPDATES, once: true, after: String(events[0]?.id) }));
    assert.deepEqual(rest, events.slice(1));
    const [page, ...further] = await Array.fromAsync(
      client.eventPages({ types: UPDATES, after: 'latest', once: true }),
    );
    assert.deepEqual([page?.events, further], [[], []]);
    await client.putPrice('fed', { price: 1.5 });
    const [next] = await Array.fromAsync(client.events({ types: UPDATES, once: true, after: String(page?.next) }));
    assert.equal(next !== undefined && 'part' in next && next.part, 'price');
  });

  it('waits for new events until the signal aborts', async () => {
    const stop = new AbortController();
    const known = await Array.fromAsync(client.events({ types: UPDATES, once: true }));
    const coming = client.events({ types: UPDATES, after: String(known.at(-1)?.id), signal: stop.signal });
    const first = coming.next();
    await client.patchInventory('fed', {
      fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 3 }],
    });
    const { value } = await first;
    assert.equal(value !== undefined && 'part' in value && value.part, 'inventory');
    const second = coming.next();
    stop.abort();
    assert.deepEqual(await second, { value: undefined, done: true });
  });

  it('has every event since the first call with `latest`, even if the first wait is interrupted', async () => {
    let isCut = false;
    const cut: typeof fetch = async (address, init) => {
      if (isCut || !String(address).includes('wait=30')) return fetch(address, init);
      isCut = true;
      await client.putPrice('fed', { price: 1.75 });
      throw new TypeError('fetch failed');
    };
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(25_000)]);
    const following = new Offerbook({ url: server.url, user, pass, fetch: cut });
    const { value } = await following.events({ types: UPDATES, after: 'latest', signal }).next();
    stop.abort();
    assert.equal(value !== undefined && 'part' in value && value.part, 'price');
  });

  it('is printed line by line, and followed until Ctrl+C', async (t) => {
    const printed = start(t, 'events', '--types', 'offer.updated');
    const lines = (await text(printed.stdout)).trimEnd().split('\n');
    const expected = await Array.fromAsync(client.events({ types: UPDATES, once: true }));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      expected,
    );
    const cursor = String(expected.at(-1)?.id);
    const following = start(t, 'events', '--follow', '--types', 'offer.updated', '--after', cursor);
    const [line] = await Promise.all([
      once(createInterface({ input: following.stdout }), 'line'),
      client.putPrice('fed', { price: 2 }),
    ]);
    assert.equal(JSON.parse(line[0]).part, 'price');
    const said = text(following.stderr);
    following.kill('SIGINT');
    assert.deepEqual(await once(following, 'close'), [130, null]);
    assert.equal(await said, 'Interrupted.\n');
    const ended = start(t, 'events', '--follow', '--after', cursor);
    await once(createInterface({ input: ended.stdout }), 'line');
    ended.kill('SIGTERM');
    assert.deepEqual(await once(ended, 'close'), [143, null]);
  });

  it('ends without an error when the reader closes the output', async (t) => {
    const printed = start(t, 'events');
    printed.stdout.destroy();
    const [said, [exitCode]] = await Promise.all([text(printed.stderr), once(printed, 'close')]);
    assert.deepEqual([said, exitCode], ['', 141]);
  });

  it('is posted to a local program as the same messages that a webhook gets', async (t) => {
    const program = new Program(t);
    const known = await Array.fromAsync(client.events({ types: UPDATES, once: true }));
    const target = await program.start();
    const { value: webhook } = await client.call<{ secret: string }>('POST', '/webhooks', {
      body: { url: `${target}/webhook`, types: UPDATES },
    });
    await client.putPrice('fed', { price: 3 });
    const options = ['--types', 'offer.updated', '--after', String(known.at(-1)?.id), '--secret', webhook.secret];
    const listening = start(t, 'listen', '--forward-to', `${target}/listen`, '--json', ...options);
    const [line] = await once(createInterface({ input: listening.stdout }), 'line');
    const [fromServer, fromListen] = [await program.received('/webhook'), await program.received('/listen')];
    assert.equal(fromListen.body, fromServer.body);
    const id = fromServer.headers['webhook-id'];
    assert.equal(fromListen.headers['webhook-id'], id);
    assert.deepEqual(JSON.parse(line), { id, type: 'offer.updated', outcome: '204' });
    for (const { headers, body } of [fromServer, fromListen]) {
      const message = await verifyWebhook(webhook.secret, headers, body);
      assert.equal(message.type === 'offer.updated' && message.data.merchant_sku, 'fed');
    }
  });

  it('is posted starting with the newest event, and waits for a program that does not respond', async (t) => {
    const known = await Array.fromAsync(client.events({ once: true }));
    const program = new Program(t);
    const target = await program.start();
    await program.stop();
    const listening = start(t, 'listen', '--forward-to', target, '--types', 'offer.updated', '--secret', SECRET);
    const complaint = (async () => {
      for await (const said of createInterface({ input: listening.stderr })) {
        if (said.includes('does not respond')) return said;
      }
      return assert.fail('listen ended');
    })();
    // The command forwards only changes after the cursor that it reads at its start, so this changes the price until one arrives.
    let isHeard = false;
    const changes = (async () => {
      for (let price = 10; !isHeard; price++) {
        await client.putPrice('fed', { price });
        await setTimeout(100);
      }
    })();
    const said = await complaint;
    isHeard = true;
    await changes;
    assert.equal(said, `${target} does not respond: the connection was refused. Retrying until it responds.`);
    await program.start();
    const { headers } = await program.received('/');
    const id = headers['webhook-id'];
    assert.ok(id !== undefined && !known.some((event) => event.id === id));
  });
});

/** Receives messages on loopback; may be stopped and started again at the same address. */
class Program {
  readonly #messages: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  readonly #server: Server;
  #port = 0;

  constructor(t: TestContext) {
    this.#server = createServer(async (request, response) => {
      this.#messages.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
      response.writeHead(204).end();
    });
    t.after(() => this.stop());
  }

  async start(): Promise<string> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  received(path: string) {
    return waitUntil(`a message at ${path}`, PATIENCE_MS, async () =>
      this.#messages.find((sent) => sent.path === path),
    );
  }
}
