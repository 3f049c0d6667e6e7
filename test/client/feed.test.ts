/** Tests the change feed through the client and its commands `events` and `listen`, against a real server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Offerbook, skuPath } from '../../client/src/offerbook.ts';
import { verifyWebhook } from '../../client/src/webhooks.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { minimalSku } from '../harness/api-client.ts';
import { ROOT } from '../harness/suites.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const { user, secret: pass } = DEMO_CREDENTIALS.test;
const SECRET = `whsec_${btoa('0123456789abcdef01234567')}`;
const UPDATES = ['offer.updated'];

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
    server = await startTestServer();
    client = new Offerbook({ url: server.url, user, pass });
    await client.call('PUT', skuPath('fed'), { body: minimalSku() });
    await client.putPrice('fed', { price: 1 });
  });
  after(() => server.close());

  it('ends after the last event if asked to, and goes on after a cursor', async () => {
    const events = await Array.fromAsync(client.events({ types: UPDATES, once: true }));
    assert.deepEqual(
      events.map((event) => 'part' in event && event.part),
      ['sku', 'price'],
    );
    const rest = await Array.fromAsync(client.events({ types: UPDATES, once: true, after: String(events[0]?.id) }));
    assert.deepEqual(rest, events.slice(1));
  });

  it('waits for new events until the signal', async () => {
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
    await assert.rejects(second, { name: 'AbortError' });
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
    following.kill('SIGINT');
    await once(following, 'close');
  });

  it('is posted to a local program as signed webhooks', async (t) => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const program = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(received.length === 1 ? 204 : 500).end();
    }).listen(0, '127.0.0.1');
    await once(program, 'listening');
    t.after(() => program.close());
    const known = await Array.fromAsync(client.events({ types: UPDATES, once: true }));
    const target = `http://127.0.0.1:${(program.address() as AddressInfo).port}/hooks`;
    const options = ['--types', 'offer.updated', '--after', String(known[0]?.id), '--secret', SECRET, '--json'];
    const listening = start(t, 'listen', '--forward-to', target, ...options);
    const outcomes: unknown[] = [];
    for await (const line of createInterface({ input: listening.stdout })) {
      outcomes.push(JSON.parse(line));
      if (outcomes.length === 2) break;
    }
    listening.kill('SIGINT');
    await once(listening, 'close');
    const [, one, two] = known;
    assert.deepEqual(outcomes, [
      { id: one?.id, type: 'offer.updated', outcome: '204' },
      { id: two?.id, type: 'offer.updated', outcome: '500' },
    ]);
    const [{ headers, body } = assert.fail()] = received;
    assert.deepEqual(await verifyWebhook(SECRET, headers, body), one);
    assert.equal(headers['webhook-id'], one?.id);
  });
});
