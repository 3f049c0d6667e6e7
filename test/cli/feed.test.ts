/** Tests `offerbook feed`: all products of the storefront in each format, what is left out, and when no feed is written. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readSettings, SETTINGS } from '../../src/config/settings.ts';
import { LEFT_OUT } from '../../src/domain/storefront/feeds/feed.ts';
import { googleTsv } from '../../src/domain/storefront/feeds/google.ts';
import { generatedProducts } from '../../src/domain/storefront/feeds/testing/generated-products.ts';
import { newMerchant } from '../../src/store/contract/subject.ts';
import { openStore } from '../../src/store/open-store.ts';
import {
  type ProjectedOffer,
  type ShopAccount,
  STOREFRONT_ACCOUNT,
  STOREFRONT_KIND,
} from '../../src/store/port/storefront.ts';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { offerbookHere, runHere, runOfferbook } from '../harness/command-line.ts';
import { createPlace, type StoreKind } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const STOREFRONT_URL = 'https://shop.example/{code}?sku={sku}';

/** More than a page of the walk, with offers of several merchants. */
const PRODUCTS = 130;

interface Shop {
  readonly variables: Readonly<Record<string, string>>;
  readonly offers: number;
}

/** Creates a database with projected offers. */
async function createShop(
  t: Pick<TestContext, 'after'>,
  environment: ShopAccount['environment'],
  count: number,
  kind: StoreKind = 'sqlite',
): Promise<Shop> {
  const { place, remove } = await createPlace(kind);
  t.after(remove);
  const store = await openStore(readSettings(place), (error) => assert.fail(error));
  await store.settings.addMerchant(newMerchant(), 1);
  const products = [...generatedProducts(count)];
  const offers = products.flatMap(({ product, offers }) => offers.map((offer) => ({ product, offer })));
  const account: ShopAccount = {
    ...{ accountId: 1, environment, basis: 'b', tag: 't', walk: null },
    position: { number: 1, count: 0 },
  };
  await store.storefront.beginShopWalk(account);
  for (let at = 0; at < offers.length; at += 100) {
    const shown = offers.slice(at, at + 100).map(({ product, offer }, index): ProjectedOffer => {
      const texts = { offer: JSON.stringify(offer), product: JSON.stringify(product) };
      const { code } = product;
      return {
        skuId: `${at + index}`,
        shown: { code, parent: null, total: Math.round(offer.total * 10_000), ...texts },
      };
    });
    assert.equal(await store.storefront.projectOffers(account, account, shown, 1), 'stored');
  }
  await store.close();
  return { variables: { ...place, STOREFRONT: 'on', STOREFRONT_URL }, offers: offers.length };
}

/** Takes the lease of the projection, as a server does. */
async function lease(variables: Shop['variables']): Promise<void> {
  const store = await openStore(readSettings(variables), (error) => assert.fail(error));
  await store.work.announceWork(STOREFRONT_KIND, STOREFRONT_ACCOUNT, 0);
  assert.ok(await store.work.takeWork(STOREFRONT_KIND, 'server', 60_000));
  await store.close();
}

interface FeedResult {
  readonly products: number;
  readonly offers: number;
  readonly left_out: Readonly<Record<string, number>>;
}

function total({ offers, left_out: leftOut }: FeedResult): number {
  return offers + Object.values(leftOut).reduce((sum, count) => sum + count, 0);
}

describe('offerbook feed', () => {
  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`writes every product in each format, with ${kind}`, {
      skip: kind === 'postgres' && postgresSkipped(),
    }, async (t) => {
      const { variables, offers } = await createShop(t, 'live', PRODUCTS, kind);
      const folder = await tempFolder();
      const write = async (format: string, file: string) => {
        return (await offerbookHere(variables, 'feed', format, path.join(folder, file))) as unknown as FeedResult;
      };
      const xml = await write('google-xml', 'google.xml');
      const xmlText = await readFile(path.join(folder, 'google.xml'), 'utf8');
      assert.equal(total(xml), offers);
      assert.equal(xmlText.split('<item>').length - 1, xml.offers);
      assert.ok(xmlText.startsWith('<?xml') && xmlText.endsWith('</channel>\n</rss>\n'));
      assert.match(xmlText, /<g:link>https:\/\/shop\.example\/gtin%3A\d{14}\?sku=/);

      const tsv = await write('google-tsv', 'google.tsv.gz');
      const tsvText = gunzipSync(await readFile(path.join(folder, 'google.tsv.gz'))).toString();
      assert.deepEqual({ ...tsv, file: '', format: '' }, { ...xml, file: '', format: '' });
      assert.equal(tsvText.trimEnd().split('\n').length - 1, tsv.offers);

      const acp = await write('acp', 'products.jsonl');
      const lines = (await readFile(path.join(folder, 'products.jsonl'), 'utf8')).trimEnd().split('\n');
      const written = lines.map((line) => JSON.parse(line) as { id: string; variants: unknown[] });
      assert.equal(new Set(written.map(({ id }) => id)).size, acp.products);
      assert.equal(written.flatMap(({ variants }) => variants).length, acp.offers);
      assert.equal(total(acp), offers);
      const metadata = JSON.parse(await readFile(path.join(folder, 'metadata.json'), 'utf8')) as { id: string };
      assert.equal(metadata.id, 'offerbook-live');
      const files = ['google.tsv.gz', 'google.xml', 'metadata.json', 'products.jsonl'];
      assert.deepEqual((await readdir(folder)).toSorted(), files, 'nothing else is left behind');
    });
  }

  it('writes to standard output, and says on standard error what is left out', async (t) => {
    const { variables } = await createShop(t, 'test', 14);
    const run = await runOfferbook({ ...variables, CURRENCY: 'EUR' }, ...['feed', 'google-tsv', '-', '--env', 'test']);
    assert.equal(run.exitCode, 0, run.stderr);
    const [head, ...rows] = run.stdout.trimEnd().split('\n');
    assert.ok(head?.startsWith('id\ttitle\t'));
    assert.match(rows[0] ?? '', /\t\d+\.\d\d EUR\t/);
    const leftOut =
      'Left out 3: The price has more decimals than the currency.\n' +
      'Left out 2: The price may only be shown on request (policy 102), and the format requires a price.\n';
    assert.equal(run.stderr, `Wrote ${rows.length} offers of 12 products to standard output.\n${leftOut}`);
  });

  it('refuses to write a feed without links, without projected offers, or over another file', async (t) => {
    const { variables } = await createShop(t, 'live', 3);
    const folder = await tempFolder();
    const refused = async (more: Readonly<Record<string, string>>, ...args: readonly string[]) => {
      const { exitCode, stderr } = await runHere({ ...variables, ...more }, 'feed', ...args);
      assert.equal(exitCode, 1);
      return stderr;
    };
    const file = path.join(folder, 'a.xml');
    const { name } = SETTINGS.storefrontUrl;
    assert.match(await refused({ [name]: '' }, 'google-xml', file), /STOREFRONT_URL must be set: a feed links/);
    const off = /The feed has no offers yet: set STOREFRONT to on, start the server/;
    assert.match(await refused({ STOREFRONT: 'off' }, 'google-xml', file), off);
    assert.match(await refused({}, 'google-xml', file, '--env', 'test'), off);
    const demo = { STOREFRONT: 'demo' };
    assert.match(await refused(demo, 'google-xml', file), /Set STOREFRONT to on, or start a server that has it on/);
    assert.deepEqual(await readdir(folder), [], 'no file is left behind');
    await lease(variables);
    await offerbookHere({ ...variables, ...demo }, 'feed', 'google-xml', path.join(folder, 'demo.xml'));
    await offerbookHere(variables, 'feed', 'google-xml', file);
    assert.match(await refused({}, 'google-xml', file), /already exists and was not overwritten/);
  });

  it('has a page of the docs with every reason and every attribute', async () => {
    const page = await readFile(path.resolve(import.meta.dirname, '../../docs/reference/feeds.md'), 'utf8');
    const attributes = googleTsv({ currency: 'USD', storefrontUrl: STOREFRONT_URL, digest: String }).head.trimEnd();
    for (const name of [...Object.keys(LEFT_OUT), ...attributes.split('\t')]) {
      assert.match(page, new RegExp(`^\\|.*\`${name}\`.*\\|`, 'm'), name);
    }
  });
});
