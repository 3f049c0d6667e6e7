/** Tests the sample offers of the demo: complete, added once, completed after an interruption, and back after a reset. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SUB_STATUSES } from '../../src/domain/vocabulary/statuses.ts';
import { requestToken } from '../harness/api-client.ts';
import { runHere } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { withPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OFFERS = 58;
const DEADLINE_MS = 120_000;
/** Longer than the interval of one second at which the server checks. */
const CHECKED_MS = 2_500;
/** Keeps a slow run, with two requests for each check, below the request limit of a portal user. */
const REST_MS = 300;

interface State {
  readonly offers: {
    readonly total: number;
    readonly for_sale: number;
    readonly out_of_stock: number;
    readonly in_review: number;
    readonly by_status: readonly { readonly status: string; readonly offers: number }[];
    readonly by_sub_status: readonly { readonly sub_status: string }[];
  };
  readonly waiting_for_review: number;
}

interface Files {
  readonly files: readonly { marketplace_file_id: string; file_name: string; status: string; rows_failed: number }[];
}

/** A port whose successor is free too: the images of all starts must have the same address. */
async function freePortPair(): Promise<number> {
  for (;;) {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as AddressInfo;
    const second = createServer().listen(port + 1, '127.0.0.1');
    const isFree = await once(second, 'listening').then(
      () => true,
      () => false,
    );
    for (const server of [first, second]) if (server.listening) await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

async function seen(merchant: PortalBrowser) {
  const { offers, waiting_for_review } = await merchant.found<State>('/test/overview');
  const { files } = await merchant.found<Files>('/test/files');
  return { ...offers, waiting_for_review, files };
}

/** All offers are reviewed except the one whose image is late. */
function whenDone(merchant: PortalBrowser, former: readonly string[] = []) {
  const probe = async () => {
    const state = await seen(merchant);
    const isNew = state.files.length === 2 && !state.files.some((file) => former.includes(file.marketplace_file_id));
    return isNew && state.total === OFFERS && state.waiting_for_review === 0 && state.in_review === 1
      ? state
      : undefined;
  };
  return waitUntil('the sample offers', DEADLINE_MS, probe, () => REST_MS);
}

describe('sample offers', () => {
  it('show every status and issue once, even after an interruption, a restart and a reset', async () => {
    const settings = { DEMO_OFFERS: 'on', IMAGE_CHECK: 'on', PORT: String(await freePortPair()) };
    const options = { demo: true, settings };
    await withPlace('sqlite', async (place) => {
      await withOfferbook(place, options, async (url) => {
        const startMs = performance.now();
        await requestToken(url, 'test');
        const waited_ms = performance.now() - startMs;
        assert.ok(waited_ms < 2000, `${waited_ms} ms to the first token`);
        const merchant = await PortalBrowser.merchantOf(url);
        await waitUntil('the first offers', DEADLINE_MS, async () => (await seen(merchant)).total > 0 || undefined);
        assert.equal((await merchant.found<State>('/live/overview')).offers.total, 0);
      });

      const ids = await withOfferbook(place, options, async (url) => {
        const merchant = await PortalBrowser.merchantOf(url);
        const { files, by_status, by_sub_status, ...counts } = await whenDone(merchant);
        assert.deepEqual(
          by_status.filter(({ offers }) => offers === 0),
          [],
        );
        assert.deepEqual(by_sub_status.map(({ sub_status }) => sub_status).sort(), SUB_STATUSES.toSorted());
        assert.ok(counts.for_sale > counts.out_of_stock && counts.out_of_stock > 0, JSON.stringify(counts));
        assert.deepEqual(
          files.map(({ file_name, status, rows_failed }) => [file_name, status, rows_failed]),
          [
            ['stock-count.json', 'Processed successfully', 0],
            ['autumn-catalog.json', 'Processed with errors', 3],
          ],
        );
        for (const parent of ['HH-MUG-TERRACOTTA', 'TG-TEE-INK-S']) {
          const group = await merchant.found<{ excluded_skus: string[] }>(`/test/merchant-skus/${parent}/variation`);
          assert.deepEqual(group.excluded_skus, []);
        }
        return files.map((file) => file.marketplace_file_id);
      });

      await withOfferbook(place, options, async (url) => {
        const merchant = await PortalBrowser.merchantOf(url);
        for (const endMs = performance.now() + CHECKED_MS; performance.now() < endMs; ) {
          const { files, total } = await seen(merchant);
          assert.deepEqual([files.map((file) => file.marketplace_file_id), total], [ids.result, OFFERS]);
          await pause(REST_MS);
        }
        const reset = await runHere(place, 'sandbox', 'reset', '--merchant', 'demo', '--yes');
        assert.equal(reset.exitCode, 0, reset.stderr);
        await whenDone(merchant, ids.result);
      });
    });
  });
});
