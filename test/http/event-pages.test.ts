/** Tests that long pages of events leave the request thread free: on SQLite, the reader thread builds them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ApiClient } from '../harness/api-client.ts';
import { pipeline } from '../harness/raw-http.ts';

const EVENTS = 1000;
const PAGES = 10;
const TRIES_MAX = 5;
/**
 * The time for parsing a page is the unit, so that the speed of the machine does not matter. A page that is built on
 * the request thread takes 4 to 7, and a finished text 1 to 2.
 */
const PARSES_MAX = 3;

/** The client has its own thread, because the test's thread is the request thread. */
const CLIENT = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ url, headers, pages }) => {
    let text = '';
    for (let n = 0; n < pages; n++) text = await (await fetch(url, { headers })).text();
    parentPort.postMessage(text);
  });`;

function cpuSince_ms(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

it('a page of 1,000 events costs the request thread little more than parsing it', async (t) => {
  const api = await ApiClient.open();
  t.after(() => api.server.close());
  const client = new Worker(CLIENT, { eval: true });
  t.after(() => client.terminate());
  const sku = await api.uploadedSku();
  const headers = { authorization: `Bearer ${api.token}` };
  const price = (n: number) => ({ method: 'PUT', target: `${sku}/price`, headers, body: `{"price":${n + 1}}` });
  const written = await pipeline(
    api.server.url,
    Array.from({ length: EVENTS }, (_, n) => price(n)),
  );
  assert.ok(written.every(({ status }) => status === 202));
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES_MAX && best > PARSES_MAX; tries++) {
    const before = process.threadCpuUsage();
    client.postMessage({ url: `${api.server.url}/events?limit=${EVENTS}`, headers, pages: PAGES });
    const [text] = (await once(client, 'message')) as [string];
    const page_ms = cpuSince_ms(before) / PAGES;
    assert.equal((JSON.parse(text) as { events: unknown[] }).events.length, EVENTS);
    const beforeParse = process.threadCpuUsage();
    for (let n = 0; n < PAGES; n++) JSON.parse(text);
    best = Math.min(best, page_ms / (cpuSince_ms(beforeParse) / PAGES));
  }
  assert.ok(best <= PARSES_MAX, `a page took as long as parsing ${best.toFixed(1)} pages`);
});
