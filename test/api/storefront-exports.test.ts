/** Tests exports of the storefront: what they contain, the cursor for later changes, and who may read them. */
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { type ApiClient, assertProblems, noSuchAddress, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { addMerchant, EAST, flatNode } from './fixtures/merchant-setup.ts';
import { newEan, type Product, product, sell, shopOf } from './fixtures/shop.ts';

const PATIENCE_MS = 60_000;
const NO_EXPORT = requestProblem(
  'report_not_found',
  'No report with this id, or the report is not ready or has expired.',
);
const INCOMPLETE = requestProblem(
  'storefront_incomplete',
  'The storefront does not have all live offers yet, so an export would be incomplete. Retry later.',
);

type State = Readonly<Record<string, string>>;

/** Requests an export, waits for it, and returns its state and text. */
async function exported(shop: ApiClient, format?: string): Promise<{ state: State; text: string; headers: Headers }> {
  const query = format === undefined ? '' : `?format=${format}`;
  const requested = await waitUntil('the offers of all merchants', PATIENCE_MS, async () => {
    const { status, body, text } = await shop.send('POST', `/storefront/exports${query}`);
    assert.ok(status === 200 || status === 503, text);
    return status === 200 ? (body as State) : undefined;
  });
  const state = await waitUntil('the export', PATIENCE_MS, async () => {
    const read = (await shop.foundNow(`/storefront/exports/${requested.export_id}`)) as State;
    return read.status === 'Requested' ? undefined : read;
  });
  assert.deepEqual([state.export_id, state.status, state.next], [requested.export_id, 'Ready', requested.next]);
  const response = await fetch(String(state.url));
  assert.equal(response.status, 200);
  const text = gunzipSync(await response.bytes()).toString();
  return { state, text, headers: response.headers };
}

/** Returns the line of each product by its code. */
function linesOf(text: string): Map<string, string> {
  assert.ok(text.endsWith('\n'));
  const lines = text.slice(0, -1).split('\n');
  return new Map(lines.map((line) => [(JSON.parse(line) as Product).code, line]));
}

describeApi(
  'storefront exports',
  ({ accepts, refuses }) => {
    accepts('SHOP-08', 'each product as a read of it returns it, of the environment of the key', async (api) => {
      const node = flatNode(EAST);
      const { test, live } = await addMerchant(api, {}, async ({ settings }, accounts) => {
        await settings.putNode(accounts.test, node);
        await settings.putNode(accounts.live, node);
      });
      const [shop, liveShop] = [await shopOf(api), await shopOf(api, 'live')];
      const [one, two] = [newEan(), newEan()];
      await sell(api, 'export-a', one, { price: 11 });
      await sell(test, 'export-b', one, { price: 10 });
      await sell(live, 'export-c', two);
      await product(shop, one, 2);
      await product(liveShop, two, 1);
      const { state, text, headers } = await exported(shop);
      assert.equal(linesOf(text).get(`gtin:0${one}`), (await shop.get(`/storefront/products/${one}`)).text);
      assert.equal(linesOf(text).has(`gtin:0${two}`), false);
      const { text: liveText } = await exported(liveShop, 'NDJSON');
      assert.equal(liveText, `${(await liveShop.get(`/storefront/products/${two}`)).text}\n`);
      assert.equal(headers.get('content-type'), 'application/gzip');
      assert.equal(headers.get('content-encoding'), null);
      const name = `Storefront-${state.export_id}.ndjson.gz`;
      assert.equal(headers.get('content-disposition'), `attachment; filename="${name}"`);
      const names = ['export_id', 'format', 'status', 'requested', 'processing_end', 'expires', 'next', 'url'];
      assert.deepEqual(Object.keys(state), names);
    });

    accepts('SHOP-08', 'product feeds of the same offers', async (api) => {
      const shop = await shopOf(api);
      const ean = newEan();
      await sell(api, 'export-feed', ean);
      await product(shop, ean, 1);
      const starts = { 'google-xml': '<?xml', 'google-tsv': 'id\t', acp: '{"id":"' };
      for (const [format, start] of Object.entries(starts)) {
        const { state, text } = await exported(shop, format);
        assert.equal(state.format, format);
        assert.ok(text.startsWith(start), text.slice(0, 100));
        assert.ok(text.includes(`https://shop.example/p/gtin%3A0${ean}?sku=export-feed`), format);
      }
    });

    refuses('SHOP-08', "unknown formats, others' exports, and names of merchants' reports", async (api) => {
      const [shop, liveShop] = [await shopOf(api), await shopOf(api, 'live')];
      const formats = 'format: must be one of NDJSON, google-xml, google-tsv, acp.';
      const wrong = await shop.send('POST', '/storefront/exports?format=CSV');
      assertProblems(wrong, [requestProblem('query_invalid', formats)]);
      const { state } = await exported(shop);
      assertProblems(await liveShop.get(`/storefront/exports/${state.export_id}`), [NO_EXPORT], 404);
      assertProblems(await shop.get('/storefront/exports/none'), [NO_EXPORT], 404);
      assertProblems(await api.get(`/reports/state/${state.export_id}`), [NO_EXPORT], 404);
      const path = '/reports/Storefront';
      assertProblems(await api.send('POST', path), [noSuchAddress('POST', path)], 404);
    });

    accepts('SHOP-09', 'a cursor after which every later change is read', async (api) => {
      const shop = await shopOf(api);
      const ean = newEan();
      const path = await sell(api, 'export-cursor', ean, { price: 10 });
      await product(shop, ean, 1);
      const { state } = await exported(shop);
      await api.accepted('PUT', `${path}/price`, { price: 4 });
      const prices = await waitUntil('the change', PATIENCE_MS, async () => {
        const { events } = (await shop.foundNow(`/storefront/events?after=${state.next}&limit=1000`)) as unknown as {
          events: { code: string; change: { offers_changed: { price: number }[] } }[];
        };
        const own = events.filter(({ code }) => code === `gtin:0${ean}`);
        return own.length === 0 ? undefined : own.map(({ change }) => change.offers_changed.map(({ price }) => price));
      });
      assert.deepEqual(prices, [[4]]);
    });

    refuses('SHOP-09', 'exports while no offer is in the storefront, or the storefront is off', async (api) => {
      await withOwnServer(api.variant, {}, async (own) => {
        const liveShop = await shopOf(own, 'live');
        const answer = await liveShop.send('POST', '/storefront/exports');
        assertProblems(answer, [INCOMPLETE], 503);
        assert.ok(Number(answer.headers.get('retry-after')) > 0);
        const text = 'format: acp needs links to the storefront. The operator must set STOREFRONT_URL.';
        const linked = await liveShop.send('POST', '/storefront/exports?format=acp');
        assertProblems(linked, [requestProblem('query_invalid', text)]);
      });
      await withOwnServer(api.variant, { STOREFRONT: 'off' }, async (own) => {
        const off = requestProblem('storefront_off', 'The marketplace has not turned on the storefront (STOREFRONT).');
        assertProblems(await (await shopOf(own)).send('POST', '/storefront/exports'), [off], 404);
      });
    });
  },
  { STOREFRONT_URL: 'https://shop.example/p/{code}?sku={sku}' },
);
