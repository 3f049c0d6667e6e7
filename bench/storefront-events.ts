/**
 * `node bench/storefront-events.ts`: measures the time from the response to a write (`202`) to its event in the storefront, while 500 writes
 * arrive each second, with image checks and images that were checked before. Three of ten writes add an offer (SKU, price and stock), whose
 * time begins with the last of them and includes its review; the others change the price of a live offer. Prints three lines.
 *
 * `--rate N` changes the writes a second, `--seconds N` the time, and `--offers N` the number of live offers before. They are uploaded by
 * single calls, about 130 offers a second on two busy cores. `--store postgres` measures on its own PostgreSQL.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NoiseWatch, tooNoisy } from './machine.ts';
import { openDatabases } from './measured-databases.ts';
import { quantile } from './median.ts';
import { countOf, storeOf } from './options.ts';
import { Caller, requestToken, startOfferbook, startServer } from './server-process.ts';

const { values: options } = parseArgs({
  options: {
    offers: { type: 'string', default: '5000' },
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '30' },
    store: { type: 'string', default: 'sqlite' },
  },
});
const OFFERS = countOf('offers', options.offers);
const [RATE, SECONDS] = [Number(options.rate), Number(options.seconds)];
const IMAGES = 100;
const UPLOADS_AT_ONCE = 32;
/** The first three of so many writes add an offer. */
const ROUND = 10;
const FIRST_PRICE = 10;
const PATIENCE_MS = 60_000;
/** How long to wait before an upload that was refused is repeated. */
const REFUSED_MS = 1000;

/** A page of changes in the storefront. */
interface Page {
  readonly events: readonly {
    readonly change: {
      readonly offers_changed: readonly { readonly merchant_sku: string; readonly price: number }[];
    };
  }[];
  readonly next: string;
}

const folder = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
await using opened = new AsyncDisposableStack();
opened.defer(() => rmSync(folder, { recursive: true, force: true }));
const database = storeOf(options.store) === 'postgres' ? await (await openDatabases(opened))('storefront') : {};
const images = await startServer(['bench/image-server.ts', String(IMAGES)]);
opened.defer(() => images.stop());
const imageSettings = { IMAGE_CHECK: 'on', IMAGE_ALLOWED_HOSTS: new URL(images.url).host };
const server = await startOfferbook(folder, { STOREFRONT: 'on', ...imageSettings, ...database });
opened.defer(() => server.stop());
const caller = opened.use(new Caller(server.url, await requestToken(server.url)));

let added = 0;
/** What the storefront is to show after each accepted write, and when its response arrived. */
const accepted: {
  readonly kind: 'price' | 'new';
  readonly skuId: string;
  readonly price: number;
  readonly atMs: number;
}[] = [];
/** The prices of each offer, with the time when the storefront showed them first. */
const shown = new Map<string, { readonly price: number; readonly atMs: number }[]>();
let isOver = false;
const reading = read();

console.log(`Uploading ${OFFERS} offers to ${options.store}...`);
const startMs = performance.now();
await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, upload));
await server.reviewed();
await untilShown(() => shown.size, OFFERS);
const took_s = Math.round((performance.now() - startMs) / 1000);
console.log(`${OFFERS} live offers in ${took_s} s on ${options.store}`);
shown.clear();
const noise = new NoiseWatch();
const refused = await writeAtRate();
const loud = tooNoisy(noise.next());
await untilShown(() => accepted.filter((write) => shownMs(write) !== undefined).length, accepted.length);
isOver = true;
await reading;
const notes = [
  ...(refused === 0 ? [] : [`${refused} writes were refused`]),
  ...(loud === undefined ? [] : [`noisy: ${loud}`]),
];
for (const kind of ['price', 'new'] as const) {
  const times = accepted.flatMap((write) => (write.kind === kind ? [(shownMs(write) ?? Number.NaN) - write.atMs] : []));
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(quantile(sorted, share) ?? Number.NaN);
  const what = kind === 'price' ? 'a new price' : 'a new offer';
  const note = notes.map((each) => `, ${each}`).join('');
  console.log(
    `${what} at ${RATE} writes/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (${times.length})${note}`,
  );
}

async function upload(): Promise<void> {
  while (added < OFFERS) {
    const offer = added++;
    for (const write of writesOf(offer)) while (!(await send(...write))) await pause(REFUSED_MS);
  }
}

/** Sends each write at its time, whether or not those before it have a response. Returns the number of refused writes. */
async function writeAtRate(): Promise<number> {
  const beginMs = performance.now();
  const sent: Promise<boolean>[] = [];
  let last = Promise.resolve(true);
  for (let n = 0; n < RATE * SECONDS; n++) {
    const wait_ms = beginMs + (n * 1000) / RATE - performance.now();
    if (wait_ms > 0) await pause(wait_ms);
    const place = n % ROUND;
    if (place === 0) added++;
    const write = place < 3 ? writesOf(added - 1)[place] : priceOf(n % OFFERS, n);
    if (write === undefined) throw new Error('An offer has three writes.');
    // The writes of a new offer follow each other, unless one is refused.
    const before = place === 1 || place === 2 ? last : Promise.resolve(true);
    last = before.then((isAccepted) => isAccepted && send(...write));
    sent.push(last.then((isAccepted) => isAccepted && note(place, n)));
  }
  return (await Promise.all(sent)).filter((isAccepted) => !isAccepted).length;
}

function note(place: number, n: number): true {
  const atMs = performance.now();
  if (place === 2)
    accepted.push({ kind: 'new', skuId: skuOf(OFFERS + Math.floor(n / ROUND)), price: FIRST_PRICE, atMs });
  if (place > 2) accepted.push({ kind: 'price', skuId: skuOf(n % OFFERS), price: newPrice(n), atMs });
  return true;
}

/** Returns when the storefront showed the price or a later one, which may replace it before it is shown. */
function shownMs({ skuId, price }: { readonly skuId: string; readonly price: number }): number | undefined {
  return shown.get(skuId)?.find((later) => later.price >= price)?.atMs;
}

type Write = readonly [method: string, path: string, body: object];

function writesOf(offer: number): readonly Write[] {
  const sku = {
    product_title: `Pot number ${offer}`,
    multipack_quantity: 1,
    standard_product_codes: [{ standard_product_code_type: 'EAN', standard_product_code: eanOf(offer) }],
    brand: 'Potter & Sons',
    main_image_url: `${images.url}/${offer % IMAGES}.jpg`,
    marketplace_browse_node_id: 1_010_100,
    product_description: 'Cast iron. '.repeat(60),
  };
  const at = `/merchant-skus/${skuOf(offer)}`;
  return [
    ['PUT', at, sku],
    ['PUT', `${at}/price`, { price: FIRST_PRICE }],
    ['PATCH', `${at}/inventory`, { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 5 }] }],
  ];
}

function priceOf(offer: number, n: number): Write {
  return ['PUT', `/merchant-skus/${skuOf(offer)}/price`, { price: newPrice(n) }];
}

/** Returns a price above all earlier ones of the offer. */
function newPrice(n: number): number {
  return FIRST_PRICE + 1 + Math.floor(n / OFFERS);
}

function skuOf(offer: number): string {
  return `sku-${offer}`;
}

function eanOf(offer: number): string {
  const digits = `40${String(offer).padStart(10, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** Returns whether the write was accepted. */
async function send(method: string, at: string, body: object): Promise<boolean> {
  const { status, text } = await caller.send(method, at, JSON.stringify(body));
  if (status !== 202 && status !== 503 && status !== 429) throw new Error(`${at} got ${status} ${text}`);
  return status === 202;
}

/** Follows the changes, as a shop does. */
async function read(): Promise<void> {
  for (let after = ''; !isOver; ) {
    const { status, text } = await caller.send('GET', `/shop/api/events?limit=1000&wait=1&after=${after}`);
    if (status !== 200) throw new Error(`The events got ${status} ${text}`);
    const nowMs = performance.now();
    const page: Page = JSON.parse(text);
    for (const { change } of page.events) {
      for (const { merchant_sku, price } of change.offers_changed) {
        const prices = shown.get(merchant_sku) ?? [];
        if (prices.at(-1)?.price !== price) shown.set(merchant_sku, [...prices, { price, atMs: nowMs }]);
      }
    }
    after = page.next;
  }
}

/** Fails if the count stops short of `all` for a minute. */
async function untilShown(count: () => number, all: number): Promise<void> {
  for (let lastMs = performance.now(), last = 0, now = count(); now < all; await pause(100), now = count()) {
    if (now > last) [lastMs, last] = [performance.now(), now];
    if (performance.now() > lastMs + PATIENCE_MS) throw new Error(`The storefront shows ${now} of ${all} changes.`);
  }
}
