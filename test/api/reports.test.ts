/** Tests the reports on a merchant's offers: statuses, and fingerprints of their parts. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  ApiClient,
  assertProblems,
  minimalSku,
  noSuchAddress,
  requestProblem,
  requestToken,
} from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { createPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { follow, LINK_EXPIRED, LINK_INVALID, UNKNOWN_ID } from './fixtures/bulk-files.ts';
import { addMerchant, flatNode } from './fixtures/merchant-setup.ts';

const REPORT_MS_MAX = 120_000;
const DAY_MS = 86_400_000;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HEADINGS =
  'sku,title,status,sub_status,price,quantity,node_quantities,sku_last_update,price_last_update,inventory_last_update,advice,upcoming';
const NO_REPORT = requestProblem(
  'report_not_found',
  'No report with this id, or the report is not ready or has expired.',
);

type ReportState = Readonly<Record<string, string>>;

async function requestReport(api: ApiClient, type = 'ProductStatus'): Promise<string> {
  const { status, body, text } = await api.send('POST', `/reports/${type}`);
  assert.equal(status, 200, text);
  return (body as { report_id: string }).report_id;
}

async function stateOf(api: ApiClient, reportId: string): Promise<ReportState> {
  return (await api.foundNow(`/reports/state/${reportId}`)) as ReportState;
}

async function readyReport(api: ApiClient, reportId: string): Promise<ReportState> {
  return waitUntil('the report', REPORT_MS_MAX, async () => {
    const state = await stateOf(api, reportId);
    return state.report_status === 'Requested' ? undefined : state;
  });
}

/** Returns the lines of a new report, without the headings. */
async function linesOf(api: ApiClient): Promise<string[]> {
  const { report_status, report_url } = await readyReport(api, await requestReport(api));
  assert.equal(report_status, 'Ready');
  const { text, headers } = await follow(api, String(report_url));
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  const [headings, ...lines] = text.split('\r\n');
  assert.equal(headings, HEADINGS);
  assert.equal(lines.pop(), '');
  return lines;
}

describeApi('reports', ({ accepts, refuses }) => {
  accepts('REPORT-01', 'a call without a body, creates the report and says when it is ready', async (api) => {
    const { test } = await addMerchant(api);
    const reportId = await requestReport(test);
    const state = await readyReport(test, reportId);
    assert.deepEqual([state.report_id, state.report_type, state.report_status], [reportId, 'ProductStatus', 'Ready']);
    for (const time of [state.requested, state.processing_end, state.expires]) assert.match(String(time), ISO_TIME);
    assert.equal(Date.parse(String(state.expires)) - Date.parse(String(state.processing_end)), 7 * DAY_MS);
    const { text, headers } = await follow(test, String(state.report_url));
    assert.equal(text, `${HEADINGS}\r\n`);
    assert.equal(headers.get('content-disposition'), `attachment; filename="ProductStatus-${reportId}.csv"`);
    assert.deepEqual(Object.keys(state).toSorted(), [
      'expires',
      'processing_end',
      'report_id',
      'report_status',
      'report_type',
      'report_url',
      'requested',
    ]);
  });
  refuses('REPORT-01', 'any other report', async (api) => {
    for (const name of ['Other', 'ProductStatuses', 'state']) {
      assertProblems(await api.send('POST', `/reports/${name}`), [noSuchAddress('POST', `/reports/${name}`)], 404);
    }
    assert.equal((await api.send('POST', '/Reports/productstatus/')).status, 200);
  });

  accepts('REPORT-02', 'offers with title, status, price, stock and times, in order of first upload', async (api) => {
    const { test } = await addMerchant(api, {}, async (store, { test: accountId }) => {
      for (const id of ['east', 'we,st']) await store.settings.putNode(accountId, flatNode(id));
    });
    await test.uploadedSku({ product_title: 'Pot, "small"' }, 'b');
    await test.uploadedSku({}, '=1+1');
    await test.uploadedSku({}, 'ü/🪴');
    await test.accepted('PUT', '/merchant-skus/b/price', { price: 9.95 });
    await test.accepted('PATCH', '/merchant-skus/b/inventory', {
      fulfillment_nodes: [
        { fulfillment_node_id: 'east', quantity: 12 },
        { fulfillment_node_id: 'we,st', quantity: 3 },
      ],
    });
    for (const skuId of ['b', '=1+1', 'ü/🪴']) await test.found(`/merchant-skus/${encodeURIComponent(skuId)}`);
    const title = 'Enamelled cast iron pot, 5 litres';
    // The report shows what the review has stored, which may lag behind.
    const reported = await waitUntil('the review to see the price', REPORT_MS_MAX, async () => {
      const found = await linesOf(test);
      const isReviewed = found[0]?.includes('Available') && found.every((line) => !line.includes('Under Jet Review'));
      return isReviewed ? found : undefined;
    });
    const lines = reported.map((line) => line.replaceAll(/\d{4}-[-\dT:.]+Z/g, '<time>'));
    assert.deepEqual(lines, [
      'b,"Pot, ""small""",Available For Purchase,,9.95,15,"{""east"":12,""we,st"":3}",<time>,<time>,<time>,bullets_missing,',
      `'=1+1,"${title}",Missing Listing Data,Missing price,,0,{},<time>,,,bullets_missing,`,
      `ü/🪴,"${title}",Missing Listing Data,Missing price,,0,{},<time>,,,bullets_missing,`,
    ]);
  });
  accepts('REPORT-02', 'only the offers of the account in its environment', async (api) => {
    const { test, live } = await addMerchant(api);
    await test.uploadedSku({}, 'mine');
    assert.deepEqual([(await linesOf(test)).map((line) => line.split(',')[0]), await linesOf(live)], [['mine'], []]);
  });

  accepts('REPORT-06', 'a hash of each part, which is its ETag and follows from what was sent', async (api) => {
    const { test } = await addMerchant(api, {}, async (store, { test: accountId }) => {
      for (const id of ['west', 'east']) await store.settings.putNode(accountId, flatNode(id));
      await store.settings.addReturnLocation(accountId, 'returns-1');
    });
    const { marketplace_browse_node_id: category, ...sku } = minimalSku() as Record<string, unknown>;
    await test.uploadedSku({ attributes_node_specific: [{ attribute_id: 119, attribute_value: 'Red' }] }, 'a');
    await test.uploadedSku({ attributes_node_specific: [{ attribute_id: 119, attribute_value: 'Red' }] }, 'b');
    await test.uploadedSku({ prop_65: false, bullets: ['ü', '1.0'] }, 'c');
    await test.uploadedSku({ bullets: ['ü', '1.0'] }, 'd');
    const nodePrice = { fulfillment_node_id: 'east', fulfillment_node_price: 9 };
    await test.accepted('PUT', '/merchant-skus/a/price', { price: 9.5, fulfillment_nodes: [nodePrice] });
    await test.accepted('PATCH', '/merchant-skus/a/inventory', {
      fulfillment_nodes: [
        { fulfillment_node_id: 'west', quantity: 3 },
        { fulfillment_node_id: 'east', quantity: 12 },
      ],
    });
    const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
    const exceptions = [{ fulfillment_node_id: 'east', shipping_exceptions: [exception] }];
    await test.accepted('PUT', '/merchant-skus/a/shippingexception', { fulfillment_nodes: exceptions });
    await test.accepted('PUT', '/merchant-skus/a/returnsexception', { return_location_ids: ['returns-1'] });
    const group = { relationship: 'Variation', variation_refinements: [119], children_skus: ['b'], group_title: 'T' };
    await test.accepted('PUT', '/merchant-skus/a/variation', group);
    await test.accepted('PUT', '/merchant-skus/b/status/archive', { is_archived: true });

    const { report_type, report_url } = await readyReport(test, await requestReport(test, 'Fingerprints'));
    assert.equal(report_type, 'Fingerprints');
    const { text } = await follow(test, String(report_url));
    const [headings, ...lines] = text.split('\r\n').map((line) => line.split(','));
    assert.equal(
      headings?.join(),
      'sku,archived,sku_hash,price_hash,inventory_hash,variation_hash,shipping_exception_hash,returns_exception_hash',
    );
    const [first = [], child, sent, defaulted] = lines;
    assert.deepEqual(
      lines.map(([skuId, archived]) => [skuId, archived]),
      [
        ['a', 'false'],
        ['b', 'true'],
        ['c', 'false'],
        ['d', 'false'],
        ['', undefined],
      ],
    );
    assert.deepEqual(child?.slice(3), ['', '', '', '', '']);
    assert.equal(sent?.[2], defaulted?.[2], 'prop_65 is false by default');
    const sha1 = (part: string) => createHash('sha1').update(part).digest('base64url');
    const { product_title, multipack_quantity, ASIN, standard_product_codes, brand, main_image_url } = sku;
    const document = {
      ...{ product_title, multipack_quantity, standard_product_codes, ASIN, brand, main_image_url },
      ...{ bullets: ['ü', '1.0'], marketplace_browse_node_id: category, prop_65: false },
    };
    assert.equal(sent?.[2], sha1(JSON.stringify(document)));
    assert.deepEqual(first.slice(3), [
      sha1('9.5 [{"fulfillment_node_id":"east","fulfillment_node_price":9}]'),
      sha1('"east":12,"west":3,'),
      sha1('[[119],"T",["b"]]'),
      sha1(JSON.stringify(exceptions)),
      sha1('["returns-1"]'),
    ]);
    const parts = ['', '/price', '/inventory', '/variation', '/shippingexception', '/returnsexception'];
    for (const [at, part] of parts.entries()) {
      const { headers } = await test.get(`/merchant-skus/a${part}`);
      assert.equal(headers.get('etag'), `"${first[at + 2]}"`, part);
    }
  });

  refuses('REPORT-05', 'a sixth report while five are pending', async (api) => {
    const { place, remove } = await createPlace(api.variant.store);
    try {
      // This server does not create reports, so they stay pending.
      const settings = { ...api.variant.settings };
      await withOfferbook(place, { demo: true, role: 'api', settings }, async (url) => {
        const server = { ...api.server, url };
        const own = new ApiClient(server, api.variant, await requestToken(url, 'test'));
        for (let count = 0; count < 5; count++)
          assert.equal((await stateOf(own, await requestReport(own))).report_status, 'Requested');
        const answer = await own.send('POST', '/reports/ProductStatus');
        const text = 'Too many reports are pending (5). Wait for one to finish.';
        assertProblems(answer, [requestProblem('reports_too_many', text)], 429);
        assert.equal(answer.headers.get('retry-after'), '5');
      });
    } finally {
      await remove();
    }
  });

  refuses('REPORT-04', 'a download with a URL that was changed or has expired', async (own) => {
    const { report_id, report_url } = await readyReport(own, await requestReport(own));
    const url = String(report_url);
    for (const bad of [`${url}x`, url.replace(String(report_id), UNKNOWN_ID), url.slice(0, url.indexOf('?'))]) {
      assertProblems(await follow(own, bad), [LINK_INVALID], 403);
    }
    assert.deepEqual((await follow(own, url, { method: 'HEAD' })).status, 200);
    own.server.passTime(1_800_000);
    assertProblems(await follow(own, url), [LINK_EXPIRED], 403);
  });
});

describeApi('reports after days', ({ accepts, refuses }) => {
  accepts('REPORT-03', 'a report for 7 days, and then says that it has expired', async (api) => {
    const own = await api.inEnvironment('test');
    const reportId = await requestReport(own);
    await readyReport(own, reportId);
    own.server.passTime(7 * DAY_MS - 60_000);
    const late = await own.inEnvironment('test');
    const { report_status, report_url } = await stateOf(late, reportId);
    assert.equal(report_status, 'Ready');
    assert.equal((await follow(late, String(report_url))).status, 200);
    own.server.passTime(60_000);
    const { report_status: now, report_url: gone } = await stateOf(late, reportId);
    assert.deepEqual([now, gone], ['Expired', undefined]);
    assertProblems(await follow(late, String(report_url)), [NO_REPORT], 404);
  });

  refuses('REPORT-03', 'a report that is unknown, of another account, or older than 30 days', async (api) => {
    const own = await api.inEnvironment('test');
    const reportId = await requestReport(own);
    await readyReport(own, reportId);
    const live = await own.inEnvironment('live');
    for (const [client, id] of [
      [own, UNKNOWN_ID],
      [own, 'x'],
      [live, reportId],
    ] as const) {
      await client.refused('GET', `/reports/state/${id}`, undefined, [NO_REPORT], 404);
    }
    own.server.passTime(30 * DAY_MS);
    const late = await own.inEnvironment('test');
    await late.refused('GET', `/reports/state/${reportId}`, undefined, [NO_REPORT], 404);
  });
});
