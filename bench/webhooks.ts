/**
 * `node bench/webhooks.ts`: measures how many events a second one webhook gets. Its receiver responds after 50 ms. The events are stored
 * before the webhook is enabled. Prints one line.
 *
 * `--batches` measures a webhook with batches, `--changes` one whose events have their changes. `--events N` changes the number of events;
 * `--store postgres` measures on its own PostgreSQL.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fileIdOf, hasEnded } from '../client/src/files.ts';
import { Offerbook } from '../client/src/offerbook.ts';
import { DEMO_CREDENTIALS } from '../src/demo/demo-merchant.ts';
import { openDatabases } from './measured-databases.ts';
import { countOf, storeOf } from './options.ts';
import { startOfferbook } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '3000' },
    store: { type: 'string', default: 'sqlite' },
    batches: { type: 'boolean', default: false },
    changes: { type: 'boolean', default: false },
  },
});
const EVENTS = countOf('events', options.events);
const RESPOND_MS = 50;
const POLL_MS = 100;

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const database = storeOf(options.store) === 'postgres' ? await (await openDatabases(opened))('webhooks') : {};
const server = await startOfferbook(folder, { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', ...database });
opened.defer(() => server.stop());

let [events, messages, firstMs, lastMs] = [0, 0, 0, 0];
const done = Promise.withResolvers<void>();
const receiver = createServer((request, response) => {
  firstMs ||= performance.now();
  let body = '';
  request.setEncoding('utf8').on('data', (text) => {
    body += text;
  });
  request.on('end', () => {
    const { data } = JSON.parse(body) as { readonly data: { readonly events?: readonly unknown[] } };
    setTimeout(() => {
      response.writeHead(204).end();
      messages++;
      events += data.events?.length ?? 1;
      lastMs = performance.now();
      if (events >= EVENTS) done.resolve();
    }, RESPOND_MS);
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
opened.defer(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const { user, secret: pass } = DEMO_CREDENTIALS.test;
const api = new Offerbook({ url: server.url, user, pass });
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const { webhook_id } = await api.webhooks.add({
  url,
  types: ['offer.updated'],
  batches: options.batches,
  include: options.changes ? ['changes'] : [],
});
await api.webhooks.change(webhook_id, { enabled: false });
const sku = {
  product_title: 'Measured stoneware mug',
  brand: 'Potter & Sons',
  multipack_quantity: 1,
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
  main_image_url: 'https://images.example/mug.jpg',
};
const rows = Array.from({ length: EVENTS }, (_, row) => [`sku-${row}`, sku]);
const content = new TextEncoder().encode(JSON.stringify(Object.fromEntries(rows)));
let file = await api.files.upload({ type: 'MerchantSKUs', name: 'skus.json', content });
while (!hasEnded(file)) {
  await pause(POLL_MS);
  file = await api.files.get(fileIdOf(file));
}
await server.reviewed();
await api.webhooks.change(webhook_id, { enabled: true });
await done.promise;
const rate = Math.round((events * 1000) / (lastMs - firstMs));
console.log(
  `${rate} events/s: ${events} events in ${messages} messages to a receiver of ${RESPOND_MS} ms, ${options.store}`,
);
