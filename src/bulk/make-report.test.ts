/** Tests the creation of reports. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import type { Fingerprint, Report, ReportOffer, ReportRow } from '../domain/bulk-files.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import { DiskFileStorage } from '../files/disk-file-storage.ts';
import { reportName, StorageFullError } from '../files/file-storage.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import { createReportHandler, reportLine } from './make-report.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
const NAMES = new Names({ ...NEUTRAL_NAMES, reviewStatus: '=Under Review' });
const HEADINGS =
  'sku,title,status,sub_status,price,quantity,node_quantities,sku_last_update,price_last_update,inventory_last_update,advice,upcoming\r\n';

const documentOf = (title: string, fields: object = {}) =>
  JSON.stringify({ product_title: title, bullets: ['B'], main_image_url: 'https://img.example/a.jpg', ...fields });

const row = (fields: Partial<ReportRow> = {}): ReportRow => ({
  skuId: 'MUG-300',
  document: documentOf('Mug'),
  evidence: {},
  hasShippingException: false,
  status: 'available',
  subStatuses: [],
  price: 9.95,
  nodes: [
    { fulfillment_node_id: 'east', quantity: 12 },
    { fulfillment_node_id: 'we"st', quantity: 3 },
  ],
  documentUpdatedMs: NOW_MS,
  priceUpdatedMs: NOW_MS + 1,
  inventoryUpdatedMs: NOW_MS + 2,
  upcoming: [],
  ...fields,
});

const requested = (
  reportId: string,
  type: Report['type'] = 'ProductStatus',
  format: Report['format'] = 'CSV',
): Report => ({
  accountId: 7,
  feedCursor: null,
  reportId,
  type,
  format,
  requestedMs: NOW_MS,
  status: 'Requested',
  endedMs: null,
  bytes: 0,
});

const fingerprint = (skuId: string): Fingerprint => ({
  skuId,
  archived: skuId === '=x',
  sku: 'a-_',
  price: null,
  inventory: 'b',
  variation: null,
  shipping_exception: 'c',
  returns_exception: null,
});

async function setup(rows: readonly ReportRow[], type?: Report['type'], format?: Report['format']) {
  const folder = await tempFolder();
  const storage = new DiskFileStorage(folder);
  const reports = [requested('aa', type, format), requested('bb')];
  const offers = { pages: [] as readonly (readonly ReportOffer[])[] };
  const ended: unknown[] = [];
  const store = {
    listRequestedReports: async (_accountId: number, limit: number) => reports.slice(0, limit),
    readReportRows: async (_accountId: number, after: number, limit: number) => {
      const records = rows.slice(after, after + limit);
      return { records, next: after + limit < rows.length ? after + limit : undefined };
    },
    readFingerprints: async (_accountId: number, after: number) => {
      const skuIds = ['a', '=x'];
      return { records: skuIds.slice(after, after + 1).map(fingerprint), next: after === 0 ? 1 : undefined };
    },
    readReportOffers: async (_accountId: number, after: number) => {
      const records = offers.pages[after] ?? [];
      return { records, next: after + 1 < offers.pages.length ? after + 1 : undefined };
    },
    endReport: async (report: Report, ...rest: unknown[]) => {
      reports.splice(reports.indexOf(report), 1);
      ended.push([report.reportId, ...rest]);
      return 'stored' as 'stored' | 'repeated' | 'gone';
    },
  };
  const abort = new AbortController();
  const job = { accountId: 7, fence: 1, signal: abort.signal };
  const left = async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes('.'));
  const parts = {
    store,
    storage,
    names: NAMES,
    nowMs: () => NOW_MS,
    onFull: () => ended.push('full'),
    kept: { add: async () => {} },
    exports: undefined as never,
  };
  return { parts, storage, ended, abort, job, left, offers, handle: createReportHandler(parts) };
}

describe('a line of the report', () => {
  it('has all data of an offer', () => {
    assert.equal(
      reportLine(row({ subStatuses: ['Missing price', 'Missing image'], upcoming: [3, 12] }), NAMES),
      'MUG-300,Mug,Available For Purchase,Missing price; Missing image,9.95,15,"{""east"":12,""we\\""st"":3}",' +
        '2026-01-31T09:30:00.000Z,2026-01-31T09:30:00.001Z,2026-01-31T09:30:00.002Z,,3; 12\r\n',
    );
  });

  it('has empty cells for missing data, and the review status before the first review', () => {
    const bare = row({ status: null, price: null, nodes: [], priceUpdatedMs: null, inventoryUpdatedMs: null });
    assert.equal(reportLine(bare, NAMES), "MUG-300,Mug,'=Under Review,,,0,{},2026-01-31T09:30:00.000Z,,,,\r\n");
  });

  it('names each kind of advice once, from the data of the last review', () => {
    const [main, side] = ['https://img.example/a.jpg', 'https://img.example/b.jpg'];
    const small = { verdict: 'passed', width: 900, height: 600 } as const;
    const alternate_images = [{ image_slot_id: 1, image_url: side }];
    const document = documentOf('Mug', { bullets: undefined, shipping_weight_pounds: 151, alternate_images });
    const advised = { document, evidence: { images: { [main]: small, [side]: small } } };
    const adviceIn = (fields: Partial<ReportRow>) => reportLine(row(fields), NAMES).split(',').at(-2);
    assert.equal(adviceIn(advised), 'bullets_missing; image_below_recommended; freight_without_exception');
    assert.equal(adviceIn({ ...advised, hasShippingException: true }), 'bullets_missing; image_below_recommended');
  });

  it('is never a formula, whatever merchants write', () => {
    const line = reportLine(row({ skuId: '=1+1', document: documentOf('@x, "y"') }), NAMES);
    assert.ok(line.startsWith(`'=1+1,"'@x, ""y""",`), line);
  });
});

describe('creating reports', () => {
  it('writes all offers, over several pages, one report at a time', async () => {
    const rows = Array.from({ length: 501 }, (_, number) => row({ skuId: `sku-${number}` }));
    const { storage, ended, job, left, handle } = await setup(rows);
    assert.equal(await handle(job), 0);
    const csv = await text(storage.read(reportName(requested('aa'))));
    assert.equal(csv, HEADINGS + rows.map((one) => reportLine(one, NAMES)).join(''));
    assert.deepEqual(ended, [['aa', 'Ready', Buffer.byteLength(csv), NOW_MS]]);
    assert.equal(await handle(job), 0);
    assert.equal(await handle(job), undefined);
    assert.deepEqual((await left()).toSorted(), ['7/aa.csv', '7/bb.csv']);
  });

  it('writes the hashes of all offers, over several pages', async () => {
    const { storage, job, handle } = await setup([], 'Fingerprints');
    assert.equal(await handle(job), 0);
    assert.equal(
      await text(storage.read(reportName(requested('aa')))),
      'sku,archived,sku_hash,price_hash,inventory_hash,variation_hash,shipping_exception_hash,returns_exception_hash\r\n' +
        "a,false,a-_,,b,,c,\r\n'=x,true,a-_,,b,,c,\r\n",
    );
  });

  const offer = (skuId: string, change: Partial<ReportOffer['stored']['offer']> = {}, nodes = 1): ReportOffer => ({
    skuId,
    status: 'available',
    subStatuses: ['Missing price', 'Missing image'],
    stored: {
      offer: {
        document: '{"product_title":"=Mug","prop_65":false,"bullets":["a","b"]}',
        documentTag: '',
        archived: false,
        clearable: { shipping_exception: null, returns_exception: null },
        group: null,
        ...change,
      },
      price: { price: 5, nodes: [], updatedMs: 1 },
      inventory: {
        nodes: Array.from({ length: nodes }, (_, at) => ({
          fulfillment_node_id: `n${at}`,
          quantity: at,
          updatedMs: 1,
        })),
        stampMs: null,
      },
    },
  });
  const exceptions = JSON.stringify([
    { fulfillment_node_id: 'n', shipping_exceptions: [{ service_level: 'x' }, { service_level: 'y' }] },
  ]);
  const full = offer('b', {
    archived: true,
    clearable: { shipping_exception: exceptions, returns_exception: '["r"]' },
    group: { refinements: '[1]', title: 'T', childrenSkus: ['c', 'd'] },
  });

  it('writes whole offers as NDJSON, over several pages', async () => {
    const { storage, job, offers, handle } = await setup([], 'Offers', 'NDJSON');
    offers.pages = [[offer('a')], [full]];
    assert.equal(await handle(job), 0);
    const lines = (await text(storage.read(reportName(requested('aa'))))).trimEnd().split('\n');
    const common = {
      status: 'Available For Purchase',
      sub_status: ['Missing price', 'Missing image'],
      sku: { product_title: '=Mug', prop_65: false, bullets: ['a', 'b'] },
      price: { price: 5, fulfillment_nodes: [] },
      inventory: { fulfillment_nodes: [{ fulfillment_node_id: 'n0', quantity: 0 }] },
    };
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [
        { merchant_sku: 'a', is_archived: false, ...common },
        {
          merchant_sku: 'b',
          is_archived: true,
          ...common,
          variation: {
            relationship: 'Variation',
            variation_refinements: [1],
            children_skus: ['c', 'd'],
            group_title: 'T',
          },
          shipping_exception: { fulfillment_nodes: JSON.parse(exceptions) },
          returns_exception: { return_location_ids: ['r'] },
        },
      ],
    );
  });

  it('writes whole offers as CSV, with the columns that any offer needs', async () => {
    const { storage, job, offers, handle } = await setup([], 'Offers');
    offers.pages = [[offer('a')], [full]];
    assert.equal(await handle(job), 0);
    const [header, ...lines] = (await text(storage.read(reportName(requested('aa'))))).split('\r\n');
    assert.deepEqual(header?.split(','), [
      ...['sku', 'is_archived', 'status', 'sub_status', 'product_title', 'bullet_1', 'bullet_2', 'prop_65', 'price'],
      ...['stock_1_node_id', 'stock_1_quantity', 'relationship', 'refinement_1', 'child_sku_1', 'child_sku_2'],
      'group_title',
      ...['exception_1_node_id', 'exception_1_service_level', 'exception_2_node_id', 'exception_2_service_level'],
      'return_location_1',
    ]);
    const common = "Available For Purchase,Missing price; Missing image,'=Mug,a,b,false,5,n0,0";
    assert.deepEqual(lines, [`a,false,${common},,,,,,,,,,`, `b,true,${common},Variation,1,c,d,T,n,x,n,y,r`, '']);
  });

  it('starts again with more columns if an offer gets one meanwhile, and leaves out a list with too many entries', async () => {
    const { parts, storage, job, offers } = await setup([], 'Offers');
    offers.pages = [[offer('a')], [offer('b')]];
    let reads = 0;
    const store = {
      ...parts.store,
      readReportOffers: (accountId: number, after: number) => {
        if (++reads === 4) offers.pages = [[offer('a')], [offer('b', {}, 2), offer('c', {}, 1_001)]];
        return parts.store.readReportOffers(accountId, after);
      },
    };
    assert.equal(await createReportHandler({ ...parts, store })(job), 0);
    const lines = (await text(storage.read(reportName(requested('aa'))))).split('\r\n');
    assert.ok(lines[0]?.endsWith(',stock_1_node_id,stock_1_quantity,stock_2_node_id,stock_2_quantity'), lines[0]);
    assert.deepEqual(
      lines.slice(1, 4).map((line) => line.split(',').slice(-5).join()),
      ['5,n0,0,,', '5,n0,0,n1,1', '5,,,,'],
    );
  });

  it('writes only the headings without offers', async () => {
    const { storage, job, handle } = await setup([]);
    await handle(job);
    assert.equal(await text(storage.read(reportName(requested('aa')))), HEADINGS);
  });

  it('uses a report that another process created but could not record', async () => {
    const { storage, ended, job, handle } = await setup([row()]);
    await storage.append(reportName(requested('aa')), 0, Buffer.from('made before'));
    await handle(job);
    assert.deepEqual(ended, [['aa', 'Ready', 11, NOW_MS]]);
  });

  for (const [outcome, expected] of [
    ['repeated', ['7/aa.csv']],
    ['gone', []],
  ] as const) {
    it(`leaves ${expected.length === 0 ? 'nothing' : 'the report'} behind if it is ${outcome} meanwhile`, async () => {
      const { parts, job, left } = await setup([row()]);
      const store = { ...parts.store, endReport: async () => outcome };
      assert.equal(await createReportHandler({ ...parts, store })(job), 0);
      assert.deepEqual(await left(), expected);
    });
  }

  it('leaves no file when it is stopped, and starts again', async () => {
    const { parts, ended, abort, job, left, handle } = await setup([row()]);
    abort.abort(new Error('The process stops.'));
    await assert.rejects(handle(job), /The process stops/);
    assert.deepEqual([await left(), ended], [[], []]);
    const again = { ...job, signal: new AbortController().signal };
    assert.equal(await createReportHandler(parts)(again), 0);
    assert.deepEqual(await left(), ['7/aa.csv']);
  });

  it('waits while free disk space is below the minimum, and abandons a report that would use it up', async () => {
    const { parts, ended, job, left, handle } = await setup([row()]);
    const full = new DiskFileStorage(await tempFolder(), Number.MAX_SAFE_INTEGER);
    assert.equal(await createReportHandler({ ...parts, storage: full })(job), 10_000);
    assert.deepEqual([await left(), ended.splice(0)], [[], ['full']]);
    full.hasRoom = async () => true;
    await assert.rejects(createReportHandler({ ...parts, storage: full })(job), StorageFullError);
    assert.deepEqual([await left(), ended.splice(0)], [[], [['aa', 'Failed', 0, NOW_MS]]]);
    assert.equal(await handle(job), 0);
    assert.deepEqual(await left(), ['7/bb.csv']);
  });

  it('waits for a database that is down, and abandons a report that cannot be created', async () => {
    const { parts, ended, job, left } = await setup([row()]);
    for (const [error, expected] of [
      [new StoreUnavailableError('away'), []],
      [new Error('broken'), [['aa', 'Failed', 0, NOW_MS]]],
    ] as const) {
      const store = { ...parts.store, readReportRows: () => Promise.reject(error) };
      await assert.rejects(createReportHandler({ ...parts, store })(job), error);
      assert.deepEqual([await left(), ended], [[], expected]);
    }
  });
});
