/**
 * Tests the built documentation as the server shows it: every page, every link, the policy, the search, and the server's own
 * values.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readSettings } from '../../src/config/settings.ts';
import { shownSettings } from '../../src/config/shown-settings.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";
const NAMES = {
  MARKETPLACE_NAME: 'acme',
  CARRIER_NAMES: 'Swift & Co,Hare,<Tortoise>,Snail,Crow',
  REVIEW_STATUS: 'In "Acme" review',
  PUBLIC_URL: 'http://127.0.0.1:9/market',
  REQUESTS_PER_MINUTE: '1234',
};

interface SearchModule {
  createSearch(sections: unknown): unknown;
  findSections(search: unknown, query: string): { readonly id: string }[];
}

interface Section {
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** `guides/portal.md` is shown at `/docs/guides/portal`. */
const ADDRESSES = ['changelog.md', ...globSync('**/*.md', { cwd: path.join(ROOT, 'docs') })]
  .map((file) => `/docs/${file.replace(/(?:(?<=^|\/)(?:index|README))?\.md$/, '')}`)
  .toSorted();

/** Addresses below the documentation without a page. */
const UNKNOWN = ['/docs/404', '/docs/nope', '/docs/nope/', '/docs/guides/nope', '/api/docs/a/b%2Fc/<b>', '/docs//nope'];

describe('the documentation', () => {
  let server: TestServer;
  let named: TestServer;
  before(async () => {
    server = await startTestServer();
    named = await startTestServer(NAMES);
  });
  after(() => Promise.all([server?.close(), named?.close()]));

  const textAt = async (url: string): Promise<string> => {
    const response = await fetch(url);
    assert.equal(response.status, 200, url);
    return response.text();
  };

  it('shows every file of docs/, public, under a policy without foreign hosts and inline code', async () => {
    assert.ok(ADDRESSES.length > 40);
    for (const address of ADDRESSES) {
      const response = await fetch(`${server.url}${address}`);
      const { headers } = response;
      assert.deepEqual([address, response.status], [address, 200]);
      assert.equal(headers.get('content-security-policy'), POLICY);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      const text = await response.text();
      assert.match(text, /<h1 id="[^"]+">/, address);
      assert.doesNotMatch(text, /<script>|<style|\sstyle="|\son\w+="|⟦|<!--/, address);
    }
  });

  it('links only to existing pages and headings', async () => {
    const pages = new Map<string, Promise<{ status: number; text: string }>>();
    const open = (url: string) => {
      const opened = pages.get(url) ?? fetch(url).then(async (got) => ({ status: got.status, text: await got.text() }));
      pages.set(url, opened);
      return opened;
    };
    let count = 0;
    for (const address of [...ADDRESSES, '/docs/api', '/docs/marketplace-api', '/', ...UNKNOWN]) {
      const from = `${server.url}${address}`;
      const response = await fetch(from, { headers: { accept: 'text/html' } });
      for (const [, link = ''] of (await response.text()).matchAll(/\s(?:href|src)="([^"]+)"/g)) {
        if (link.startsWith('#') && UNKNOWN.includes(address)) continue;
        const url = new URL(link.replaceAll('&amp;', '&'), from);
        if (url.origin !== server.url) continue;
        const { status, text } = await open(`${url.origin}${url.pathname}`);
        assert.equal(status, 200, `${address}: ${link}`);
        const id = decodeURIComponent(url.hash.slice(1));
        if (id !== '') assert.ok(text.includes(` id="${id}"`), `${address}: ${link}`);
        count += 1;
      }
    }
    assert.ok(count > 1000, String(count));
  });

  it('shows the navigation of the reader of a page', async () => {
    for (const [address, own, other] of [
      ['/docs/guides/bulk-files', 'guides/webhooks', 'operate/'],
      ['/docs/operate/backup', 'operate/upgrade', 'guides/webhooks'],
      ['/docs/project/contract', 'decisions/', 'operate/'],
      ['/docs/decisions/0032-documentation-site', 'project/contract', 'guides/'],
      ['/docs/', 'developers', 'guides/'],
    ] as const) {
      const [nav = ''] = /<nav id="pages"[\s\S]*?<\/nav>/.exec(await textAt(`${server.url}${address}`)) ?? [];
      const links = Array.from(nav.matchAll(/href="([^"]*)"/g), ([, link = '']) => {
        return new URL(link, `${server.url}${address}`).pathname;
      });
      assert.ok(links.includes(`/docs/${own}`), `${address}: ${own}`);
      for (const entrance of ['developers', 'staff', 'operators', 'project/', 'api']) {
        assert.ok(links.includes(`/docs/${entrance}`), `${address}: ${entrance}`);
      }
      assert.deepEqual(
        links.filter((link) => link.startsWith(`/docs/${other}`)),
        [],
        address,
      );
    }
  });

  it('lists its pages for language models, with its own URL', async () => {
    const text = await textAt(`${named.url}/llms.txt`);
    assert.match(text, /^# acme\n\n> /);
    assert.doesNotMatch(text, /⟦|127\.0\.0\.1:8080/);
    const links = Array.from(text.matchAll(/^- \[.+\]\((.+?)\): \S/gm), ([, link = '']) => link);
    assert.ok(links.length > 60, String(links.length));
    for (const link of links) {
      assert.ok(link.startsWith(`${NAMES.PUBLIC_URL}/docs/`), link);
      await textAt(link.replace(NAMES.PUBLIC_URL, server.url));
    }
    assert.ok(links.includes(`${NAMES.PUBLIC_URL}/docs/guides/connect-an-agent`));
  });

  it('shows browsers a page for an unknown address, which says so', async () => {
    for (const address of UNKNOWN) {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
      const response = await fetch(`${server.url}${address}`, { headers: { accept } });
      const { headers } = response;
      assert.deepEqual([address, response.status], [address, 404]);
      assert.deepEqual(
        ['content-type', 'content-security-policy', 'vary'].map((name) => headers.get(name)),
        ['text/html; charset=utf-8', POLICY, 'accept'],
      );
      const text = await response.text();
      assert.match(text, /<h1 id="page-not-found"[^>]*>Page not found/);
      assert.match(text, /<input type="search"/);
    }
  });

  it('refuses an unknown page, and a path outside the folder, as the API does', async () => {
    for (const [target, status, code] of [
      ['/docs/nothing', 404, 'route_not_found'],
      ['/docs/guides', 404, 'route_not_found'],
      ['/docs/guides/portal.html', 404, 'route_not_found'],
      ['/docs/../package.json', 400, 'request_malformed'],
      ['/docs/guides/..%2f..%2fpackage.json', 400, 'request_malformed'],
      ['/docs/%2e%2e/%2e%2e/package.json', 400, 'request_malformed'],
    ] as const) {
      const answer = await sendRaw(server.url, { target });
      const { details } = answer.body as { details: { code: string }[] };
      assert.deepEqual([target, answer.status, details[0]?.code], [target, status, code]);
    }
  });

  it('redirects to the address at which relative links work', async () => {
    for (const [target, location] of [
      ['/docs', 'docs/'],
      ['/api/docs?x=1', 'docs/'],
      ['/docs/api/', '../api'],
      ['/docs/guides/portal/', '../portal'],
      ['/docs/decisions', 'decisions/'],
    ] as const) {
      const { status, headers } = await fetch(`${server.url}${target}`, { redirect: 'manual' });
      assert.deepEqual([target, status, headers.get('location')], [target, 302, location]);
    }
  });

  it('is sent compressed, and sent again only if it changed', async () => {
    const target = '/docs/reference/errors';
    const plain = await sendRaw(server.url, { target });
    const response = await fetch(`${server.url}${target}`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    assert.equal(await response.text(), plain.text);
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' };
    assert.equal((await fetch(`${server.url}${target}`, { headers })).status, 304);
  });

  it("fills in the marketplace's names, address, carriers and limits", async () => {
    const shipping = await textAt(`${named.url}/docs/reference/shipping`);
    assert.match(shipping, /<code>Swift &amp; Co Global Mail<\/code>/);
    assert.match(shipping, /<code>&lt;Tortoise&gt; Ground<\/code>/);
    const home = await textAt(`${named.url}/docs/`);
    assert.match(home, /<code>http:\/\/127\.0\.0\.1:9\/market<\/code>/);
    assert.match(home, /<title>Offerbook documentation · acme docs<\/title>/);
    assert.match(await textAt(`${named.url}/docs/reference/taxonomy`), /<code>acme_browse_node_id<\/code>/);
    assert.match(await textAt(`${named.url}/docs/guides/clients`), /http:\/\/127\.0\.0\.1:10\/lamp\.jpg/);
    assert.match(await textAt(`${named.url}/docs/reference/limits`), /<td>1,234<\/td>/);
    assert.match(await textAt(`${server.url}/docs/reference/limits`), /<td>1,000,000<\/td>/);
    const sections = JSON.parse(await textAt(`${named.url}/docs/search.json`)) as Section[];
    assert.ok(sections.some(({ text }) => text.includes('acme_browse_node_id')));
    assert.ok(sections.some(({ text }) => text.includes('<Tortoise> Ground')));
  });

  it('leaves no default name or address in a page for merchants', async () => {
    const own =
      /marketplace_browse_node_id|carrier_\d&gt;|Under Jet Review|http:\/\/(?:127\.0\.0\.1|localhost):808[01]/;
    const addresses = ADDRESSES.filter((address) => !/^\/docs\/(?:operate|project|decisions)\//.test(address));
    assert.ok(addresses.length > 40);
    for (const address of addresses)
      assert.doesNotMatch((await textAt(`${named.url}${address}`)).replaceAll('<wbr>', ''), own, address);
  });

  it('shows a public marketplace the quick start of a demo with the defaults, and the tutorial with its own values', async () => {
    const settings = { ...NAMES, PUBLIC_URL: 'https://market.example' };
    await withOfferbook({ DATA_DIR: await tempFolder() }, { settings }, async (url) => {
      const demo = await textAt(`${url}/docs/tutorial/quick-start`);
      assert.match(demo, /URL=http:\/\/127\.0\.0\.1:8080/);
      assert.match(demo, /marketplace_browse_node_id/);
      assert.match(demo, /<title>Quick start · acme docs<\/title>/);
      const offer = await textAt(`${url}/docs/tutorial/first-offer`);
      assert.match(offer, /URL=https:\/\/market\.example/);
      assert.match(offer, /acme_browse_node_id/);
    });
  });

  it('keeps the defaults in pages for operators, whose commands run on the server itself', async () => {
    assert.match(await textAt(`${named.url}/docs/operate/settings`), /Under Jet Review/);
  });

  it('finds the page that answers a question', async () => {
    const file = path.join(ROOT, 'site/dist/assets/search.js');
    const { createSearch, findSections } = (await import(pathToFileURL(file).href)) as SearchModule;
    const search = createSearch(JSON.parse(await textAt(`${server.url}/docs/search.json`)));
    for (const [question, page] of [
      ['how do I delete a SKU', 'guides/delete-a-sku'],
      ['discontinue a product', 'guides/delete-a-sku'],
      ['What does error 422 mean?', 'guides/error-handling'],
      ['archive', 'guides/delete-a-sku'],
      ['next page of a list', 'reference/pagination'],
      ['in which currency are prices', 'explanation/currency-and-taxes'],
      ['where are my orders', 'explanation/orders-and-returns'],
      ['uninstall', 'operate/uninstall'],
      ['when do I need PostgreSQL', 'operate/scaling'],
      ['body_bytes_max', 'reference/limits'],
    ] as const) {
      const found = findSections(search, question).slice(0, 3);
      const pages = found.map(({ id }) => id.split('#')[0]);
      assert.ok(pages.includes(page), `${question}: ${found.map(({ id }) => id).join(', ')}`);
    }
    assert.deepEqual(findSections(search, 'qqqqxxxx'), []);
    assert.ok(findSections(search, 'the').length > 0, 'a query of stop words only is searched as it is');
  });

  it('can be searched by sections, without pages on the project', async () => {
    const sections = JSON.parse(await textAt(`${server.url}/docs/search.json`)) as Section[];
    const found = sections.filter(({ text }) => text.includes('rate_limited'));
    assert.ok(found.some(({ address, page }) => address === 'reference/errors' && page === 'Errors'));
    assert.equal(new Set(sections.map(({ address }) => address)).size, sections.length);
    assert.deepEqual(
      sections.filter(({ address }) => /^(?:project|decisions)\//.test(address)),
      [],
    );
    for (const { address } of sections) assert.ok(ADDRESSES.includes(`/docs/${address.split('#')[0]}`), address);
  });
});

it('settings in Markdown are marked with a name that exists, and show its default', () => {
  const defaults = shownSettings(readSettings({}));
  const marks = globSync('docs/**/*.md', { cwd: ROOT }).flatMap((file) =>
    Array.from(
      readFileSync(path.join(ROOT, file), 'utf8').matchAll(/<!-- setting: (.*?) -->(.*?)<!-- end -->/g),
      ([, name = '', shown = '']) => ({ file, name, shown }),
    ),
  );
  assert.ok(marks.length > 5);
  for (const { file, name, shown } of marks) assert.equal(shown, defaults.get(name), `${file}: ${name}`);
});
