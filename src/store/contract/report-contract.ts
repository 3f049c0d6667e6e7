/** Contract tests for reports: how they are requested and finished, and which lines they contain. */

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Fingerprint, Report, ReportRow } from '../../domain/bulk-files.ts';
import { NO_EVIDENCE } from '../../domain/review/facts.ts';
import { REPORT_KIND } from '../port/files.ts';
import type { Store } from '../port.ts';
import { dueIds, review, takeAnnounced, untilAnnounced } from './due-offers.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from './put-parts.ts';
import {
  type ClearedStores,
  documentOf,
  LATER_MS,
  NOW_MS,
  newAccountId,
  newMerchant,
  uploadedSkus,
} from './subject.ts';

export function reportContract(store: () => Store, emptied: ClearedStores): void {
  describe('reports', () => {
    test('are requested, created and read by their account', async () => {
      const report = newReport();
      const { accountId, reportId } = report;
      assert.equal(await store().reports.readReport(accountId, reportId), undefined);
      assert.equal(
        await store().reports.addReport({ accountId, reportId, type: 'ProductStatus' }, NOW_MS, 1),
        'stored',
      );
      assert.deepEqual(await store().reports.readReport(accountId, reportId), report);
      assert.equal(await store().reports.readReport(newAccountId(), reportId), undefined);
      assert.equal(await store().reports.endReport(report, 'Ready', 2 ** 33, LATER_MS), 'stored');
      const ready = { ...report, status: 'Ready', bytes: 2 ** 33, endedMs: LATER_MS };
      assert.deepEqual(await store().reports.readReport(accountId, reportId), ready);
      assert.equal(await store().reports.endReport(report, 'Failed', 0, LATER_MS + 1), 'repeated');
      assert.deepEqual(await store().reports.readReport(accountId, reportId), ready, 'it was already finished');
      assert.equal(await store().reports.endReport(newReport(), 'Failed', 0, LATER_MS), 'gone');
    });

    test('keep their format and cursor', async () => {
      const fields = { type: 'Storefront', format: 'google-xml', feedCursor: '0123456789ab-7-0' } as const;
      const report = { ...newReport(), ...fields };
      assert.equal(await store().reports.addReport(report, NOW_MS, 1), 'stored');
      assert.deepEqual(await store().reports.readReport(report.accountId, report.reportId), report);
      assert.deepEqual(await store().reports.listRequestedReports(report.accountId, 1), [report]);
    });

    test('are requested once by a repeated call, and keep their result', async () => {
      const report = newReport();
      const { accountId, reportId } = report;
      assert.equal(
        await store().reports.addReport({ accountId, reportId, type: 'ProductStatus' }, NOW_MS, 2),
        'stored',
      );
      assert.equal(await store().reports.endReport(report, 'Ready', 5, LATER_MS), 'stored');
      assert.equal(
        await store().reports.addReport({ accountId, reportId, type: 'ProductStatus' }, LATER_MS, 2),
        'stored',
      );
      const ready = { ...report, status: 'Ready', bytes: 5, endedMs: LATER_MS };
      assert.deepEqual(await store().reports.readReport(accountId, reportId), ready);
    });

    test('wait in the order of their requests, up to a limit', async () => {
      const accountId = newAccountId();
      const add = (report: Report) =>
        store().reports.addReport(
          { accountId, reportId: report.reportId, type: 'ProductStatus' },
          report.requestedMs,
          3,
        );
      const reports = [3, 1, 2].map((order) => ({ ...newReport(accountId), requestedMs: NOW_MS + order }));
      for (const report of reports) assert.equal(await add(report), 'stored');
      const tooMany = newReport(accountId);
      assert.equal(await add(tooMany), 'too_many');
      assert.equal(await store().reports.readReport(accountId, tooMany.reportId), undefined);
      assert.equal(
        await store().reports.addReport(
          { accountId: newAccountId(), reportId: randomUUID(), type: 'ProductStatus' },
          NOW_MS,
          1,
        ),
        'stored',
        'of another account',
      );
      const [third, first, second] = reports;
      assert.ok(first !== undefined);
      assert.deepEqual(await store().reports.listRequestedReports(accountId, 10), [first, second, third]);
      assert.deepEqual(await store().reports.listRequestedReports(accountId, 2), [first, second]);
      await store().reports.endReport(first, 'Failed', 0, LATER_MS);
      assert.deepEqual(await store().reports.listRequestedReports(accountId, 10), [second, third]);
      assert.equal(await add(tooMany), 'stored');
    });

    test('do not exceed the limit when requested concurrently', async () => {
      const accountId = newAccountId();
      const outcomes = await Promise.all(
        [1, 2, 3, 4].map(() =>
          store().reports.addReport({ accountId, reportId: randomUUID(), type: 'ProductStatus' }, NOW_MS, 2),
        ),
      );
      assert.deepEqual(outcomes.toSorted(), ['stored', 'stored', 'too_many', 'too_many']);
    });

    test('are announced, and again if the announcement was lost', async () => {
      const own = await emptied.openOne();
      const [report, ended] = [newReport(), newReport()];
      for (const { accountId, reportId } of [report, ended])
        await own.reports.addReport({ accountId, reportId, type: 'ProductStatus' }, NOW_MS, 1);
      // Takes the work announced for both reports.
      await untilAnnounced(own, ended.accountId, REPORT_KIND);
      await own.reports.endReport(ended, 'Ready', 1, LATER_MS);
      await own.review.announceForgotten();
      assert.deepEqual(await takeAnnounced(own, REPORT_KIND), [report.accountId]);
    });

    test('are dropped when they expire and when they are discarded', async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const reports = [1, 2].map((order) => ({ ...newReport(), requestedMs: NOW_MS + order }));
      for (const { accountId, reportId, requestedMs } of reports) {
        await own.reports.addReport({ accountId, reportId, type: 'ProductStatus' }, requestedMs, 1);
      }
      const [first, second] = reports;
      assert.ok(first !== undefined && second !== undefined);
      const kept = ({ accountId, reportId }: Report) => ({ kind: 'report', accountId, id: reportId }) as const;
      assert.deepEqual(await own.files.listKeptBefore(NOW_MS + 1, 0, 10), []);
      assert.deepEqual(await own.files.listKeptBefore(NOW_MS + 2, 0, 10), [kept(first)]);
      assert.equal((await own.files.listKeptBefore(LATER_MS, 0, 1)).length, 1);
      await own.files.dropKept({ ...kept(first), accountId: second.accountId });
      assert.deepEqual(await own.reports.readReport(first.accountId, first.reportId), first);
      for (let time = 0; time < 2; time++) await own.files.dropKept(kept(first));
      assert.equal(await own.reports.readReport(first.accountId, first.reportId), undefined);
      assert.deepEqual(await own.files.listKeptBefore(LATER_MS, 0, 10), [kept(second)]);

      await moves.discardFiles(second.accountId);
      await assertDiscarded(own, second);
      const merchant = newMerchant();
      await own.settings.addMerchant(merchant, NOW_MS);
      const { accounts } = (await own.settings.readMerchant(merchant.merchantId)) ?? assert.fail();
      const report = newReport(accounts.live);
      await own.reports.addReport(
        { accountId: report.accountId, reportId: report.reportId, type: 'ProductStatus' },
        NOW_MS,
        1,
      );
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      await assertDiscarded(own, report);
    });
  });

  describe('lines of a report', () => {
    test('contain the stored data of every offer, in order of first upload', async () => {
      const at = await uploadedSkus(store(), ['z', 'full', 'archived', 'plain']);
      const { accountId } = at('');
      await putSku(
        store().offers,
        at('full'),
        JSON.stringify({ product_title: 'Ä "title"\n😀', brand: 'B' }),
        LATER_MS,
      );
      await putSku(store().offers, at('plain'), '{"brand":"without a title"}', NOW_MS);
      await putPrice(store().offers, at('full'), { price: 19.99, nodes: [] }, LATER_MS + 1);
      await patchInventory(store().offers, at('full'), [stock('b', 2)], LATER_MS + 3);
      await patchInventory(store().offers, at('full'), [stock('a', 1)], LATER_MS + 2);
      await putShippingExceptions(store().offers, at('full'), '[{"x":1}]', NOW_MS);
      await patchInventory(store().offers, at('archived'), [stock('n', 5)], NOW_MS);
      await setArchived(store().offers, at('archived'), true, LATER_MS);
      assert.equal((await dueIds(store(), accountId)).length, 4);
      const evidence = {
        images: { 'https://img.example/a.jpg': { verdict: 'passed', width: 600, height: 500 } },
      } as const;
      await review(store(), accountId, { z: evidence, full: evidence, archived: evidence, plain: evidence });
      await putSku(store().offers, at('late'), documentOf(), NOW_MS);

      const reviewed = { status: 'missing', subStatuses: ['Missing price'] } as const;
      const unsent = { price: null, nodes: [], priceUpdatedMs: null, inventoryUpdatedMs: null } as const;
      const advised = { document: documentOf(), evidence, hasShippingException: false } as const;
      const line = { ...advised, ...reviewed, documentUpdatedMs: NOW_MS, ...unsent, upcoming: [] };
      const lines: readonly ReportRow[] = [
        { ...line, skuId: 'z' },
        {
          skuId: 'full',
          document: JSON.stringify({ product_title: 'Ä "title"\n😀', brand: 'B' }),
          evidence,
          hasShippingException: true,
          ...reviewed,
          price: 19.99,
          nodes: [stock('a', 1), stock('b', 2)],
          documentUpdatedMs: LATER_MS,
          priceUpdatedMs: LATER_MS + 1,
          inventoryUpdatedMs: LATER_MS + 3,
          upcoming: [],
        },
        { ...line, skuId: 'archived', nodes: [stock('n', 0)], inventoryUpdatedMs: LATER_MS },
        { ...line, skuId: 'plain', document: '{"brand":"without a title"}' },
        { ...line, skuId: 'late', evidence: NO_EVIDENCE, status: null, subStatuses: [] },
      ];
      assert.deepEqual(await store().reports.readReportRows(accountId, 0, 10), { records: lines, next: undefined });
      assert.deepEqual(await store().reports.readReportRows(accountId, 0, 5), { records: lines, next: undefined });
      for (const limit of [1, 2, 4]) assert.deepEqual(await allPages(store(), accountId, limit), lines, `by ${limit}`);
    });

    test('contain the tags of all parts, null for parts that are not set', async () => {
      const at = await uploadedSkus(store(), ['full', 'child', 'zeroed', 'bare']);
      const { accountId } = at('');
      const nodePrices = [{ fulfillment_node_id: 'n', fulfillment_node_price: 2 }];
      const group = { refinements: '[1]', title: 'T "1"', childrenSkus: ['child'] };
      await putPrice(store().offers, at('full'), { price: 19.9, nodes: nodePrices }, NOW_MS);
      await patchInventory(store().offers, at('full'), [stock('ü', 2), stock('a', 1)], NOW_MS);
      await putShippingExceptions(store().offers, at('full'), '[{"x":1}]', NOW_MS);
      await putReturnLocations(store().offers, at('full'), ['r'], NOW_MS);
      await putGroup(store().offers, at('full'), group, NOW_MS);
      await patchInventory(store().offers, at('zeroed'), [stock('n', 5)], NOW_MS);
      await setArchived(store().offers, at('zeroed'), true, LATER_MS);

      const sha1 = (text: string) => createHash('sha1').update(text).digest('base64url');
      const unset = {
        price: null,
        inventory: null,
        variation: null,
        shipping_exception: null,
        returns_exception: null,
      };
      const bare = { archived: false, sku: sha1(documentOf()), ...unset };
      const lines: readonly Fingerprint[] = [
        {
          skuId: 'full',
          archived: false,
          sku: sha1(documentOf()),
          price: sha1('19.9 [{"fulfillment_node_id":"n","fulfillment_node_price":2}]'),
          inventory: sha1('"a":1,"ü":2,'),
          variation: sha1('[[1],"T \\"1\\"",["child"]]'),
          shipping_exception: sha1('[{"x":1}]'),
          returns_exception: sha1('["r"]'),
        },
        { skuId: 'child', ...bare },
        { skuId: 'zeroed', ...bare, archived: true, inventory: sha1('"n":0,') },
        { skuId: 'bare', ...bare },
      ];
      assert.deepEqual(await store().reports.readFingerprints(accountId, 0, 4), { records: lines, next: undefined });
      const first = await store().reports.readFingerprints(accountId, 0, 3);
      assert.deepEqual(first.records, lines.slice(0, 3));
      const rest = await store().reports.readFingerprints(accountId, first.next ?? assert.fail(), 3);
      assert.deepEqual(rest, { records: lines.slice(3), next: undefined });
    });

    test('contain all parts of every offer, with the last status', async () => {
      const at = await uploadedSkus(store(), ['full', 'child', 'archived']);
      const { accountId } = at('');
      const nodePrices = [{ fulfillment_node_id: 'n', fulfillment_node_price: 2 }];
      const group = { refinements: '[1]', title: null, childrenSkus: ['child'] };
      await patchInventory(store().offers, at('archived'), [stock('n', 5)], NOW_MS);
      await setArchived(store().offers, at('archived'), true, LATER_MS);
      await review(store(), accountId);
      await putPrice(store().offers, at('full'), { price: 19.9, nodes: nodePrices }, LATER_MS);
      await patchInventory(store().offers, at('full'), [stock('ü', 2), stock('a', 1)], NOW_MS);
      await putShippingExceptions(store().offers, at('full'), '[{"x":1}]', NOW_MS);
      await putReturnLocations(store().offers, at('full'), ['r'], NOW_MS);
      await putGroup(store().offers, at('full'), group, NOW_MS);
      await putSku(store().offers, at('late'), documentOf('Late'), NOW_MS);
      const { records, next } = await store().reports.readReportOffers(accountId, 0, 4);
      assert.equal(next, undefined);
      assert.deepEqual(
        records.map(({ skuId, status, subStatuses }) => [skuId, status, subStatuses]),
        [
          ['full', 'missing', ['Missing price']],
          ['child', 'missing', ['Missing price']],
          ['archived', 'missing', ['Missing price']],
          ['late', null, []],
        ],
      );
      for (const { skuId, stored } of records) {
        const whole = (await store().offers.readWholeOffer(at(skuId))) ?? assert.fail();
        const { document, documentTag, archived, clearable, group: ownGroup } = whole;
        assert.deepEqual(stored.offer, { document, documentTag, archived, clearable, group: ownGroup });
        assert.deepEqual(stored.price, typeof whole.price === 'string' ? undefined : whole.price);
        assert.deepEqual(stored.inventory.nodes, whole.inventory.nodes);
      }
      const first = await store().reports.readReportOffers(accountId, 0, 3);
      assert.deepEqual(first.records, records.slice(0, 3));
      const rest = await store().reports.readReportOffers(accountId, first.next ?? assert.fail(), 3);
      assert.deepEqual(rest, { records: records.slice(3), next: undefined });
    });

    test('are empty for an account without offers', async () => {
      assert.deepEqual(await store().reports.readReportOffers(newAccountId(), 0, 10), { records: [], next: undefined });
      assert.deepEqual(await store().reports.readFingerprints(newAccountId(), 0, 10), { records: [], next: undefined });
      assert.deepEqual(await store().reports.readReportRows(newAccountId(), 0, 10), { records: [], next: undefined });
    });
  });
}

function newReport(accountId = newAccountId()): Report {
  return {
    accountId,
    reportId: randomUUID(),
    type: 'ProductStatus',
    format: 'CSV',
    feedCursor: null,
    requestedMs: NOW_MS,
    status: 'Requested',
    endedMs: null,
    bytes: 0,
  };
}

function stock(nodeId: string, quantity: number) {
  return { fulfillment_node_id: nodeId, quantity };
}

async function assertDiscarded(store: Store, report: Report): Promise<void> {
  const { accountId, reportId } = report;
  assert.equal(await store.reports.readReport(accountId, reportId), undefined);
  assert.deepEqual(await store.reports.listRequestedReports(accountId, 10), []);
  assert.equal(await store.reports.endReport(report, 'Ready', 1, LATER_MS), 'gone');
  const kept = { kind: 'report', accountId, id: reportId } as const;
  assert.deepEqual(await store.files.listKeptBefore(1, 0, 10), [kept]);
  await store.files.dropKept(kept);
}

async function allPages(store: Store, accountId: number, limit: number): Promise<ReportRow[]> {
  const lines: ReportRow[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await store.reports.readReportRows(accountId, after, limit);
    assert.equal(page.next === undefined || page.records.length === limit, true);
    lines.push(...page.records);
    after = page.next;
  }
  return lines;
}
