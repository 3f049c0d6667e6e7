/** Tests plans: changes to many offers that are tried, applied exactly as tried, and undone. */
import assert from 'node:assert/strict';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { DEMO_PEOPLE } from '../../src/demo/demo-people.ts';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import { type ApiClient, assertProblems, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { runSql } from '../harness/run-sql.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type FileRecord, finished, sendFile, submitFile, UNKNOWN_ID } from './fixtures/bulk-files.ts';
import { addMerchant, EAST } from './fixtures/merchant-setup.ts';

import {
  applied,
  newOffers,
  type PlanBody,
  type PlannedOffer,
  planned,
  prices,
  refusal,
  withKey,
} from './fixtures/plan-calls.ts';
import { changeSetup } from './fixtures/token-calls.ts';

const MINUTE_MS = 60_000;

const priceOf = async (api: ApiClient, skuId: string) => (await api.foundNow(`/merchant-skus/${skuId}/price`)).price;

const NOT_FOUND = requestProblem('plan_not_found', 'No plan with this id. The newest 200 plans are kept.');
const NEEDS_APPROVAL = refusal(
  'plan_needs_approval',
  'The plan is beyond the guard rails of the API key. A user of the merchant can approve it in the portal.',
);

describeApi('plans', ({ accepts, refuses }) => {
  accepts('PLAN-01', 'parts by SKU, tried as dry runs of each, and stores nothing', async (api) => {
    const own = await api.inEnvironment('test');
    const [first = '', same = '', other = ''] = await newOffers(own, 3);
    const bodies: readonly (readonly [skuId: string, offer: object])[] = [
      [first, { price: { price: 12 }, inventory: { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 4 }] } }],
      [same, { price: { price: 10 } }],
      [other, { price: { price: -1 } }],
      [own.newSkuId(), { price: { price: 5 } }],
      [own.newSkuId(), { sku: minimalSku(), price: { price: 5 } }],
      ['..', { price: { price: 5 } }],
    ];
    const offers = bodies.map(([merchant_sku, offer]) => ({ merchant_sku, offer }));
    const tries = () =>
      Promise.all(
        bodies
          .slice(0, -1)
          .map(([skuId, offer]) => own.send('PUT', `/merchant-skus/${skuId}/offer?dry_run=true`, offer)),
      );
    const before = await tries();
    const plan = await planned(own, { offers });
    const after = await tries();
    assert.equal(plan.state, 'planned');
    assert.deepEqual(plan.totals, {
      ...{ offers: 2, unchanged: 1, refused: 3, skipped: 0 },
      ...{ archived: 0, price_change_percent_max: 20, price_min: 5 },
    });
    for (const [index, { status, body }] of after.entries()) {
      const tried = plan.offers[index];
      assert.equal(tried?.accepted, status === 200);
      if (status === 200) {
        assert.deepEqual(tried.changes, (body as PlannedOffer).changes);
        // A review may end in between.
        const statuses = [before[index], after[index]].map(
          (answer) => (answer?.body as PlannedOffer | undefined)?.status,
        );
        assert.ok(statuses.includes(tried.status), tried.status);
      } else {
        assert.deepEqual(tried?.problems, (body as { details: unknown }).details);
      }
    }
    assert.equal(plan.offers.at(-1)?.problems[0]?.code, 'sku_id_invalid');
    assert.equal(await priceOf(own, first), 10);
    const { offers: stored, id } = (await own.get(`/plans/${plan.id}`)).body as PlanBody;
    assert.deepEqual([stored, id], [plan.offers, plan.id]);
    const { plans } = (await own.get('/plans')).body as { plans: readonly PlanBody[] };
    assert.ok(plans.some((each) => each.id === plan.id && each.offers === undefined));
    assert.equal((await planned(own, prices(10, same))).id, null);
  });

  accepts('PLAN-01', 'fixes of the review, which it applies as they were tried', async (api) => {
    const own = await api.inEnvironment('test');
    const faulty = { product_title: 'Mug, 0.3 liters, pack of 2', multipack_quantity: 1 };
    const [right = '', newer = '', both = ''] = await newOffers(own, 3, faulty);
    const fixOf = async (skuId: string) => {
      const { checks } = (await own.found(`/merchant-skus/${skuId}/review`)) as {
        checks: { fixes?: { id: string }[] }[];
      };
      return checks.flatMap(({ fixes = [] }) => fixes.map(({ id }) => id));
    };
    const sent = [
      { merchant_sku: right, fixes: await fixOf(right) },
      { merchant_sku: newer, fixes: await fixOf(newer) },
      { merchant_sku: both, fixes: await fixOf(both), offer: { price: { price: 5 } } },
      { merchant_sku: own.newSkuId(), fixes: ['a'] },
    ];
    const { id, offers } = await planned(own, { offers: sent });
    const change = { pointer: '/sku/multipack_quantity', before: 1, after: 2 };
    assert.deepEqual(
      offers.map(({ changes, problems }) => [changes, problems.map(({ code }) => code)]),
      [
        [[change], []],
        [[change], []],
        [[], ['not_allowed']],
        [[], ['sku_unknown']],
      ],
    );
    const later = { ...minimalSku(), ...faulty, product_title: 'Mug, 0.5 liters, pack of 2' };
    await own.accepted('PUT', `/merchant-skus/${newer}`, later);
    assert.deepEqual((await applied(own, id)).left_alone, [{ merchant_sku: newer, part: 'sku' }]);
    assert.equal((await own.found(`/merchant-skus/${right}`)).multipack_quantity, 2);
    assert.equal((await own.found(`/merchant-skus/${newer}`)).multipack_quantity, 1);
    const [stale] = (await planned(own, { offers: sent.slice(0, 1) })).offers;
    assert.deepEqual(
      stale?.problems.map(({ code }) => code),
      ['fix_stale'],
    );
    const pricing = await withKey(own, { scopes: SCOPE.read | SCOPE.price });
    const missing = 'This call needs the scope listing, which the API key does not have.';
    await pricing.refused('POST', '/plans', { offers: sent.slice(0, 1) }, refusal('scope_missing', missing), 403);
  });

  accepts('PLAN-01', 'a change to all prices of a brand, with bounds', async (api) => {
    const own = await api.inEnvironment('test');
    const brand = `Brand ${own.newSkuId()}`;
    const [cheap = ''] = await newOffers(own, 1, { brand }, 10);
    const [near = ''] = await newOffers(own, 1, { brand: brand.toUpperCase() }, 99);
    const [over = ''] = await newOffers(own, 1, { brand }, 120);
    await newOffers(own, 1, { brand: `${brand} Kids` }, 10);
    const [unpriced = ''] = [own.newSkuId()];
    await own.accepted('PUT', `/merchant-skus/${unpriced}`, { ...minimalSku(), brand });
    await waitUntil('the words of all offers', 60_000, async () => {
      const { body } = await own.get(`/merchant-skus?q=${encodeURIComponent(brand)}`);
      return (body as { sku_urls: unknown[] }).sku_urls.length === 5 ? true : undefined;
    });
    const plan = await planned(own, { price_change: { percent: 5, price_max: 100, brand } });
    const after = new Map(plan.offers.map(({ merchant_sku, changes: [change] }) => [merchant_sku, change?.after]));
    assert.deepEqual(
      new Map([...after].toSorted()),
      new Map(
        [
          [cheap, 10.5],
          [near, 100],
          [over, undefined],
        ].toSorted() as [string, unknown][],
      ),
    );
    const { offers, unchanged, skipped, price_change_percent_max, price_min } = plan.totals;
    assert.deepEqual([offers, unchanged, skipped, price_change_percent_max, price_min], [2, 1, 1, 5, 10.5]);
  });

  refuses('PLAN-01', 'plans without offers, with both kinds of changes, or with a wrong one', async (api) => {
    const codes = async (body: object) => {
      const answer = await api.send('POST', '/plans', body);
      const { details } = answer.body as { details: readonly { code: string; field: string }[] };
      return [answer.status, ...details.map(({ code, field }) => `${code} ${field}`)];
    };
    assert.deepEqual(await codes({}), [400, 'required /offers']);
    assert.deepEqual(await codes({ offers: [] }), [400, 'too_few /offers']);
    const both = { ...prices(5, 'a', 'a'), price_change: { percent: 5, amount: 5 } };
    assert.deepEqual(await codes(both), [
      400,
      'not_allowed /price_change',
      'not_allowed /offers/1/merchant_sku',
      'required /price_change',
    ]);
    const bounds = { percent: 5000, price_min: 5, price_max: 1 };
    assert.deepEqual(await codes({ price_change: bounds }), [
      400,
      'too_large /price_change/percent',
      'too_large /price_change/price_min',
    ]);
    const many = Array.from({ length: 1001 }, (_, index) => `s${index}`);
    assert.deepEqual(await codes(prices(5, ...many)), [400, 'too_many /offers']);
  });

  accepts('PLAN-02', 'exactly what it shows, once, and names what changed meanwhile', async (api) => {
    const own = await api.inEnvironment('test');
    const [kept = '', changed = '', last = ''] = await newOffers(own, 3);
    const { id } = await planned(own, prices(12, kept, changed, last));
    await own.accepted('PUT', `/merchant-skus/${changed}/price`, { price: 11 });
    await own.accepted('PUT', `/merchant-skus/${last}`, { ...minimalSku(), brand: 'Other' });
    const [once, twice] = await Promise.all([applied(own, id), applied(own, id)]);
    assert.deepEqual([once.state, twice.file?.marketplace_file_id], ['applied', once.file?.marketplace_file_id]);
    assert.deepEqual(once.left_alone, [{ merchant_sku: changed, part: 'price' }]);
    const after = await Promise.all([kept, changed, last].map((skuId) => priceOf(own, skuId)));
    assert.deepEqual(after, [12, 11, 12]);
    const { changes } = (await own.get(`/merchant-skus/${kept}/history`)).body as { changes: { part: string }[] };
    assert.equal(changes.filter(({ part }) => part === 'price').length, 2);
    await own.accepted('PUT', `/merchant-skus/${kept}/price`, { price: 15 });
    await applied(own, id);
    assert.equal(await priceOf(own, kept), 15);
  });

  refuses(
    'PLAN-02',
    'another key, another merchant or environment, after an hour, and after a change of scope',
    async (api) => {
      const own = await api.inEnvironment('test');
      const [skuId = ''] = await newOffers(own, 1);
      const issued = issueCredential('test');
      const agent = await withKey(own, { scopes: SCOPE.read | SCOPE.price }, issued);
      const { id } = await planned(agent, prices(12, skuId));
      const other = refusal('plan_of_other_key', 'Another API key or user made the plan. Only its maker can apply it.');
      await own.refused('POST', `/plans/${id}/apply`, undefined, other, 403);
      const stranger = await addMerchant(api);
      for (const other of [await api.inEnvironment('live'), stranger.test]) {
        for (const call of ['apply', 'undo']) {
          await other.refused('POST', `/plans/${id}/${call}`, undefined, [NOT_FOUND], 404);
        }
        await other.refused('GET', `/plans/${id}`, undefined, [NOT_FOUND], 404);
        const foreign = await planned(other, prices(12, skuId));
        assert.deepEqual([foreign.id, foreign.offers[0]?.problems[0]?.code], [null, 'sku_unknown']);
      }
      const none = await planned(stranger.test, { price_change: { percent: 5 } });
      assert.deepEqual([none.id, none.offers], [null, []]);
      for (const call of ['apply', 'undo']) {
        await own.refused('POST', `/plans/${UNKNOWN_ID}/${call}`, undefined, [NOT_FOUND], 404);
      }
      const missing = (scope: string) =>
        refusal('scope_missing', `This call needs the scope ${scope}, which the API key does not have.`);
      await agent.refused(
        'POST',
        '/plans',
        { offers: [{ merchant_sku: skuId, offer: { sku: minimalSku() } }] },
        missing('listing'),
        403,
      );
      await changeSetup(own, ({ settings }, { test }) => settings.revokeCredential(test, issued.user));
      const lesser = await withKey(own, { scopes: SCOPE.read }, issued);
      await lesser.refused('POST', `/plans/${id}/apply`, undefined, missing('price'), 403);
      const late = await planned(own, prices(13, skuId));
      own.server.passTime(61 * MINUTE_MS);
      const expired = refusal('plan_expired', 'The plan was made more than 60 minutes ago. Make a new one.');
      await own.refused('POST', `/plans/${late.id}/apply`, undefined, expired, 403);
      assert.equal(((await own.get(`/plans/${late.id}`)).body as PlanBody).state, 'expired');
      assert.equal(await priceOf(own, skuId), 10);
    },
  );

  refuses('PLAN-02', 'a plan after an earlier one was applied, and submitting its file', async (api) => {
    const own = await api.inEnvironment('test');
    const [skuId = ''] = await newOffers(own, 1);
    const first = await planned(own, prices(11, skuId));
    const second = await planned(own, prices(12, skuId));
    const { url } = (await own.get('/files/uploadToken')).body as { url: string };
    const planUrl = url.replace(/\/uploads\/.*/, `/uploads/${second.id}`);
    const missing = await submitFile(own, planUrl, 'Offers');
    assert.equal(missing.status, 404, missing.text);
    assert.match(missing.text, /file_not_uploaded/);
    await applied(own, first.id);
    const stale = refusal(
      'plan_stale',
      'A bulk file with earlier changes was processed after the plan was made. Make a new plan.',
    );
    await own.refused('POST', `/plans/${second.id}/apply`, undefined, stale, 403);
    assert.equal(await priceOf(own, skuId), 11);
    assert.equal((await applied(own, (await planned(own, prices(12, skuId))).id)).state, 'applied');
  });

  accepts('PLAN-03', 'the values from before, where they still stand', async (api) => {
    const own = await api.inEnvironment('test');
    const [back = '', newer = ''] = await newOffers(own, 2);
    const { id } = await planned(own, prices(12, back, newer));
    await applied(own, id);
    await own.accepted('PUT', `/merchant-skus/${newer}/price`, { price: 14 });
    const agent = await withKey(own, { scopes: SCOPE.price | SCOPE.read });
    const { status, body } = await agent.send('POST', `/plans/${id}/undo`);
    const { file, ...undone } = body as { file: FileRecord };
    assert.deepEqual(
      [status, undone],
      [200, { offers: 1, skipped: 1, skipped_skus: [{ sku: newer, reason: 'changed_since' }] }],
    );
    await finished(own, file.marketplace_file_id);
    assert.deepEqual([await priceOf(own, back), await priceOf(own, newer)], [10, 14]);
  });

  refuses('PLAN-03', 'a plan that was not applied, and a key without its scopes', async (api) => {
    const own = await api.inEnvironment('test');
    const [skuId = ''] = await newOffers(own, 1);
    const { id } = await planned(own, prices(12, skuId));
    const open = refusal('plan_not_applied', 'The plan was not applied, so there is nothing to undo.');
    await own.refused('POST', `/plans/${id}/undo`, undefined, open, 400);
    await applied(own, id);
    const reader = await withKey(own, { scopes: SCOPE.read });
    const missing = refusal('scope_missing', 'This call needs the scope price, which the API key does not have.');
    await reader.refused('POST', `/plans/${id}/undo`, undefined, missing, 403);
  });

  refuses('PLAN-03', 'plans whose bulk file was deleted, before or after they were applied', async (api) => {
    const own = await api.inEnvironment('test');
    const [skuId = ''] = await newOffers(own, 1);
    const dropFile = (id: string) => runSql(own.server.place, `DELETE FROM bulk_file WHERE file_id = '${id}'`);
    const open = await planned(own, prices(12, skuId));
    await dropFile(open.id);
    const gone = refusal('plan_expired', 'The bulk file of the plan was deleted. Make a new plan.');
    await own.refused('POST', `/plans/${open.id}/apply`, undefined, gone, 403);
    const { id } = await planned(own, prices(13, skuId));
    await applied(own, id);
    await dropFile(id);
    const late = 'The bulk file of the plan was deleted, so the plan cannot be undone.';
    await own.refused('POST', `/plans/${id}/undo`, undefined, refusal('change_not_undoable', late), 400);
    own.server.passTime(61 * MINUTE_MS);
    for (const [method, path] of [
      ['POST', `/plans/${id}/apply`],
      ['GET', `/plans/${id}`],
    ] as const) {
      const { state, file } = (await own.send(method, path)).body as PlanBody;
      assert.deepEqual([state, file], ['applied', undefined]);
    }
    assert.equal(await priceOf(own, skuId), 13);
  });

  accepts('PLAN-04', 'a plan beyond the guard rails of its key, once a user has approved it', async (api) => {
    const own = await api.inEnvironment('test');
    const skuIds = await newOffers(own, 2);
    const agent = await withKey(own, { planLimits: { offersMax: 1, percentMax: 10, hours: null } });
    const small = await planned(agent, prices(10.5, skuIds[0] ?? ''));
    assert.deepEqual([small.state, small.needs_approval], ['planned', []]);
    const large = await planned(agent, prices(12, ...skuIds));
    assert.deepEqual([large.state, large.needs_approval], ['awaiting_approval', ['offers', 'price_change']]);
    await agent.refused('POST', `/plans/${large.id}/apply`, undefined, NEEDS_APPROVAL, 403);
    const only = refusal(
      'plan_required',
      'The API key has limits for plans, so it changes offers only with plans. Use POST /plans.',
    );
    const price = `/merchant-skus/${skuIds[0]}/price`;
    await agent.refused('PUT', price, { price: 99 }, only, 403);
    await agent.refused('POST', `/files/${UNKNOWN_ID}/undo`, undefined, only, 403);
    assert.equal((await agent.send('PUT', `${price}?dry_run=true`, { price: 99 })).status, 200);
    const portal = await PortalBrowser.merchantOf(own.server.url);
    const { body } = await portal.post(`/test/plans/${large.id}/approve`);
    const { state, decided_by } = body as PlanBody;
    assert.deepEqual([state, decided_by], ['planned', DEMO_PEOPLE.merchant]);
    assert.equal((await portal.post(`/test/plans/${large.id}/refuse`)).status, 400);
    assert.equal((await applied(agent, large.id)).state, 'applied');
    assert.equal(await priceOf(own, skuIds[1] ?? ''), 12);
  });

  refuses('PLAN-04', 'a plan that a user refused, and plans outside the hours of the key', async (api) => {
    const own = await api.inEnvironment('test');
    const [skuId = ''] = await newOffers(own, 1);
    const plan = await planned(own, prices(12, skuId));
    const portal = await PortalBrowser.merchantOf(own.server.url);
    assert.equal((await portal.post(`/test/plans/${plan.id}/refuse`)).status, 200);
    const refused = refusal('plan_refused', 'A user of the merchant refused the plan.');
    await own.refused('POST', `/plans/${plan.id}/apply`, undefined, refused, 403);
    // The clock of the server may be some hours ahead.
    const hour = new Date().getUTCHours();
    const at = (later: number) => String((hour + later) % 24).padStart(2, '0');
    const agent = await withKey(own, { planLimits: { offersMax: null, percentMax: null, hours: `${at(6)}-${at(7)}` } });
    const late = await planned(agent, prices(12, skuId));
    assert.deepEqual(late.needs_approval, ['hours']);
    await agent.refused('POST', `/plans/${late.id}/apply`, undefined, NEEDS_APPROVAL, 403);
  });

  refuses('PLAN-05', 'many plans at once, and plans while a file is processed', async (api) => {
    const own = await api.inEnvironment('test');
    const [skuId = ''] = await newOffers(own, 1);
    const answers = await Promise.all(Array.from({ length: 30 }, () => own.send('POST', '/plans', prices(12, skuId))));
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
    const refused = answers.find(({ status }) => status === 429);
    assert.ok(refused);
    const text = 'Another plan of this account is being made, or it has made 100 plans in the last hour. Retry later.';
    assertProblems(refused, refusal('plans_too_many', text), 429);
    const fileId = await sendFile(own, 'Price', { [skuId]: { price: 11 } });
    await finished(own, fileId);
    assert.equal((await planned(own, prices(12, skuId))).state, 'planned');
  });

  refuses('PLAN-05', 'a plan that cannot be stored, and keeps no file of it', async (api) => {
    const own = await api.inEnvironment('test');
    const [skuId = ''] = await newOffers(own, 1);
    const { place } = own.server;
    const files = async () => (await runSql(place, 'SELECT file_id FROM bulk_file')).toSorted();
    const before = await files();
    await runSql(place, 'ALTER TABLE plan RENAME COLUMN offers TO offers_away');
    const { status } = await own.send('POST', '/plans', prices(12, skuId));
    await runSql(place, 'ALTER TABLE plan RENAME COLUMN offers_away TO offers');
    assert.ok(status >= 500, String(status));
    assert.deepEqual(await files(), before);
    await applied(own, (await planned(own, prices(12, skuId))).id);
    assert.equal(await priceOf(own, skuId), 12);
  });
});
