/**
 * Tests how many statements the review sends per batch, and how many Citus shards they access. One statement per offer, or one
 * that accesses all shards instead of one, would make the review of many accounts exceed the statement timeout.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import type { Account } from '../../src/domain/account.ts';
import { NO_POLICIES } from '../../src/domain/review/policies.ts';
import { GOOD_DOCUMENT, KNOWLEDGE } from '../../src/domain/review/testing/good-offer.ts';
import type { TaggedTaxonomy } from '../../src/domain/taxonomy/tree.ts';
import { PlaceholderList } from '../../src/review/images/placeholder-list.ts';
import { reviewAccount } from '../../src/review/review-account.ts';
import { putSku } from '../../src/store/contract/put-parts.ts';
import { AUTHOR, newAccountId } from '../../src/store/contract/subject.ts';
import type { Store } from '../../src/store/port.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { CITUS_VARIABLE, postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../../src/store/postgres/testing/test-database.ts';

/** Statements on catalog and images, which are distributed by their own keys. All others access the shard of the account. */
const BY_OTHER_KEYS = /\b(?:catalog|catalog_user|image|image_user|image_waiting)\b/;
const STATEMENTS_MAX = 30;
/** Short statements that are sent together, because Citus does not support a LIMIT per code in one statement. */
const OF_EACH_CODE = 'find two users of product';
/**
 * Statements that are not part of a batch: one is sent some time after an upload, the other once a minute per account of a Citus cluster.
 */
const OF_NO_BATCH = ['announce work', 'find worker of account'];

interface Sent {
  readonly name: string;
  readonly text: string;
  readonly values?: unknown[];
}

it('a batch needs as many statements for 40 offers as for 4, and accesses one shard for offers', {
  skip: postgresSkipped(),
}, async (t) => {
  const { url } = await createReadyDatabase();
  const store = await openPostgresStore({ url, ...PATIENCE, splitsWrites: true });
  t.after(() => store.close());
  const sent = recordStatements(t);
  const explained = new Set<string>();
  const accounts = [4, 40].map((offers) => ({ offers, accountId: newAccountId() }));
  // The second brand replaces the catalog's data of each product.
  for (const brand of ['Potter', 'Potter & Sons']) {
    const counts: number[] = [];
    for (const { offers, accountId } of accounts) {
      for (let place = 0; place < offers; place++) {
        const codes = { standard_product_codes: [upc(accountId, place)] };
        const image = { main_image_url: `https://img.example/${accountId}/${place}` };
        const document = JSON.stringify({ ...GOOD_DOCUMENT, ...codes, ...image, brand });
        await putSku(store.offers, { accountId, skuId: `sku-${place}`, by: AUTHOR }, document, Date.now());
      }
      sent.length = 0;
      await review(store, accountId);
      const statements = sent.filter(({ name }) => name !== OF_EACH_CODE);
      counts.push(statements.length);
      if (process.env[CITUS_VARIABLE]) {
        for (const one of [...sent]) {
          if (explained.has(one.name)) continue;
          explained.add(one.name);
          t.diagnostic(await askedShards(url, one));
        }
      }
    }
    const names = Map.groupBy(sent, ({ name }) => name);
    t.diagnostic(`${counts}: ${Array.from(names, ([name, all]) => `${all.length} ${name}`).join(', ')}`);
    assert.ok(counts[0] === counts[1] && Number(counts[0]) <= STATEMENTS_MAX, counts.join(' and '));
  }
});

async function review(store: Store, accountId: number): Promise<void> {
  const account = { ...KNOWLEDGE.account, accountId, environment: 'live' } as unknown as Account;
  const handler = reviewAccount({
    store,
    setup: {
      rules: {
        taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: '' } as unknown as TaggedTaxonomy },
        policies: { current: NO_POLICIES },
        imageCheck: 'on',
        newProductData: [],
        code: '',
      },
      activeRules: { areOwn: true, hold: async () => {} },
      placeholders: () => new PlaceholderList([]),
      account: async () => account,
      follow: async () => {},
    },
    nowMs: () => Date.now(),
    image_recheck_ms: 86_400_000,
    onReviewed: () => {},
    onImagesWanted: () => {},
    slice_ms_max: 600_000,
  });
  await handler({ accountId, fence: 1, signal: new AbortController().signal });
}

/** A valid UPC for each offer. */
function upc(accountId: number, place: number) {
  const body = `${accountId}${place}`.padStart(11, '2');
  const sum = [...body].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return { standard_product_code_type: 'UPC', standard_product_code: `${body}${(10 - (sum % 10)) % 10}` };
}

function recordStatements(t: { after(restore: () => void): void }): Sent[] {
  const sent: Sent[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: [Sent]) {
    const [asked] = args;
    // Inserts of rows have no name; other statements without values start and end transactions.
    if (asked.values !== undefined) {
      const { name = asked.text.split(' VALUES ', 1)[0] ?? '' } = asked;
      if (!OF_NO_BATCH.includes(name)) sent.push({ ...asked, name });
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as never;
  t.after(() => {
    pg.Client.prototype.query = query;
  });
  return sent;
}

/** Fails if a statement on offers accesses more than one shard. */
async function askedShards(url: string, { name, text, values = [] }: Sent): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: `EXPLAIN (COSTS OFF) ${text}`, values, rowMode: 'array' });
    const plan = rows.map(([line]) => line).join('\n');
    const tasks = Math.max(0, ...Array.from(plan.matchAll(/Task Count: (\d+)/g), ([, count]) => Number(count)));
    assert.ok(tasks <= 1 || BY_OTHER_KEYS.test(text), `"${name}" asks ${tasks} shards:\n${plan}`);
    assert.doesNotMatch(plan, /pull to coordinator/, `"${name}" inserts through files`);
    return `${name}: ${tasks} shards`;
  } finally {
    await client.end();
  }
}
