/** Tests the portal's offer list: search, filters, sorting, pages and export; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OFFER_SORTS } from '../../src/domain/vocabulary/offer-sorts.ts';
import { newEan, sell } from '../api/fixtures/shop.ts';
import { ApiClient, minimalSku, skuPath } from '../harness/api-client.ts';
import { BulkFiles, type FileRecord } from '../harness/bulk-files.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS } from '../harness/variants.ts';

interface Row {
  readonly sku: string;
  readonly status: string;
  readonly archived: boolean;
  readonly price: number | null;
  readonly quantity: number;
  readonly rank?: { readonly rank: number; readonly of: number };
}

interface Page {
  readonly offers: readonly Row[];
  readonly next: string | null;
}

/** In order of upload. */
const TITLES: Readonly<Record<string, string>> = {
  'POT-1': 'Enamelled pot, red',
  'pot-2': 'Äthiopian cörèal bowl',
  'BOWL/3': 'Bowl of oak',
  'bowl 4': 'bowl of ash, reddish',
  late: 'Zinc spoon',
};

/** Values that a spreadsheet would run or change, or that need quotes. */
const HARD_TO_WRITE = {
  product_title: '=HYPERLINK("https://x.example","mug")',
  standard_product_codes: [
    { standard_product_code_type: 'UPC', standard_product_code: '036000291452' },
    { standard_product_code_type: 'GTIN-14', standard_product_code: '10036000291459' },
  ],
  product_description: ' Two lines,\r\n"quoted".\n',
  mfr_part_number: '1.23E+11',
  bullets: ['-5 degrees', '#N/A'],
  shipping_weight_pounds: 0.5,
  attributes_node_specific: [
    { attribute_id: 7, attribute_value: '007' },
    { attribute_id: 9007199254740993n, attribute_value: '5', attribute_value_unit: 'cm' },
  ],
  alternate_images: [1, 3].map((image_slot_id) => ({
    image_slot_id,
    image_url: `https://x.example/${image_slot_id}.jpg`,
  })),
  prop_65: true,
  fulfillment_time: '5',
  exclude_from_fee_adjustments: -5,
  ships_alone: 'true',
};

for (const variant of VARIANTS) {
  describe(`portal: offers (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let viewer: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant);
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
      for (const [skuId, product_title] of Object.entries(TITLES)) {
        await api.uploadedSku({ product_title, brand: 'Café & Söhne', ...api.newProductCodes() }, skuId);
      }
      await api.accepted('PUT', `${skuPath('POT-1')}/price`, { price: 12.5 });
      await api.accepted('PATCH', `${skuPath('POT-1')}/inventory`, {
        fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 4 }],
      });
      await api.accepted('PUT', `${skuPath('bowl 4')}/status/archive`, { is_archived: true });
      await waitToSee('the review of all', async () => {
        const { offers } = await viewer.found<Page>('GET', '/test/offers?sort=title&q=caf');
        const { offers: available } = await viewer.found<Page>('GET', '/test/offers?status=Available+For+Purchase');
        const { offers: archived } = await viewer.found<Page>('GET', '/test/offers?status=Archived');
        return (offers.length === 5 && available.length === 1 && archived.length === 1) || undefined;
      });
    });
    after(() => api.server.close());

    const skus = async (query: string) =>
      (await viewer.found<Page>('GET', `/test/offers?${query}`)).offers.map(({ sku }) => sku);

    it('a row shows the offer, its status as the API spells it, and its category by name', async () => {
      const { offers, next } = await viewer.found<{ offers: Record<string, unknown>[]; next: unknown }>(
        'GET',
        '/test/offers?q=enam',
      );
      assert.equal(next, null);
      const { updated, ...row } = offers[0] ?? assert.fail('no row');
      assert.match(String(updated), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(row, {
        sku: 'POT-1',
        title: 'Enamelled pot, red',
        brand: 'Café & Söhne',
        image: minimalSku().main_image_url,
        status: 'Available For Purchase',
        sub_status: [],
        category: { id: '1010100', name: 'Cookware' },
        price: 12.5,
        quantity: 4,
        archived: false,
      });
      const [missing] = (await viewer.found<Page>('GET', '/test/offers?q=zinc')).offers;
      assert.deepEqual(
        { ...missing, updated: '' },
        {
          sku: 'late',
          title: 'Zinc spoon',
          brand: 'Café & Söhne',
          image: minimalSku().main_image_url,
          status: 'Missing Listing Data',
          sub_status: ['Missing price'],
          category: { id: '1010100', name: 'Cookware' },
          price: null,
          quantity: 0,
          archived: false,
          updated: '',
        },
      );
    });

    it('searches by word prefixes in title, brand, SKU id and product codes', async () => {
      assert.deepEqual(await skus('q=RED&sort=oldest'), ['POT-1', 'bowl 4']);
      assert.deepEqual(await skus('q=athi'), ['pot-2']);
      assert.deepEqual(await skus('q=C%C3%96REAL'), ['pot-2']);
      assert.deepEqual(await skus('q=bowl+oa'), ['BOWL/3']);
      assert.deepEqual(await skus('q=soh+pot&sort=oldest'), ['POT-1', 'pot-2']);
      assert.deepEqual(await skus('q=bowl%2F3'), ['BOWL/3']);
      assert.deepEqual(await skus('q=owl'), []);
      const sku = (await api.get(skuPath('late'))).body as {
        standard_product_codes: { standard_product_code: string }[];
      };
      const [code] = sku.standard_product_codes;
      assert.deepEqual(await skus(`q=${code?.standard_product_code}`), ['late']);
      assert.deepEqual(await skus('q=---&sort=sku'), await skus('sort=sku'));
    });

    it('filters by status, sub-status, category, stock and archive flag', async () => {
      assert.deepEqual(await skus('status=Archived'), ['bowl 4']);
      assert.deepEqual(await skus('sub_status=Missing+price&sort=oldest&archived=no'), ['pot-2', 'BOWL/3', 'late']);
      assert.deepEqual(await skus('status=Missing+Listing+Data&q=pot'), ['pot-2']);
      assert.equal((await skus('category=1010100')).length, 5);
      assert.deepEqual(await skus('category=77'), []);
      assert.deepEqual(await skus('stock=in'), ['POT-1']);
      assert.deepEqual(await skus('stock=out&archived=yes'), ['bowl 4']);
      assert.deepEqual(await skus('status=Under+Jet+Review'), []);
      assert.deepEqual(await skus('status=&q=&category=&sort=sku'), await skus('sort=sku'));
    });

    it('sorts by upload, SKU id, title, status, price, stock and change', async () => {
      const uploaded = Object.keys(TITLES);
      assert.deepEqual(await skus('sort=oldest'), uploaded);
      assert.deepEqual(await skus(''), uploaded.toReversed());
      assert.deepEqual(await skus('sort=sku'), ['BOWL/3', 'POT-1', 'bowl 4', 'late', 'pot-2']);
      assert.deepEqual(await skus('sort=-sku'), ['pot-2', 'late', 'bowl 4', 'POT-1', 'BOWL/3']);
      assert.deepEqual(await skus('sort=title'), ['pot-2', 'bowl 4', 'BOWL/3', 'POT-1', 'late']);
      assert.deepEqual(await skus('sort=-title'), ['late', 'POT-1', 'BOWL/3', 'bowl 4', 'pot-2']);
      assert.deepEqual(await skus('sort=status'), ['bowl 4', 'POT-1', 'pot-2', 'BOWL/3', 'late']);
      assert.deepEqual(await skus('sort=-status&status=Missing+Listing+Data'), ['late', 'BOWL/3', 'pot-2']);
      assert.deepEqual(await skus('sort=-price'), ['POT-1', 'late', 'bowl 4', 'BOWL/3', 'pot-2']);
      assert.deepEqual(await skus('sort=stock&archived=no'), ['pot-2', 'BOWL/3', 'late', 'POT-1']);
      assert.deepEqual(await skus('sort=-updated'), ['POT-1', 'late', 'bowl 4', 'BOWL/3', 'pot-2']);
    });

    it('paginates in every sort order', async () => {
      for (const sort of OFFER_SORTS) {
        const found: string[] = [];
        let after = '';
        for (let pages = 0; pages < 9; pages++) {
          const query = `sort=${sort}&limit=2${after === '' ? '' : `&after=${after}`}`;
          const { offers, next } = await viewer.found<Page>('GET', `/test/offers?${query}`);
          found.push(...offers.map(({ sku }) => sku));
          if (next === null) break;
          after = next;
        }
        assert.deepEqual(found, await skus(`sort=${sort}`), sort);
      }
    });

    it('continues from the start of an order by value, where a list that is still being sorted begins', async () => {
      for (const [sort, key, order] of [
        ['price', '-2', 0],
        ['-price', String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
      ] as const) {
        const after = Buffer.from(JSON.stringify([sort, key, order])).toString('base64url');
        assert.deepEqual(await skus(`sort=${sort}&after=${after}`), await skus(`sort=${sort}`));
      }
    });

    it('reports all invalid parameters at once', async () => {
      const { next } = await viewer.found<Page>('GET', '/test/offers?sort=sku&limit=1');
      const refused = (query: string, ...messages: string[]) => {
        const problems = messages.map((message) => ['query_invalid', '', message] as const);
        return viewer.refused('GET', `/test/offers?${query}`, undefined, problems);
      };
      await refused('limit=0', 'limit: must be a whole number from 1 to 200.');
      await refused('limit=201', 'limit: must be a whole number from 1 to 200.');
      await refused(
        'sort=size&stock=some&archived=1',
        `sort: must be one of ${OFFER_SORTS.join(', ')}.`,
        'stock: must be one of in, out.',
        'archived: must be one of yes, no.',
      );
      await refused('category=shoes', 'category: must be the id of a category, in digits.');
      await refused(`q=${'a'.repeat(201)}`, 'q: must have at most 200 characters, and no NUL character.');
      await refused('q=%00', 'q: must have at most 200 characters, and no NUL character.');
      await refused('q=%ff', 'q: must be percent-encoded UTF-8.');
      const broken = 'after: must be the `next` value of a page with the same sort order.';
      await refused(`sort=title&after=${next}`, broken);
      await refused('after=x', broken);
      const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
      await refused(`after=${cursor('newest', '', -1)}`, broken);
      await refused(`after=${cursor('newest', 'a\u0000', 1)}`, broken);
      await refused(`after=${cursor('newest', '', 1.5)}`, broken);
      await refused(`after=${cursor('newest', '', 1, 2)}`, broken);
      for (const key of ['', 'x', '1x', 'NaN', ' 1'])
        await refused(`sort=price&after=${cursor('price', key, 1)}`, broken);
      await viewer.found('GET', `/test/offers?q=${'a'.repeat(200)}&limit=200`);
      const [answer] = [await viewer.send('GET', '/test/offers?status=Sold')];
      assert.equal(answer.status, 400);
    });

    it('a new offer is listed immediately, with its status', async () => {
      const live = await api.inEnvironment('live');
      await live.uploadedSku({}, 'fresh');
      const { offers } = await viewer.found<Page>('GET', '/live/offers');
      assert.deepEqual(
        offers.map(({ sku, status }) => ({ sku, status })),
        [{ sku: 'fresh', status: offers[0]?.status }],
      );
      assert.ok(
        ['Missing Listing Data', variant.settings.REVIEW_STATUS ?? 'Under Jet Review'].includes(
          offers[0]?.status ?? '',
        ),
      );
    });

    it('counts the offers that a filter matches', async () => {
      const count = (query: string) => viewer.found('GET', `/test/offers/count?${query}`);
      assert.deepEqual(await count(''), { offers: 5, is_more: false });
      assert.deepEqual(await count('status=Archived'), { offers: 1, is_more: false });
      // The archived offer is not counted.
      assert.deepEqual(await count('sub_status=Missing+price'), { offers: 3, is_more: false });
      assert.deepEqual(await count('q=pot&archived=no'), { offers: 2, is_more: false });
      assert.deepEqual(await count('stock=in'), { offers: 1, is_more: false });
      assert.deepEqual(await count('q=nothing'), { offers: 0, is_more: false });
    });

    it('exports the offers that a filter matches as CSV, in the order of the list', async () => {
      const { status, headers, text } = await viewer.send('GET', '/test/offers/export?q=bowl&sort=title');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
      assert.match(
        headers.get('content-disposition') ?? '',
        /^attachment; filename="offer-list-\d{4}-\d\d-\d\d\.csv"$/,
      );
      const [head, ...lines] = text.trimEnd().split('\r\n');
      assert.equal(
        head?.replace('\uFEFF', ''),
        'sku,title,brand,status,sub_status,category,price,quantity,archived,updated',
      );
      assert.deepEqual(
        lines.map((line) => line.replace(/[^,]*$/, '')),
        [
          'pot-2,Äthiopian cörèal bowl,Café & Söhne,Missing Listing Data,Missing price,Cookware,,0,no,',
          'bowl 4,"bowl of ash, reddish",Café & Söhne,Archived,Missing price,Cookware,,0,yes,',
          'BOWL/3,Bowl of oak,Café & Söhne,Missing Listing Data,Missing price,Cookware,,0,no,',
        ],
      );
      assert.equal((await viewer.send('GET', '/test/offers/export?sort=none')).status, 400);
    });

    it('exports sheets of offers, prices, stock and archive flags; uploading them again changes nothing', async () => {
      const brand = 'Roundtrip';
      const node = (id: string, rest: object) => ({ fulfillment_node_id: `demo-node-${id}`, ...rest });
      for (const [skuId, fields, price, quantities] of [
        [
          '=rt,1',
          HARD_TO_WRITE,
          { price: 12.5, fulfillment_nodes: [node('west', { fulfillment_node_price: 11 })] },
          [4, 0],
        ],
        [' rt-2 ', { bullets: ["'tis"] }, { price: 8 }, [7]],
        ['rt-3', {}, undefined, []],
        ['rt-archived', {}, { price: 8 }, []],
      ] as const) {
        await api.uploadedSku({ brand, ...api.newProductCodes(), ...fields }, skuId);
        if (price !== undefined) await api.accepted('PUT', `${skuPath(skuId)}/price`, price);
        const nodes = quantities.map((quantity, at) => node(['east', 'west'][at] ?? '', { quantity }));
        if (nodes.length > 0) await api.accepted('PATCH', `${skuPath(skuId)}/inventory`, { fulfillment_nodes: nodes });
      }
      await api.accepted('PUT', `${skuPath('rt-archived')}/status/archive`, { is_archived: true });
      const exported = async (type: string) => {
        const query = `q=${brand}&sort=oldest&file_type=${type}`;
        const { status, text } = await viewer.send('GET', `/test/offers/export?${query}`);
        assert.equal(status, 200, text);
        return text;
      };
      const archive = await waitToSee('the review of all', async () => {
        const text = await exported('Archive');
        return text.split('\r\n').length === 6 ? text : undefined;
      });
      assert.equal(
        archive,
        'sku,is_archived\r\n"\'=rt,1",false\r\n\' rt-2 ,false\r\nrt-3,false\r\nrt-archived,true\r\n',
      );
      assert.equal(
        await exported('Price'),
        'sku,price,node_1_id,node_1_price\r\n"\'=rt,1",12.5,demo-node-west,11\r\n\' rt-2 ,8,,\r\n',
      );
      assert.equal(
        await exported('Inventory'),
        'sku,node_id,quantity\r\n"\'=rt,1",demo-node-east,4\r\n"\'=rt,1",demo-node-west,0\r\n\' rt-2 ,demo-node-east,7\r\n',
      );
      assert.equal(
        (await exported('MerchantSKUs')).split('\r\n')[0],
        'sku,product_title,multipack_quantity,product_code_1,product_code_1_type,product_code_2,product_code_2_type,brand,' +
          'main_image_url,product_description,mfr_part_number,bullet_1,bullet_2,shipping_weight_pounds,category_id,attribute_1_id,' +
          'attribute_1_value,attribute_2_id,attribute_2_value,attribute_2_unit,prop_65,alternate_image_1,alternate_image_3,' +
          'fulfillment_time,exclude_from_fee_adjustments,ships_alone',
      );
      const histories = () =>
        Promise.all(
          ['=rt,1', ' rt-2 ', 'rt-3', 'rt-archived'].map((skuId) => api.foundNow(`${skuPath(skuId)}/history`)),
        );
      const before = await histories();
      const files = new BulkFiles(api.server.url, api.token);
      for (const [type, rows] of Object.entries({ MerchantSKUs: 3, Price: 2, Inventory: 3, Archive: 4 })) {
        const text = await exported(type);
        await files.send(type, text);
        const { status, rows_processed } = await waitToSee('the end of the file', async () => {
          const [file] = (await viewer.found<{ files: FileRecord[] }>('GET', '/test/files')).files;
          return file?.status.startsWith('Processed') ? file : undefined;
        });
        assert.deepEqual(
          { type, status, rows_processed },
          { type, status: 'Processed successfully', rows_processed: rows },
        );
        assert.equal(await exported(type), text);
      }
      assert.deepEqual(await histories(), before);
      assert.equal((await viewer.send('GET', '/test/offers/export?file_type=Variation')).status, 400);
    });

    it('names the parent of the group that has the offer', async () => {
      const attributes_node_specific = [{ attribute_id: 7, attribute_value: 'L' }];
      for (const skuId of ['large', 'small']) {
        await api.uploadedSku({ attributes_node_specific, ...api.newProductCodes() }, skuId);
      }
      const group = { relationship: 'Variation', children_skus: ['small'], variation_refinements: [7] };
      await api.accepted('PUT', `${skuPath('large')}/variation`, group);
      const parentOf = (sku: string) => viewer.found('GET', `/test/offers/${encodeURIComponent(sku)}/group`);
      assert.deepEqual(await parentOf('small'), { parent: 'large' });
      for (const sku of ['large', 'BOWL/3']) assert.deepEqual(await parentOf(sku), { parent: null }, sku);
      const unknown = ['sku_unknown', '', 'SKU never not found.'] as const;
      await viewer.refused('GET', '/test/offers/never/group', undefined, [unknown], 404);
    });

    it('tells which optional parts of an offer are set', async () => {
      await api.uploadedSku(api.newProductCodes(), 'in-parts');
      const parts = () => viewer.found('GET', '/test/offers/in-parts/parts');
      assert.deepEqual(await parts(), { parts: [] });
      await api.accepted('PUT', `${skuPath('in-parts')}/price`, { price: 5 });
      await api.accepted('PUT', `${skuPath('in-parts')}/returnsexception`, {
        return_location_ids: ['demo-returns-east'],
      });
      assert.deepEqual(await parts(), { parts: ['price', 'returns_exception'] });
      const unknown = ['sku_unknown', '', 'SKU never not found.'] as const;
      await viewer.refused('GET', '/test/offers/never/parts', undefined, [unknown], 404);
    });

    it('does not show offers of another merchant', async () => {
      const operator = await PortalClient.signIn(api.server, 'operator');
      await operator.found('POST', '/merchants', { merchant_id: 'other', name: 'The Other' });
      const stranger = await PortalClient.signIn(api.server, 'merchant-admin', 'other');
      for (const query of ['', 'q=pot', 'status=Archived', 'category=1010100', 'sort=title', 'sort=sku']) {
        assert.deepEqual(await stranger.found('GET', `/test/offers?${query}`), { offers: [], next: null }, query);
      }
      const { offers } = await viewer.found<Page>('GET', '/test/offers?sort=sku&limit=2');
      const { next } = await viewer.found<Page>('GET', '/test/offers?sort=sku&limit=1');
      assert.equal(offers.length, 2);
      assert.deepEqual(await stranger.found('GET', `/test/offers?sort=sku&after=${next}`), { offers: [], next: null });
      const nothing = { offers: 0, skipped: 0 };
      assert.deepEqual(await stranger.found('POST', '/test/offers/change', { change: 'archive' }), nothing);
      const named = { change: 'archive', skus: ['POT-1'] };
      assert.deepEqual(await stranger.found('POST', '/test/offers/change', named), nothing);
      assert.deepEqual(await stranger.found('GET', '/test/offers/count'), { offers: 0, is_more: false });
      assert.doesNotMatch((await stranger.send('GET', '/test/offers/export')).text, /POT-1/);
      assert.equal((await operator.send('GET', '/test/offers')).status, 403);
    });

    it('a row shows the rank of an offer among those of its product, unless it is the only one', async () => {
      const ean = newEan();
      await sell(api, 'ranked-1', ean, { price: 12 });
      await sell(api, 'ranked-2', ean, { price: 10 });
      await sell(api, 'ranked-3', newEan());
      const shown = await waitToSee('the ranks', async () => {
        const { offers } = await viewer.found<Page>('GET', '/test/offers?q=ranked&sort=sku');
        const rows = offers.map(({ sku, rank }) => [sku, rank] as const);
        return rows.filter(([, rank]) => rank !== undefined).length < 2 || rows.length < 3 ? undefined : rows;
      });
      assert.deepEqual(shown, [
        ['ranked-1', { rank: 2, of: 2 }],
        ['ranked-2', { rank: 1, of: 2 }],
        ['ranked-3', undefined],
      ]);
    });
  });
}
