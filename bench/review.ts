/**
 * `npm run bench:review`: how fast offers are judged, and what the API answers meanwhile.
 *
 * 100,000 SKUs of one merchant with a product code each, 1,000 pictures on a host of this machine. They are judged first with
 * no picture known, then, after a change of the policies, with all of them known: alone, and beside PUT price at a fixed rate.
 * `-- 20000` takes another number of SKUs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_CREDENTIALS, DEMO_MERCHANT_ID, openDemo } from '../src/demo/demo-merchant.ts';
import { demoPicture } from '../src/demo/pictures/demo-picture.ts';
import { openSqliteSetupStore, openSqliteStore } from '../src/store/sqlite/open.ts';
import { putAtFixedRate } from './fixed-rate.ts';
import { anonymousMegabytes } from './process-figures.ts';
import { sampleDocument } from './seed-store.ts';
import { startServer } from './server-process.ts';

const SKUS = Number(process.argv[2] ?? 100_000);
const PICTURES = 1_000;
const PRICES_PER_SECOND = 500;
const IDLE_SECONDS = 10;
/** Asked of a machine of two cores. */
const OFFERS_PER_SECOND_MIN = 3_000;
const P99_MS_ALLOWED = 25;
const P99_TIMES_IDLE = 3;
const SLICE = 1_000;

const dataDir = mkdtempSync(path.join(tmpdir(), 'offerbook-bench-'));
const pictures = await startPictures();
try {
  await measure();
} finally {
  pictures.server.close();
  pictures.server.closeAllConnections();
  rmSync(dataDir, { recursive: true });
}

async function measure(): Promise<void> {
  await uploadSkus();
  const metricsPort = await freePort();
  const startMs = performance.now();
  const server = await startServer(['--max-semi-space-size=16', 'src/cli/main.ts', 'serve', '--demo'], {
    PORT: '0',
    DATA_DIR: dataDir,
    METRICS_PORT: String(metricsPort),
    REQUESTS_PER_MINUTE: '100000000',
    IMAGE_CHECK: 'on',
    IMAGE_ALLOWED_HOSTS: pictures.host,
  });
  const memory = watchMemory(server.pid);
  try {
    const judged = () => readJudged(`http://127.0.0.1:${metricsPort}/metrics`);
    const first = await untilIdle(judged);
    const firstSeconds = (first.atMs - startMs) / 1000;
    console.log(`${SKUS} offers, ${PICTURES} pictures, none known: all judged after ${firstSeconds.toFixed(1)} s,`);
    console.log(`  with ${first.verdicts} judgements: those whose pictures came later were judged again`);

    const alone = await judgeAgain(judged, 'a');
    console.log(`pictures known, alone: ${Math.round(alone.perSecond)} offers/s`);

    const token = await requestToken(server.url);
    const load = (isOver: () => boolean) =>
      putAtFixedRate({
        url: server.url,
        token,
        perSecond: PRICES_PER_SECOND,
        body: '{"price":12.5}',
        pathOf: (n) => `/merchant-skus/sku-${(n * 7_919) % SKUS}/price`,
        isOver,
      });
    const idleEndMs = performance.now() + IDLE_SECONDS * 1000;
    const idle = await load(() => performance.now() >= idleEndMs);
    let isDone = false;
    const [busy, beside] = await Promise.all([
      load(() => isDone),
      judgeAgain(judged, 'b').finally(() => {
        isDone = true;
      }),
    ]);
    for (const [what, { calls, p50Ms, p99Ms, longestMs }] of Object.entries({ idle, 'beside the review': busy })) {
      const figures = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, longest ${longestMs.toFixed(0)} ms`;
      console.log(`PUT price at ${PRICES_PER_SECOND}/s, ${what}: ${figures} of ${calls}`);
    }
    console.log(`pictures known, beside it: ${Math.round(beside.perSecond)} offers/s`);
    console.log(`memory of the server: ${Math.round(memory.most())} MB at most`);
    const p99_ms_max = Math.max(P99_MS_ALLOWED, P99_TIMES_IDLE * idle.p99Ms);
    report(`${OFFERS_PER_SECOND_MIN} offers/s once pictures are known`, alone.perSecond >= OFFERS_PER_SECOND_MIN);
    report(`p99 of PUT price at most ${p99_ms_max.toFixed(1)} ms meanwhile`, busy.p99Ms <= p99_ms_max);
  } finally {
    memory.stop();
    await server.stop();
  }
}

/** A policy that concerns nobody: all offers are marked, and judged again. */
async function judgeAgain(judged: () => Promise<Judged>, brand: string): Promise<{ perSecond: number }> {
  const before = await judged();
  const setup = await openSqliteSetupStore({ dataDir });
  await setup.addPolicy({ kind: 'excluded_brand', brand: `Nobody sells ${brand}` });
  await setup.close();
  const startMs = performance.now();
  const after = await untilIdle(judged, before.verdicts + SKUS);
  return { perSecond: (1000 * (after.verdicts - before.verdicts)) / (after.atMs - startMs) };
}

interface Judged {
  readonly due: number;
  readonly verdicts: number;
  readonly atMs: number;
}

async function untilIdle(judged: () => Promise<Judged>, verdicts_min = SKUS): Promise<Judged> {
  for (;;) {
    const found = await judged();
    if (found.due === 0 && found.verdicts >= verdicts_min) return found;
    await pause(200);
  }
}

async function readJudged(metricsUrl: string): Promise<Judged> {
  const page = await (await fetch(metricsUrl)).text();
  const sum = (name: string) =>
    Array.from(page.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm')), ([, value]) => Number(value)).reduce(
      (total, value) => total + value,
      0,
    );
  const due = sum('offerbook_review_due_offers') + sum('offerbook_images_waiting');
  return { due, verdicts: sum('offerbook_review_verdicts_total'), atMs: performance.now() };
}

async function uploadSkus(): Promise<void> {
  const store = await openSqliteStore({
    dataDir,
    onFatal: (error) => {
      throw error;
    },
  });
  const nowMs = Date.now();
  await openDemo(store, nowMs);
  const accountId = (await store.readMerchant(DEMO_MERCHANT_ID))?.accounts.test ?? 0;
  for (let from = 0; from < SKUS; from += SLICE) {
    const numbers = Array.from({ length: Math.min(SLICE, SKUS - from) }, (_, place) => from + place);
    await Promise.all(numbers.map((n) => store.putSku({ accountId, skuId: `sku-${n}` }, documentOf(n), nowMs)));
    await Promise.all(
      numbers.map((n) => store.putPrice({ accountId, skuId: `sku-${n}` }, { price: 12.5, nodes: [] }, nowMs)),
    );
  }
  await store.close();
}

function documentOf(n: number): string {
  return JSON.stringify({
    ...JSON.parse(sampleDocument(`sku-${n}`)),
    standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: upcOf(n) }],
    main_image_url: `http://${pictures.host}/${n % PICTURES}.jpg`,
  });
}

function upcOf(n: number): string {
  const body = `2${String(n).padStart(10, '0')}`;
  const sum = Array.from(body, Number).reduce((total, digit, place) => total + digit * (place % 2 === 0 ? 3 : 1), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

async function startPictures() {
  const picture = await demoPicture('mug');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', etag: '"1"' }).end(picture);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function watchMemory(pid: number) {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, anonymousMegabytes(pid) ?? 0);
  }, 500);
  return { most: () => most, stop: () => clearInterval(timer) };
}

async function requestToken(url: string): Promise<string> {
  const { user, secret } = DEMO_CREDENTIALS.test;
  const response = await fetch(`${url}/token`, { method: 'POST', body: JSON.stringify({ user, pass: secret }) });
  return ((await response.json()) as { id_token: string }).id_token;
}

function report(what: string, isMet: boolean): void {
  console.log(`${isMet ? 'met' : 'MISSED'}: ${what}`);
  if (!isMet) process.exitCode = 1;
}
