/** Tests that an upload may take longer than other requests, up to a limit, and that an upload that ends early leaves no file. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { newUpload } from '../api/fixtures/bulk-files.ts';
import { ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { timedIt as it } from '../harness/lost-time.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { withPlace } from '../harness/store-place.ts';
import { FIRST_VARIANT } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TOO_SLOW = requestProblem('request_malformed', 'The request took too long to arrive.');
const DRIP_INTERVAL_MS = 100;
const UPLOAD_BYTES = 40;

async function openApi(t: TestContext, settings: Readonly<Record<string, string>>): Promise<ApiClient> {
  const api = await ApiClient.open(FIRST_VARIANT, { METRICS_PORT: '0', ...settings });
  t.after(() => api.server.close());
  return api;
}

async function draftsIn(dataDir: string): Promise<string[]> {
  const names = await readdir(path.join(dataDir, 'files'), { recursive: true });
  return names.filter((name) => name.includes('.part-'));
}

/** Begins an upload of some bytes and resolves when the server is receiving it. */
async function beginUpload(url: string, dataDir: string): Promise<RawConnection> {
  const { origin } = new URL(url);
  const connection = await RawConnection.open(origin);
  const headers = { 'content-length': String(UPLOAD_BYTES) };
  connection.write(requestBytes({ method: 'PUT', target: url.slice(origin.length), headers }));
  await waitUntil('the upload to begin', 30_000, async () => ((await draftsIn(dataDir)).length > 0 ? true : undefined));
  return connection;
}

function drip(connection: RawConnection): NodeJS.Timeout {
  return setInterval(() => connection.write(' '), DRIP_INTERVAL_MS);
}

it('a slow upload may take longer than other requests', async (t) => {
  // Longer than a busy machine may take between two bytes.
  const api = await openApi(t, { REQUEST_TIMEOUT_SECONDS: '2' });
  const connection = await beginUpload((await newUpload(api)).url, api.server.place.DATA_DIR);
  const dripping = drip(connection);
  t.after(() => clearInterval(dripping));
  const startMs = performance.now();
  assert.equal((await connection.answer('PUT'))?.status, 201);
  assert.ok(performance.now() - startMs > 3000, 'the upload was not slow');
  connection.destroy();
});

it('an upload that exceeds its time limit gets a response, is disconnected and deleted', async (t) => {
  const api = await openApi(t, { UPLOAD_TIMEOUT_SECONDS: '1' });
  const { DATA_DIR } = api.server.place;
  const connection = await beginUpload((await newUpload(api)).url, DATA_DIR);
  const dripping = drip(connection);
  t.after(() => clearInterval(dripping));
  const answer = await connection.answer('PUT');
  assert.ok(answer);
  assertProblems(answer, [TOO_SLOW]);
  await connection.closed();
  await waitUntil('the draft to go', 30_000, async () => ((await draftsIn(DATA_DIR)).length === 0 ? true : undefined));
  assert.equal(limitHits(await scrape(api.server.metricsUrl), 'time'), 1);
});

it('a stalled upload is cut off', async (t) => {
  const api = await openApi(t, { REQUEST_TIMEOUT_SECONDS: '1' });
  const { DATA_DIR } = api.server.place;
  const connection = await beginUpload((await newUpload(api)).url, DATA_DIR);
  await connection.closed();
  await waitUntil('the draft to go', 30_000, async () => ((await draftsIn(DATA_DIR)).length === 0 ? true : undefined));
});

it('a refused upload that continues is cut off after the time limit of other requests, with one response', async (t) => {
  const api = await openApi(t, { REQUEST_TIMEOUT_SECONDS: '1' });
  const connection = await RawConnection.open(api.server.url);
  const headers = { 'content-length': '1000' };
  connection.write(requestBytes({ method: 'PUT', target: '/uploads/x', headers }));
  const dripping = drip(connection);
  t.after(() => clearInterval(dripping));
  assert.equal((await connection.answer('PUT'))?.status, 403);
  await connection.closed();
  assert.equal(await connection.answer('PUT'), undefined);
});

it('a stop cuts an upload off, and none of it stays on disk', async () => {
  await withPlace('sqlite', async (place) => {
    let connection: RawConnection | undefined;
    await withOfferbook(place, { demo: true, settings: { STOP_SECONDS: '1' } }, async (url) => {
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        body: '{"user":"demo-test-user","pass":"demo-test-secret"}',
      });
      const { id_token } = (await response.json()) as { id_token: string };
      const target = await fetch(`${url}/files/uploadToken`, { headers: { authorization: `Bearer ${id_token}` } });
      connection = await beginUpload(((await target.json()) as { url: string }).url, place.DATA_DIR);
    });
    await connection?.closed();
    assert.deepEqual(await draftsIn(place.DATA_DIR), []);
  });
});
