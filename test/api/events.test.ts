/** Tests the change feed: its events, cursors, filters and waiting. */
import assert from 'node:assert/strict';
import { SYSTEM_CLOCK } from '../../src/compose/process-parts.ts';
import { ApiClient, assertProblems, minimalSku, requestProblem, requestToken } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { createPlace } from '../harness/store-place.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { sendFile } from './fixtures/bulk-files.ts';
import { accountIdOf, addMerchant, changeSetup } from './fixtures/merchant-setup.ts';

const DAY_MS = 86_400_000;
const PATIENCE_MS = 60_000;
const UNKNOWN = requestProblem(
  'cursor_unknown',
  'after: not a valid cursor for your events. Send the `next` of a response or an event id, or omit `after`.',
);

interface Page {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly next: string;
  readonly more: boolean;
}

async function read(api: ApiClient, query = ''): Promise<Page> {
  return (await api.foundNow(`/events?${query}`)) as unknown as Page;
}

/** Waits until the feed has this many events of the type. */
async function eventsOf(api: ApiClient, type: string, count: number): Promise<Page['events']> {
  return waitUntil(`${count} events of type ${type}`, PATIENCE_MS, async () => {
    const { events } = await read(api, `types=${type}`);
    return events.length >= count ? events : undefined;
  });
}

/** Removes the fields that differ in each run. */
function told({ id, at, ...event }: Page['events'][number]): unknown {
  return event;
}

describeApi('the change feed', ({ accepts, refuses }) => {
  accepts('EVENT-01', 'each change to a part, with its author and the path to read it', async (api) => {
    const { merchantId, test, live } = await addMerchant(api);
    const path = await test.uploadedSku({}, 'a/b c');
    await test.accepted('PUT', `${path}/price`, { price: 9.95 });
    await test.accepted('PUT', `${path}/price`, { price: 9.95 });
    await test.accepted('PUT', `${path}/offer`, { sku: { ...minimalSku(), brand: 'Other' }, price: { price: 8.95 } });
    await test.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const { events } = await read(test, 'types=offer.updated');
    const by = { kind: 'key', name: `${merchantId}-test` };
    const common = { type: 'offer.updated', merchant_sku: 'a/b c', by };
    const url = '/merchant-skus/a%2Fb%20c';
    assert.deepEqual(events.map(told), [
      { ...common, part: 'sku', url },
      { ...common, part: 'price', url: `${url}/price` },
      { ...common, part: 'sku', url },
      { ...common, part: 'price', url: `${url}/price` },
      { ...common, part: 'archive', url },
    ]);
    assert.equal((await test.get(`${url}/price`)).status, 200);
    assert.deepEqual((await read(live)).events, [], 'The other environment has its own feed.');
  });

  accepts('EVENT-02', 'changed statuses with the issues that were added and removed', async (api) => {
    const { test } = await addMerchant(api);
    const path = await test.uploadedSku(test.newProductCodes(), 'pot');
    const type = 'offer.status_changed';
    await eventsOf(test, type, 1);
    await test.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const events = await eventsOf(test, type, 2);
    const missing = 'Missing Listing Data';
    const common = { type, merchant_sku: 'pot', url: path };
    const issues = ['Missing price'];
    assert.deepEqual(events.map(told), [
      { ...common, before: null, after: missing, issues_added: issues, issues_removed: [] },
      { ...common, before: missing, after: 'Archived', issues_added: [], issues_removed: issues },
    ]);
  });

  accepts('EVENT-03', 'rows of files, finished files, reports and rolled keys', async (api) => {
    const { merchantId, test } = await addMerchant(api);
    for (const skuId of ['a', 'b']) await test.uploadedSku({}, skuId);
    const { next } = await read(test, 'after=latest');
    const fileId = await sendFile(test, 'Price', { a: { price: 1 }, b: { price: 2 } });
    await eventsOf(test, 'file.finished', 1);
    const { body } = await test.send('POST', '/reports/ProductStatus');
    const { report_id } = body as { report_id: string };
    await eventsOf(test, 'report.ready', 1);
    await changeSetup(api, async (store) => {
      const accountId = await accountIdOf(store, 'test', merchantId);
      const bytes = Uint8Array.of(1);
      const endsMs = Date.UTC(2030, 0, 1);
      await store.settings.rollCredential(
        accountId,
        null,
        { user: `${merchantId}-2`, salt: bytes, secretHash: bytes },
        Date.now(),
        endsMs,
      );
    });
    const { events } = await read(test, `after=${next}&types=offer.updated,file.finished,report.ready,key.rolled`);
    const row = { type: 'offer.updated', part: 'price', by: { kind: 'file', name: fileId } };
    assert.deepEqual(
      events.map(told).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      [
        { ...row, merchant_sku: 'a', url: '/merchant-skus/a/price' },
        { ...row, merchant_sku: 'b', url: '/merchant-skus/b/price' },
        {
          type: 'file.finished',
          file_id: fileId,
          file_type: 'Price',
          status: 'Processed successfully',
          url: `/files/${fileId}`,
        },
        { type: 'report.ready', report_id, status: 'Ready', url: `/reports/state/${report_id}` },
        { type: 'key.rolled', user: null, new_user: `${merchantId}-2`, old_keys_end: '2030-01-01T00:00:00.000Z' },
      ].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    );
  });

  accepts('EVENT-04', 'the cursor of a page and of every event, and pages of 1 to 1,000 events', async (api) => {
    const { test } = await addMerchant(api);
    for (const skuId of ['a', 'b', 'c']) await test.uploadedSku({}, skuId);
    const all = await read(test, 'types=offer.updated&limit=1000');
    assert.deepEqual([all.events.length, all.more], [3, false]);
    const first = await read(test, 'types=offer.updated&limit=1');
    assert.deepEqual([first.events, first.more], [all.events.slice(0, 1), true]);
    assert.deepEqual((await read(test, `types=offer.updated&after=${first.next}`)).events, all.events.slice(1));
    const second = all.events[1]?.id;
    assert.deepEqual((await read(test, `types=offer.updated&after=${second}`)).events, all.events.slice(2));
    assert.deepEqual((await read(test, 'types=offer.updated')).events, all.events, 'The same at every read.');
    assert.deepEqual((await read(test, `types=offer.updated&after=${all.next}`)).events, []);
  });
  refuses('EVENT-04', 'cursors of other feeds, limits out of range and unknown types', async (api) => {
    const { test, live } = await addMerchant(api);
    const { next } = await read(live);
    for (const after of ['x', next, next.replace(/-.*$/, '-zzzzzzzz-0')]) {
      assertProblems(await test.get(`/events?after=${after}`), [UNKNOWN]);
    }
    for (const limit of [0, 1001]) {
      const text = 'limit: must be a whole number from 1 to 1000.';
      assertProblems(await test.get(`/events?limit=${limit}`), [requestProblem('query_invalid', text)]);
    }
    const text =
      'types: must be one or more of offer.updated, offer.status_changed, file.finished, report.ready, key.rolled, offer.will_fail, offer.will_pass, requirement.reminder, offer.position_changed, separated by commas.';
    assertProblems(await test.get('/events?types=offer.updated,offer.sold'), [requestProblem('query_invalid', text)]);
  });

  accepts('EVENT-05', 'a wait that ends with the next event', async (api) => {
    const { test } = await addMerchant(api);
    const { next } = await read(test);
    const startedMs = performance.now();
    const waiting = read(test, `after=${next}&types=offer.updated&wait=30`);
    await test.uploadedSku({}, 'a');
    const { events } = await waiting;
    assert.equal(events.length, 1);
    assert.ok(performance.now() - startedMs < 25_000, 'The response comes before the time is over.');
    const quiet = await read(test, 'after=latest&types=key.rolled&wait=1');
    assert.deepEqual([quiet.events, quiet.more], [[], false]);
  });
  refuses('EVENT-05', 'a wait of more than 30 seconds, and an eleventh waiting request', async (api) => {
    const { test } = await addMerchant(api);
    const text = 'wait: must be a whole number from 0 to 30.';
    assertProblems(await test.get('/events?wait=31'), [requestProblem('query_invalid', text)]);
    const path = '/events?after=latest&types=key.rolled&wait=30';
    const headers = { authorization: `Bearer ${test.token}` };
    const leaving = new AbortController();
    const waits = Array.from({ length: 11 }, () => {
      return fetch(`${api.server.url}${path}`, { headers, signal: leaving.signal }).catch(() => undefined);
    });
    const refused = await Promise.race(waits);
    assert.equal(refused?.status, 429);
    const { errors } = (await refused.json()) as { errors: string[] };
    assert.deepEqual(errors, [
      'Too many requests are waiting for events (10). Wait for one to finish, or send wait=0.',
    ]);
    leaving.abort();
    assert.equal((await Promise.all(waits)).filter((answer) => answer === undefined).length, 10);
    await waitUntil('the places of clients that left to be free', PATIENCE_MS, async () => {
      return (await test.get(path.replace('wait=30', 'wait=1'))).status === 200 ? true : undefined;
    });
  });

  refuses('EVENT-05', 'more waiting requests while a write lets the others look for events', async (api) => {
    const { test } = await addMerchant(api);
    const url = `${api.server.url}/events?after=latest&types=key.rolled&wait=30`;
    const headers = { authorization: `Bearer ${test.token}` };
    const leaving = new AbortController();
    let answered = 0;
    let asked = 0;
    const wait = () => {
      asked++;
      fetch(url, { headers, signal: leaving.signal }).then(
        () => answered++,
        () => {},
      );
    };
    for (let round = 0; round < 20; round++) {
      const writing = test.uploadedSku({}, `sku-${round}`);
      for (let count = 0; count < 10; count++) wait();
      await writing;
    }
    await waitUntil('all but 10 requests to have a response', 20_000, async () => {
      return asked - answered <= 10 ? true : undefined;
    });
    leaving.abort();
  });

  refuses('EVENT-06', 'a cursor before events that were dropped after 30 days', async (api) => {
    const { place, remove } = await createPlace(api.variant.store);
    try {
      const { settings } = api.variant;
      const clientOf = async (url: string) =>
        new ApiClient({ ...api.server, url }, api.variant, await requestToken(url, 'test'));
      const { result: cursor } = await withOfferbook(place, { demo: true, settings }, async (url) => {
        const own = await clientOf(url);
        await own.uploadedSku({}, 'a');
        const { events } = await read(own, 'limit=1');
        return String(events[0]?.id);
      });
      const nowMs = () => Date.now() + 31 * DAY_MS;
      await withOfferbook(place, { demo: true, settings, clock: { ...SYSTEM_CLOCK, nowMs } }, async (url) => {
        const own = await clientOf(url);
        const answer = await waitUntil('old events to be dropped', PATIENCE_MS, async () => {
          const read = await own.get(`/events?after=${cursor}`);
          return read.status === 400 ? read : undefined;
        });
        const [problem] = (answer.body as { details: { code: string; message: string }[] }).details;
        assert.equal(problem?.code, 'cursor_expired', answer.text);
        const first = /after=([\w-]+)\.$/.exec(problem.message)?.[1];
        assert.equal((await own.get(`/events?after=${first}`)).status, 200);
      });
    } finally {
      await remove();
    }
  });
});
