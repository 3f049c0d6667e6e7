/** Tests the offers of all merchants for operators: search, review backlog and re-check; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { minimalSku } from '../harness/api-client.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Found {
  readonly merchant: { readonly id: string; readonly name: string; readonly suspended: boolean };
  readonly environment: string;
  readonly sku: string;
  readonly title: string;
  readonly status: string;
}

interface Page {
  readonly exact: readonly Found[];
  readonly offers: readonly Found[];
  readonly next: string | null;
  readonly merchants: number;
  readonly merchants_searched: number;
  readonly accounts_missing: number;
}

interface Backlog {
  readonly due: number;
  readonly oldest_due_seconds: number;
  readonly images: number;
  readonly marking: number;
  readonly accounts_missing: number;
  readonly accounts: readonly unknown[];
}

const MERCHANTS = ['acorn', 'birch'] as const;
const CODE = { standard_product_code_type: 'UPC', standard_product_code: '036000291452' };

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`portal: offers of all merchants (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;

    before(async () => {
      server = await startTestServer({ METRICS_PORT: '0' }, kind);
      operator = await PortalClient.signIn(server, 'operator');
      for (const merchant_id of MERCHANTS) {
        await operator.found('POST', '/merchants', { merchant_id, name: merchant_id.toUpperCase() });
        const admin = await PortalClient.signIn(server, 'merchant-admin', merchant_id);
        for (const environment of ['live', 'test']) {
          const at = `/${environment}/merchant-skus`;
          for (const sku of ['kettle-1', 'kettle-2'])
            await admin.accepted('PUT', `${at}/${sku}`, offer('Steel kettle'));
          await admin.accepted('PUT', `${at}/SKU ${merchant_id}`, offer(`Lamp of ${merchant_id}`));
          const coded = { ...offer('Coded'), ASIN: undefined, standard_product_codes: [CODE] };
          await admin.accepted('PUT', `${at}/coded`, coded);
        }
      }
      // A review is announced after the write that needs it, so the backlog may be empty just before.
      await waitToSee('the first review of all offers', async () => {
        const { offers } = await search(`status=${encodeURIComponent('Missing Listing Data')}`);
        return offers.length === 8 * MERCHANTS.length || undefined;
      });
      await atRest();
    });
    after(() => server.close());

    let asins = 0;
    function offer(title: string): Record<string, unknown> {
      const ASIN = `B${String(asins++).padStart(9, '0')}`;
      return { ...minimalSku(), product_title: title, standard_product_codes: undefined, ASIN };
    }

    const readPage = (query: string) => operator.found<Page>('GET', `/offers?${query}`);

    /** Returns all pages as one. On a busy machine a page may end early, or miss an account whose database does not respond in time. */
    const search = (query: string) =>
      waitToSee(`offers of all accounts for ${query}`, async (): Promise<Page | undefined> => {
        const first = await readPage(query);
        const pages = [first];
        for (let last = first; last.next !== null; pages.push(last)) {
          last = await readPage(`${query}&after=${last.next}`);
        }
        if (pages.some(({ accounts_missing: missing }) => missing > 0)) return undefined;
        return { ...(pages.at(-1) ?? first), offers: pages.flatMap(({ offers }) => offers), exact: first.exact };
      });

    const backlog = () => operator.found<Backlog>('GET', '/review-backlog');
    const keys = (offers: readonly Found[]) =>
      offers.map(({ merchant, environment, sku }) => `${merchant.id} ${environment} ${sku}`);

    async function atRest(): Promise<void> {
      await waitToSee('the end of the review', async () => {
        const { due, marking, accounts_missing: missing } = await backlog();
        return (due === 0 && marking === 0 && missing === 0) || undefined;
      });
    }

    /** Returns the number of verdicts since the start. */
    async function reviewed(): Promise<number> {
      const page = await (await fetch(server.metricsUrl ?? '')).text();
      return page
        .matchAll(/^offerbook_review_verdicts_total\{.*\} (\d+)$/gm)
        .reduce((sum, [, n]) => sum + Number(n), 0);
    }

    /** Returns how many offers were re-reviewed. */
    async function rechecked(query: string): Promise<number> {
      const before = await reviewed();
      await operator.accepted('POST', `/offers/recheck?${query}`);
      await atRest();
      return (await reviewed()) - before;
    }

    it('words find offers of all merchants, by merchant, live before test', async () => {
      const page = await search('q=kettle');
      assert.deepEqual(keys(page.offers), [
        ...['acorn live kettle-2', 'acorn live kettle-1', 'acorn test kettle-2', 'acorn test kettle-1'],
        ...['birch live kettle-2', 'birch live kettle-1', 'birch test kettle-2', 'birch test kettle-1'],
      ]);
      const { merchant, title } = page.offers[0] ?? assert.fail();
      assert.deepEqual([merchant, title], [{ id: 'acorn', name: 'ACORN', suspended: false }, 'Steel kettle']);
      const { next, merchants, merchants_searched, accounts_missing, exact } = page;
      assert.deepEqual([next, merchants, merchants_searched, accounts_missing, exact], [null, 3, 3, 0, []]);
    });

    it('pages continue where the one before ended, and say how far the search is', async () => {
      const all: string[] = [];
      let after = '';
      let searched = 0;
      do {
        const page = await readPage(`q=kettle&limit=1&environment=live${after}`);
        assert.ok(page.offers.length <= 1 && page.merchants_searched >= searched);
        all.push(...keys(page.offers));
        searched = page.merchants_searched;
        after = page.next === null ? '' : `&after=${page.next}`;
      } while (after !== '');
      assert.deepEqual(
        all,
        ['acorn', 'birch'].flatMap((id) => [`${id} live kettle-2`, `${id} live kettle-1`]),
      );
      assert.equal(searched, 3);
      const page = await search(`q=kettle&merchant=birch&after=${cursor('acorn', 'live', 1)}`);
      assert.equal(page.offers.length, 4, 'a place before all accounts searches them from the start');
      assert.deepEqual((await search(`q=kettle&after=${cursor('zebra', 'live', null)}`)).offers, []);
    });

    it('filters narrow the search to a merchant, an environment and a status', async () => {
      assert.deepEqual(keys((await search('merchant=birch&environment=test&q=lamp')).offers), ['birch test SKU birch']);
      assert.equal((await search('merchant=birch&environment=live')).offers.length, 4);
      const missing = await search(`status=${encodeURIComponent('Missing Listing Data')}&environment=live`);
      assert.equal(missing.offers.length, 8, 'all lack a price');
      assert.deepEqual((await search('archived=yes')).offers, []);
    });

    it('an exact SKU id or product code is listed first', async () => {
      const bySku = await search('q=SKU%20birch&limit=1');
      assert.deepEqual(keys(bySku.exact), ['birch live SKU birch', 'birch test SKU birch']);
      const byCode = await search(`q=${CODE.standard_product_code}&limit=1`);
      assert.deepEqual(
        keys(byCode.exact).toSorted(),
        MERCHANTS.flatMap((id) => [`${id} live coded`, `${id} test coded`]),
      );
      assert.deepEqual(keys((await search(`q=0${CODE.standard_product_code}&merchant=acorn&environment=live`)).exact), [
        'acorn live coded',
      ]);
      assert.deepEqual(keys(bySku.offers), keys(bySku.exact), 'and again in the order of merchants');
      assert.deepEqual((await readPage(`q=SKU%20birch&after=${cursor('acorn', 'live', null)}`)).exact, []);
      assert.deepEqual((await search('q=coded&stock=in')).exact, [], 'not with another filter');
    });

    it('a suspended merchant is searched, and its offers say so', async () => {
      await operator.accepted('POST', '/merchants/acorn/suspend');
      const { offers } = await search('q=lamp&environment=live');
      assert.deepEqual(
        offers.map(({ merchant }) => merchant.suspended),
        [true, false],
      );
      await operator.accepted('POST', '/merchants/acorn/resume');
    });

    it('the matches of a filter are re-reviewed, of one merchant or all, and the activity log has the request', async () => {
      assert.equal(await rechecked('merchant=acorn&environment=live&q=kettle'), 2);
      assert.equal(await rechecked('merchant=acorn&q=kettle'), 4);
      assert.equal(await rechecked('q=lamp'), 4);
      assert.equal(await rechecked('environment=test&q=kettle'), 4);
      assert.equal(await rechecked('q=nothing'), 0);
      assert.equal(await rechecked('merchant=birch&environment=live'), 4);
      assert.equal(await rechecked('environment=live'), 8);
      assert.equal(await rechecked(''), 16);
      const { acts } = await operator.found<{ acts: Record<string, string>[] }>('GET', '/acts?limit=8');
      assert.deepEqual(
        acts.map(({ act, subject, detail }) => [act, subject, detail]),
        [
          ['recheckOffers', 'all merchants', 'all offers'],
          ['recheckOffers', 'all merchants', 'environment: live'],
          ['recheckOffers', 'birch', 'environment: live'],
          ['recheckOffers', 'all merchants', 'q: nothing'],
          ['recheckOffers', 'all merchants', 'environment: test, q: kettle'],
          ['recheckOffers', 'all merchants', 'q: lamp'],
          ['recheckOffers', 'acorn', 'q: kettle'],
          ['recheckOffers', 'acorn', 'environment: live, q: kettle'],
        ],
      );
    });

    it('one offer is re-reviewed', async () => {
      assert.equal(await rechecked('merchant=acorn&environment=live&sku=kettle-1'), 1);
      await operator.refused(
        'POST',
        '/offers/recheck?merchant=acorn&environment=live&sku=none',
        undefined,
        [['sku_unknown', '', 'SKU none not found.']],
        404,
      );
    });

    it('the backlog is empty at rest', async () => {
      const { due, oldest_due_seconds, images, marking, accounts } = await backlog();
      assert.deepEqual([due, oldest_due_seconds, images, marking, accounts], [0, 0, 0, 0, []]);
    });

    it('invalid queries and unknown merchants are refused', async () => {
      const unknown = [['merchant_unknown', '', 'No merchant "nobody".']] as const;
      await operator.refused('GET', '/offers?merchant=nobody', undefined, unknown, 404);
      await operator.refused('POST', '/offers/recheck?merchant=nobody', undefined, unknown, 404);
      await operator.refused('POST', '/offers/recheck?sku=a', undefined, [
        ['query_invalid', '', 'sku: needs merchant and environment as well.'],
      ]);
      await operator.refused('GET', '/offers?environment=both&limit=0&merchant=%00', undefined, [
        ['query_invalid', '', 'merchant: must not contain NUL characters or unpaired surrogates.'],
        ['query_invalid', '', 'environment: must be one of test, live.'],
        ['query_invalid', '', 'limit: must be a whole number from 1 to 200.'],
      ]);
      const wrong = [['query_invalid', '', 'after: must be the `next` value of a page.']] as const;
      for (const after of [
        'x',
        cursor('a', 'both', 1),
        cursor('a', 'live', -1),
        cursor(1, 'live', 1),
        cursor('a\0', 'live', 1),
      ]) {
        await operator.refused('GET', `/offers?after=${after}`, undefined, wrong);
      }
    });

    function cursor(...parts: readonly unknown[]): string {
      return Buffer.from(JSON.stringify(parts)).toString('base64url');
    }
  });
}
