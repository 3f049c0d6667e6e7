/** Tests that no page of the offer list reads or sorts a whole account: every statement follows an index. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { NO_FILTER, type OfferFilter } from '../../../domain/offers/offer-list.ts';
import { OFFER_SORTS } from '../../../domain/vocabulary/offer-sorts.ts';
import type { Selector, WalkPath } from '../../shared/offer-list/offer-list-walk.ts';
import type { RunPath } from '../../shared/offer-list/sorted-offers.ts';
import type { Connection } from '../engine/connection.ts';
import { openForWriting } from '../engine/engine.ts';
import { migrate } from '../engine/migrations.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { offerListReads } from './offer-list-reads.ts';

const BY_KEY =
  /^SEARCH \w+ USING (?:INTEGER )?PRIMARY KEY|^SEARCH u USING COVERING INDEX upcoming_failure_by_change \(account_id=\? AND announced_id=\? AND sku_id=\?\)|TEMP B-TREE FOR ORDER BY/;
const FIRST = { key: '', order: 0 };
const LAST = { key: 'z', order: 1000 };
const ALL: OfferFilter = {
  words: ['red', 'shirt'],
  status: 'missing',
  subStatus: 'Missing price',
  categoryId: '7',
  inStock: true,
  archived: false,
  upcoming: [3, 4],
};

describe('plans of the list of offers', () => {
  let connection: Connection;

  before(() => {
    connection = openForWriting(join(temporaryDir(), 'plans.db'));
    migrate(connection);
    // Enough rows that a walk stops before the last.
    connection.exec(`
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 30)
      INSERT INTO sku (id, account_id, sku_id, first_upload_ms, inventory_stamp_ms) SELECT n, 1, 's' || n, 1, 1 FROM n;
      INSERT INTO offer_listing SELECT id, 1, 'missing', 8, '7', sku_id, ' red shirt' FROM sku;
    `);
  });

  /** The query plans of the statements that run. */
  const explained = (run: (reads: ReturnType<typeof offerListReads>) => void): readonly string[] => {
    const plans: string[] = [];
    const reads = offerListReads(explaining(connection, plans));
    plans.length = 0;
    run(reads);
    return plans;
  };

  const PATHS: readonly WalkPath[] = [
    'upload',
    'sku',
    'title',
    'statuses',
    'archived',
    'status',
    'category',
    'sub_status',
  ];
  for (const path of PATHS) {
    for (const descending of [false, true]) {
      test(`a walk by ${path}${descending ? ' down' : ''} reads a range of one index`, () => {
        for (const filter of path === 'sub_status' || path === 'status' || path === 'category'
          ? [ALL]
          : [NO_FILTER, ALL]) {
          const request = {
            ...filter,
            path,
            descending,
            after: descending ? LAST : FIRST,
            examined_max: 10,
            limit: 5,
          };
          for (const plan of explained((reads) => reads.walk(1, request))) {
            assert.doesNotMatch(plan, /SCAN (?!CONSTANT)|TEMP B-TREE/, plan);
            const [first = ''] = plan.split('\n');
            assert.match(first, /USING (?:COVERING )?INDEX \w+ \(account_id=\?.*[<>]/, plan);
          }
        }
      });
    }
  }

  for (const path of [
    'upload',
    'archived',
    'words',
    'status',
    'category',
    'sub_status',
  ] as const satisfies readonly RunPath[]) {
    test(`a run by ${path} reads a range of one index, and each offer by id`, () => {
      for (const order of ['price', 'stock', 'updated'] as const) {
        for (const filter of path === 'upload' || path === 'archived' ? [ALL, NO_FILTER] : [ALL, only(path)]) {
          const request = {
            ...filter,
            path,
            order,
            unpriced: -1,
            after: -1,
            examined_max: path === 'words' ? 100 : 10,
          };
          const plans = explained((reads) => reads.readRun(1, request));
          assert.equal(plans.length, 2);
          for (const plan of plans) {
            const [first = '', ...others] = plan
              .split('\n')
              .filter((line) => !/^CO-ROUTINE|SUBQUERY|^SCAN \(?sub/.test(line));
            assert.match(
              first,
              path === 'words'
                ? /^SCAN w VIRTUAL TABLE INDEX/
                : /^SEARCH [ls] USING (?:COVERING )?INDEX \w+ \(account_id=/,
              plan,
            );
            for (const other of others) assert.match(other, BY_KEY, plan);
          }
        }
      }
    });
  }

  const INDEXES: Readonly<Record<Selector, RegExp>> = {
    upcoming: /^SEARCH u USING COVERING INDEX upcoming_failure_by_change .*\nSEARCH s USING COVERING INDEX sku_by_key/,
    words: /^SCAN w VIRTUAL TABLE INDEX/,
    ...Object.fromEntries(
      ['status', 'category', 'sub_status'].map((name) => [
        name,
        /^SEARCH l USING (?:COVERING )?INDEX offer_listing_by_/,
      ]),
    ),
  } as Record<Selector, RegExp>;
  for (const [selector, index] of Object.entries(INDEXES) as [Selector, RegExp][]) {
    test(`offers selected by ${selector} are found by its index, and gathered by id`, () => {
      for (const sort of OFFER_SORTS.slice(0, 8)) {
        for (const filter of [ALL, only(selector)]) {
          const request = { ...filter, selector, sort, after: FIRST, limit: 5, gathered_max: 30 };
          const [selecting = '', gathering = '', ...others] = explained((reads) => reads.gather(1, request));
          assert.deepEqual(others, []);
          assert.match(selecting, index);
          assert.match(gathering, /^SCAN h VIRTUAL TABLE/, gathering);
          assert.doesNotMatch(gathering, /SCAN (?!h)/, gathering);
          assert.match(gathering, /SEARCH s USING INTEGER PRIMARY KEY/, gathering);
        }
      }
    });
  }
});

function only(selector: Selector): OfferFilter {
  const { words, status, categoryId, subStatus, upcoming } = ALL;
  const filters = {
    words: { words },
    status: { status },
    category: { categoryId },
    sub_status: { subStatus },
    upcoming: { upcoming },
  };
  const set = filters[selector];
  return { ...NO_FILTER, ...set };
}

/** Returns a connection that records the query plan of each prepared statement. */
function explaining(connection: Connection, plans: string[]): Connection {
  return new Proxy(connection, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) => {
        const rows = target.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
        plans.push(rows.map(({ detail }) => String(detail)).join('\n'));
        return target.prepare(sql);
      };
    },
  });
}
