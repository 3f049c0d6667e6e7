/** Tests announced changes of requirements: warnings of the review, their lists, counts and events, and what happens at their date. */
import assert from 'node:assert/strict';
import type { Policy } from '../../src/domain/review/policies.ts';
import type { ChangeNote } from '../../src/store/port/settings.ts';
import type { SetupStore } from '../../src/store/port.ts';
import { ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { addMerchant, changeSetup, type OwnMerchant, tokenFor } from './fixtures/merchant-setup.ts';

const DAY_MS = 86_400_000;
const PATIENCE_MS = 60_000;
const UNKNOWN = requestProblem('change_unknown', 'No announced change with this id.');

interface Check {
  readonly check: string;
  readonly state: string;
  readonly remedy: string | null;
}

interface Upcoming extends Check {
  readonly change_id: number;
  readonly enforced_from: string;
}

interface Change {
  readonly id: number;
  readonly rule: string;
  readonly enforced_from: string;
  readonly state?: string;
  readonly offers?: number;
}

let brands = 0;
const newBrand = () => `Upcoming ${++brands}`;
const excluded = (brand: string): Policy => ({ kind: 'excluded_brand', brand });

let passed_ms = 0;

/** The date of a change in so many days, on the server's clock. */
const inDays = (days: number) => Date.now() + passed_ms + days * DAY_MS;

function note(enforcedFromMs: number): ChangeNote {
  return {
    atMs: Date.now() + passed_ms,
    by: 'ann',
    act: 'addPolicy',
    subject: 'for operators',
    impact: null,
    enforcedFromMs,
  };
}

/** Makes a change and returns the id of the newest announcement. */
async function announce(api: ApiClient, change: (store: SetupStore) => Promise<unknown>): Promise<number> {
  return changeSetup(api, async ({ policies, ...store }) => {
    await change({ policies, ...store });
    return Math.max(...(await policies.listAnnouncedChanges(200)).map(({ announcedId }) => announcedId));
  });
}

const cancel = (api: ApiClient, id: number) =>
  changeSetup(api, ({ policies }) => policies.cancelAnnouncedChange(id, Date.now() + passed_ms, 'ann'));

async function pricedSku(api: ApiClient, skuId: string, brand: string): Promise<string> {
  const path = await api.uploadedSku({ ...api.newProductCodes(), brand }, skuId);
  await api.accepted('PUT', `${path}/price`, { price: 5 });
  return path;
}

const upcomingOf = async (api: ApiClient, path: string) =>
  (await api.found(`${path}/review`)).upcoming as readonly Upcoming[];

/** Changes that apply to this case: other cases may have announced others. */
async function listed(api: ApiClient, ids: readonly number[]): Promise<readonly Change[]> {
  const { changes } = (await api.found('/requirements/upcoming')) as unknown as { changes: readonly Change[] };
  return changes.filter(({ id }) => ids.includes(id));
}

/** Waits until the change lists so many offers, and returns it. */
const counted = (api: ApiClient, id: number, offers: number) =>
  waitUntil(`${offers} offers of change ${id}`, PATIENCE_MS, async () => {
    const [found] = await listed(api, [id]);
    return found?.offers === offers ? found : undefined;
  });

/** Waits until the feed has these events of upcoming failures, and no others. */
async function upcomingEvents(api: ApiClient, count: number) {
  return waitUntil(`${count} events`, PATIENCE_MS, async () => {
    const page = await api.foundNow('/events?types=offer.will_fail,offer.will_pass');
    const events = page.events as readonly Readonly<Record<string, unknown>>[];
    return events.length === count ? events.map(({ id: _, at: __, ...event }) => event) : undefined;
  });
}

/** Moves the clock, and signs in again. */
async function passTime(api: ApiClient, { merchantId }: OwnMerchant, ms: number): Promise<ApiClient> {
  passed_ms += ms;
  api.server.passTime(ms);
  return new ApiClient(api.server, api.variant, await tokenFor(api, `${merchantId}-live`, 'secret'));
}

describeApi('announced changes of requirements', ({ accepts, refuses }) => {
  // The first case: the thread that creates reports keeps its own clock, which does not move.
  accepts('REPORT-02', 'the announced changes under which an offer would fail', async (api) => {
    passed_ms = 0;
    const { live } = await addMerchant(api);
    const brand = newBrand();
    for (const [skuId, own] of Object.entries({ failing: brand, other: newBrand() })) await pricedSku(live, skuId, own);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(inDays(10))));
    await counted(live, id, 1);
    const { body } = await live.send('POST', '/reports/ProductStatus');
    const url = await waitUntil('the report', PATIENCE_MS, async () => {
      const state = await live.foundNow(`/reports/state/${(body as { report_id: string }).report_id}`);
      return state.report_url === undefined ? undefined : new URL(String(state.report_url), api.server.url);
    });
    const lines = (await (await fetch(url)).text()).trimEnd().split('\r\n').slice(1);
    assert.deepEqual(
      lines.map((line) => [line.split(',')[0], line.split(',').at(-1)]),
      [
        ['failing', String(id)],
        ['other', ''],
      ],
    );
    await cancel(api, id);
  });
  accepts('REQ-01', 'an offer keeps its status, with a warning in the words of the later issue', async (api) => {
    const merchant = await addMerchant(api);
    const brand = newBrand();
    const path = await pricedSku(merchant.live, 'pot', brand);
    const date = inDays(10);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(date)));
    const change = await counted(merchant.live, id, 1);
    assert.deepEqual(change, {
      ...change,
      rule: `Excluded brand: ${brand}`,
      enforced_from: new Date(date).toISOString(),
      url: `/requirements/upcoming/${id}/offers`,
    });
    const { status } = await merchant.live.found(path);
    const [warning, ...others] = await upcomingOf(merchant.live, path);
    assert.deepEqual([others, warning?.change_id, warning?.check, warning?.state], [[], id, 'exclusion', 'failed']);
    const { change_id: _, enforced_from, ...check } = warning ?? assert.fail();
    assert.equal(enforced_from, new Date(date).toISOString());

    const later = await passTime(api, merchant, 11 * DAY_MS);
    await waitUntil(
      'the exclusion',
      PATIENCE_MS,
      async () => (await later.found(path)).status === 'Excluded' || undefined,
    );
    assert.notEqual(status, 'Excluded');
    const review = await later.found(`${path}/review`);
    assert.deepEqual(review.upcoming, []);
    assert.deepEqual(
      (review.checks as Check[]).find(({ check: name }) => name === 'exclusion'),
      check,
    );
    assert.deepEqual(await listed(later, [id]), []);
  });

  accepts('REQ-01', 'archived offers, and offers that would not fail, have no warning', async (api) => {
    const { live } = await addMerchant(api);
    const brand = newBrand();
    const archived = await pricedSku(live, 'archived', brand);
    await live.accepted('PUT', `${archived}/status/archive`, { is_archived: true });
    const other = await pricedSku(live, 'other', newBrand());
    const failing = await pricedSku(live, 'failing', brand);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(inDays(10))));
    await counted(live, id, 1);
    assert.equal((await upcomingOf(live, failing)).length, 1);
    for (const path of [archived, other]) assert.deepEqual(await upcomingOf(live, path), []);
    await cancel(api, id);
  });

  accepts('REQ-02', 'offers that would fail, page by page; other merchants see their own only', async (api) => {
    const { live, test } = await addMerchant(api);
    const stranger = await addMerchant(api);
    const brand = newBrand();
    for (const skuId of ['c', 'a/b', 'b']) await pricedSku(live, skuId, brand);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(inDays(10))));
    await counted(live, id, 3);
    const offers = `/requirements/upcoming/${id}/offers`;
    const entry = (skuId: string) => ({
      merchant_sku: skuId,
      url: `/merchant-skus/${encodeURIComponent(skuId)}/review`,
    });
    assert.deepEqual(await live.found(offers), { offers: ['a/b', 'b', 'c'].map(entry), next: null });
    assert.deepEqual(await live.found(`${offers}?limit=2`), { offers: ['a/b', 'b'].map(entry), next: 'b' });
    assert.deepEqual(await live.found(`${offers}?limit=2&after=b`), { offers: [entry('c')], next: null });
    for (const other of [test, stranger.live]) {
      assert.equal((await listed(other, [id]))[0]?.offers, 0);
      assert.deepEqual(await other.found(offers), { offers: [], next: null });
    }
    await cancel(api, id);
  });

  refuses('REQ-02', 'unknown and settled changes, and wrong limits', async (api) => {
    const { live } = await addMerchant(api);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(newBrand()), note(inDays(10))));
    await counted(live, id, 0);
    const offers = `/requirements/upcoming/${id}/offers`;
    const limit = requestProblem('query_invalid', 'limit: must be a whole number from 1 to 1000.');
    for (const bad of ['0', '1001', 'x']) assertProblems(await live.get(`${offers}?limit=${bad}`), [limit]);
    assertProblems(await live.get('/requirements/upcoming/999999/offers'), [UNKNOWN], 404);
    await cancel(api, id);
    await waitUntil('the cancellation', PATIENCE_MS, async () => (await listed(live, [id])).length === 0 || undefined);
    assertProblems(await live.get(offers), [UNKNOWN], 404);
  });

  accepts('REQ-08', 'the list of SKUs that would fail under one announced change, or under any', async (api) => {
    const { live } = await addMerchant(api);
    const brands = [newBrand(), newBrand()] as const;
    for (const [skuId, brand] of Object.entries({ one: brands[0], two: brands[1], other: newBrand() })) {
      await pricedSku(live, skuId, brand);
    }
    const ids: number[] = [];
    for (const brand of brands) {
      ids.push(await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(inDays(10)))));
    }
    for (const id of ids) await counted(live, id, 1);
    const skus = async (query: string) => (await live.found(`/merchant-skus?${query}`)).sku_urls;
    assert.deepEqual(await skus('upcoming=yes'), ['merchant-skus/one', 'merchant-skus/two']);
    assert.deepEqual(await skus(`upcoming=${ids[1]}`), ['merchant-skus/two']);
    assert.deepEqual(await skus(`upcoming=${ids[0]}&status=Archived`), []);
    const { headers } = await live.get('/merchant-skus?upcoming=yes&limit=1');
    const [, next = ''] = /\?(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
    assert.deepEqual(await skus(next), ['merchant-skus/two']);
    for (const id of ids) await cancel(api, id);
    const isOver = async () => (await listed(live, ids)).length === 0 || undefined;
    await waitUntil('the cancellation', PATIENCE_MS, isOver);
    assert.deepEqual(await skus('upcoming=yes'), []);
    const problem = requestProblem('query_invalid', 'upcoming: must be `yes` or the id of an announced change.');
    assertProblems(await live.get(`/merchant-skus?upcoming=${ids[0]}`), [problem]);
  });
  for (const value of ['no', 'YES', '999999', '-1', '1.5']) {
    refuses('REQ-08', `upcoming=${value}`, async (api) => {
      const problem = requestProblem('query_invalid', 'upcoming: must be `yes` or the id of an announced change.');
      const { live } = await addMerchant(api);
      await live.refused('GET', `/merchant-skus?upcoming=${value}`, undefined, [problem]);
    });
  }

  accepts('REQ-03', 'events when an offer would fail, with a new date, and when it no longer would', async (api) => {
    const { live } = await addMerchant(api);
    const brand = newBrand();
    const path = await pricedSku(live, 'pot', brand);
    const dates = [inDays(10), inDays(20)] as const;
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(dates[0])));
    const common = { merchant_sku: 'pot', change_id: id, url: `${path}/review` };
    const [first, second] = dates.map((date) => ({ ...common, enforced_from: new Date(date).toISOString() }));
    const expected: object[] = [{ type: 'offer.will_fail', ...first }];
    const happened = async (...more: object[]) => {
      expected.push(...more);
      assert.deepEqual(await upcomingEvents(live, expected.length), expected);
    };
    await happened();
    await changeSetup(api, ({ policies }) => policies.moveAnnouncedChange(id, dates[1], inDays(0)));
    await happened({ type: 'offer.will_fail', ...second });
    await live.uploadedSku({ ...live.newProductCodes(), brand: newBrand() }, 'pot');
    await happened({ type: 'offer.will_pass', ...second });
    await live.uploadedSku({ ...live.newProductCodes(), brand }, 'pot');
    await happened({ type: 'offer.will_fail', ...second });
    await cancel(api, id);
    await happened({ type: 'offer.will_pass', ...second });
    assert.deepEqual(await upcomingOf(live, path), []);
  });

  accepts('REQ-03', 'no event when a change applies under which an offer fails', async (api) => {
    const merchant = await addMerchant(api);
    const brand = newBrand();
    const path = await pricedSku(merchant.live, 'pot', brand);
    await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(inDays(1))));
    await upcomingEvents(merchant.live, 1);
    const later = await passTime(api, merchant, 2 * DAY_MS);
    await waitUntil(
      'the exclusion',
      PATIENCE_MS,
      async () => (await later.found(path)).status === 'Excluded' || undefined,
    );
    await waitUntil('the end of the change', PATIENCE_MS, async () =>
      changeSetup(
        api,
        async ({ policies }) =>
          (await policies.listAnnouncedChanges(200)).every(({ state, cleared }) => state === 'announced' || cleared) ||
          undefined,
      ),
    );
    assert.equal((await upcomingEvents(later, 1)).length, 1);
  });

  accepts('REQ-06', 'reminders at 30, 7 and 1 days before the date, without those that came too late', async (api) => {
    const merchant = await addMerchant(api);
    const brand = newBrand();
    await pricedSku(merchant.live, 'pot', brand);
    const date = inDays(40);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(brand), note(date)));
    await counted(merchant.live, id, 1);
    const change = { change_id: id, enforced_from: new Date(date).toISOString(), offers: 1 };
    const expected: object[] = [];
    for (const [days, left] of [
      [30, 29],
      [7, 6],
      [1, 0.5],
    ] as const) {
      const later = await passTime(api, merchant, date - inDays(left));
      const url = `/requirements/upcoming/${id}/offers`;
      expected.push({ type: 'requirement.reminder', ...change, days, url });
      const reminders = await waitUntil(`the reminder at ${days} days`, PATIENCE_MS, async () => {
        const { events } = await later.foundNow('/events?types=requirement.reminder');
        const told = (events as object[]).map((event) => ({ ...event, id: undefined, at: undefined }));
        return told.length >= expected.length ? told : undefined;
      });
      assert.deepEqual(
        reminders,
        expected.map((event) => ({ ...event, id: undefined, at: undefined })),
      );
    }
    const soon = await announce(api, (store) => store.policies.addPolicy(excluded(`${brand} 2`), note(inDays(2))));
    const [{ remindedDays } = assert.fail()] = await changeSetup(api, async ({ policies }) =>
      (await policies.listAnnouncedChanges(200)).filter(({ announcedId }) => announcedId === soon),
    );
    assert.equal(remindedDays, 7, 'the reminders before the announcement are not sent');
    await cancel(api, soon);
    await cancel(api, id);
  });

  accepts('REQ-04', 'changes that overlap: the first by date warns, then the next', async (api) => {
    const { live } = await addMerchant(api);
    const brand = newBrand();
    const path = await live.uploadedSku({ ASIN: 'B0UPCOMING', standard_product_codes: undefined, brand }, 'pot');
    const code: Policy = { kind: 'excluded_code', code: 'asin:B0UPCOMING' };
    const restricted: Policy = { kind: 'restricted_brand', brand, merchantIds: [] };
    const ids: number[] = [];
    for (const [policy, days] of [
      [excluded(brand), 20],
      [code, 10],
      [restricted, 15],
    ] as const) {
      ids.push(await announce(api, (store) => store.policies.addPolicy(policy, note(inDays(days)))));
    }
    const [byBrand = 0, byCode = 0, byGrant = 0] = ids;
    const warnings = async () => (await upcomingOf(live, path)).map(({ change_id, check }) => [change_id, check]);
    await counted(live, byCode, 1);
    await counted(live, byGrant, 1);
    await counted(live, byBrand, 0);
    const both = [
      [byCode, 'exclusion'],
      [byGrant, 'authorization'],
    ];
    assert.deepEqual(await warnings(), both);
    assert.deepEqual(
      (await listed(live, ids)).map(({ id }) => id),
      [byCode, byGrant, byBrand],
    );
    await changeSetup(api, ({ policies }) => policies.moveAnnouncedChange(byCode, inDays(30), inDays(0)));
    await counted(live, byBrand, 1);
    await counted(live, byCode, 0);
    await cancel(api, byBrand);
    await counted(live, byCode, 1);
    assert.deepEqual(await warnings(), both.toReversed());
    for (const id of [byCode, byGrant]) await cancel(api, id);
  });

  accepts('REQ-05', 'an announced taxonomy warns; another import replaces it', async (api) => {
    const { live } = await addMerchant(api);
    const path = await pricedSku(live, 'pot', newBrand());
    const parts = (id: number) => [`{"node":${id},"name":"Home"}`];
    const taxonomy = (tag: string, id: number) => ({ tag, source: tag, nodes: 1, importedMs: 0, parts: parts(id) });
    const put = (tag: string, id: number) =>
      announce(api, (store) => store.taxonomy.putTaxonomy(taxonomy(tag, id), note(inDays(10))));
    const first = await put('first', 1);
    await counted(live, first, 1);
    const [warning] = await upcomingOf(live, path);
    assert.deepEqual([warning?.change_id, warning?.check], [first, 'category_node']);
    const second = await put('second', 2);
    await counted(live, second, 1);
    assert.deepEqual(
      (await listed(live, [first, second])).map(({ id, rule }) => [id, rule]),
      [[second, 'New taxonomy']],
    );
    await cancel(api, second);
  });

  accepts('REQ-05', 'the schedule lists announced and settled changes, without merchants', async (api) => {
    const { live } = await addMerchant(api);
    const brand = newBrand();
    const granted: Policy = { kind: 'restricted_brand', brand, merchantIds: ['secret partner'] };
    const id = await announce(api, (store) => store.policies.addPolicy(granted, note(inDays(10))));
    const shown = async () => {
      const answer = await live.get('/requirements/changes');
      assert.ok(!answer.text.includes('secret partner'));
      return (answer.body as { changes: Change[] }).changes.find((change) => change.id === id);
    };
    const { rule, state } = (await shown()) ?? assert.fail();
    assert.deepEqual([rule, state], [`Restricted brand: ${brand}`, 'announced']);
    await cancel(api, id);
    assert.equal((await shown())?.state, 'cancelled');
  });

  accepts('REQ-07', 'the page of the schedule shows what is announced, until it is cancelled', async (api) => {
    const brand = newBrand();
    const date = inDays(10);
    const id = await announce(api, (store) => store.policies.addPolicy(excluded(`${brand}<&>`), note(date)));
    const row = `<td>${new Date(date).toISOString()}</td><td>Excluded brand: ${brand}&lt;&amp;&gt;</td>`;
    const becomes = (isShown: boolean) =>
      waitUntil(`the page, ${isShown ? 'with' : 'without'} the change`, PATIENCE_MS, async () => {
        const page = await fetch(`${api.server.url}/docs/changes-schedule`);
        assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
        return (await page.text()).includes(row) === isShown || undefined;
      });
    await becomes(true);
    await cancel(api, id);
    await becomes(false);
  });
});
