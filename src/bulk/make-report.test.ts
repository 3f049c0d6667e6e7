/** Tests the creation of reports. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import type { Fingerprint, Report, ReportRow } from '../domain/bulk-files.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import { DiskFileStorage } from '../files/disk-file-storage.ts';
import { reportName, StorageFullError } from '../files/file-storage.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import { createReportHandler, reportLine } from './make-report.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 9, 30);
const NAMES = new Names({ ...NEUTRAL_NAMES, reviewStatus: '=Under Review' });
const HEADINGS =
  'sku,title,status,sub_status,price,quantity,node_quantities,sku_last_update,price_last_update,inventory_last_update,advice\r\n';

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
  ...fields,
});

const requested = (reportId: string, type: Report['type'] = 'ProductStatus'): Report => ({
  accountId: 7,
  reportId,
  type,
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

async function setup(rows: readonly ReportRow[], type?: Report['type']) {
  const folder = await tempFolder();
  const storage = new DiskFileStorage(folder);
  const reports = [requested('aa', type), requested('bb')];
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
  };
  return { parts, storage, ended, abort, job, left, handle: createReportHandler(parts) };
}

describe('a line of the report', () => {
  it('has all data of an offer', () => {
    assert.equal(
      reportLine(row({ subStatuses: ['Missing price', 'Missing image'] }), NAMES),
      'MUG-300,Mug,Available For Purchase,Missing price; Missing image,9.95,15,"{""east"":12,""we\\""st"":3}",' +
        '2026-01-31T09:30:00.000Z,2026-01-31T09:30:00.001Z,2026-01-31T09:30:00.002Z,\r\n',
    );
  });

  it('has empty cells for missing data, and the review status before the first review', () => {
    const bare = row({ status: null, price: null, nodes: [], priceUpdatedMs: null, inventoryUpdatedMs: null });
    assert.equal(reportLine(bare, NAMES), "MUG-300,Mug,'=Under Review,,,0,{},2026-01-31T09:30:00.000Z,,,\r\n");
  });

  it('names each kind of advice once, from the data of the last review', () => {
    const [main, side] = ['https://img.example/a.jpg', 'https://img.example/b.jpg'];
    const small = { verdict: 'passed', width: 900, height: 600 } as const;
    const alternate_images = [{ image_slot_id: 1, image_url: side }];
    const document = documentOf('Mug', { bullets: undefined, shipping_weight_pounds: 151, alternate_images });
    const advised = { document, evidence: { images: { [main]: small, [side]: small } } };
    const adviceIn = (fields: Partial<ReportRow>) => reportLine(row(fields), NAMES).trim().split(',').at(-1);
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
