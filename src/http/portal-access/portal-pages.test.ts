/** Tests which file is served for each portal URL, how long browsers cache it, and what pages may do. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { withEdgeServer } from '../../../test/harness/edge-server.ts';
import { sendRaw } from '../../../test/harness/raw-http.ts';
import { tempFolder } from '../../../test/harness/temp-folder.ts';

const PAGE = '<base href="__BASE__"><meta name="style-nonce" content="__STYLE_NONCE__"><p>The portal</p>';
const SCRIPT = 'console.log("a script");';

async function builtPortal(): Promise<string> {
  const folder = path.join(await tempFolder(), 'dist');
  await mkdir(path.join(folder, 'assets'), { recursive: true });
  const files = {
    'index.html': PAGE,
    'icon.svg': '<svg/>',
    'assets/app-1a2b.js': SCRIPT,
    'assets/app-1a2b.js.gz': 'packed by gzip',
    'assets/app-1a2b.js.br': 'packed by brotli',
    'assets/notes.map': '{}',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

/** `publicUrl` sets the path below which the portal is served. */
function withPages(
  folder: string,
  run: (url: string) => Promise<void>,
  publicUrl = 'http://127.0.0.1:8080',
): Promise<void> {
  const portal = { endpoints: [], mirrored: [], pagesFolder: folder };
  return withEdgeServer({ endpoints: [], portal, services: { publicUrl: () => publicUrl } }, run);
}

describe('pages of the portal', () => {
  it('are one file at every address that is not another file, with a new nonce each time', async () => {
    await withPages(await builtPortal(), async (url) => {
      const nonces = new Set<string>();
      for (const target of [
        '/portal',
        '/portal/',
        '/portal/test/offers/a%2Fb?q=1',
        '/api/portal/x',
        '/Portal/..%2f..%2fx',
      ]) {
        const response = await fetch(`${url}${target}`);
        assert.equal(response.status, 200, target);
        assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
        assert.equal(response.headers.get('cache-control'), 'no-cache');
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
        assert.match(String(response.headers.get('x-request-id')), /./);
        const text = await response.text();
        const nonce = /content="([^"]+)"/.exec(text)?.[1] ?? '';
        nonces.add(nonce);
        assert.equal(text, PAGE.replace('__BASE__', '/portal/').replace('__STYLE_NONCE__', nonce));
        assert.equal(
          response.headers.get('content-security-policy'),
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: https: http:; ` +
            "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
        );
      }
      assert.equal(nonces.size, 5);
    });
  });

  it('are below the path of PUBLIC_URL, and kept by browsers until they change', async () => {
    const folder = await builtPortal();
    const tags: string[] = [];
    for (const [publicUrl, base] of [
      ['https://desk.example/market', '/market/portal/'],
      ['https://desk.example/a"b', '/a%22b/portal/'],
    ] as const) {
      await withPages(
        folder,
        async (url) => {
          const response = await fetch(`${url}/portal/`);
          assert.match(await response.text(), new RegExp(`<base href="${base}">`));
          const etag = response.headers.get('etag') ?? '';
          tags.push(etag);
          const again = await fetch(`${url}/portal/sign-in`, { headers: { 'if-none-match': `W/${etag}` } });
          assert.equal(again.status, 304);
          assert.equal(
            again.headers.get('content-security-policy'),
            null,
            'the policy of the cached page has its nonce',
          );
        },
        publicUrl,
      );
    }
    assert.notEqual(tags[0], tags[1]);
  });

  it('have files that are cached forever if their name has a hash, compressed if the build compressed them', async () => {
    await withPages(await builtPortal(), async (url) => {
      const target = '/portal/assets/app-1a2b.js';
      for (const [accepted, encoding, body] of [
        ['identity', undefined, SCRIPT],
        ['gzip, deflate', 'gzip', 'packed by gzip'],
        ['gzip, deflate, br', 'br', 'packed by brotli'],
      ] as const) {
        const answer = await raw(url, { target, headers: { 'accept-encoding': accepted } });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-encoding') ?? undefined, encoding);
        assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
        assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
        assert.equal(answer.headers.get('vary'), 'accept-encoding');
        assert.equal(answer.headers.get('content-length'), String(body.length));
      }
      const icon = await fetch(`${url}/portal/icon.svg`);
      assert.equal(icon.headers.get('cache-control'), 'no-cache');
      assert.equal(icon.headers.get('content-type'), 'image/svg+xml');
      assert.equal(await icon.text(), '<svg/>');
      const tagged = { 'if-none-match': icon.headers.get('etag') ?? '' };
      assert.equal((await fetch(`${url}/portal/icon.svg`, { headers: tagged })).status, 304);
    });
  });

  it('serve no file that is missing, of an unknown type, or outside the folder', async () => {
    const folder = await builtPortal();
    await writeFile(path.join(folder, '../outside.txt'), 'outside');
    await withPages(folder, async (url) => {
      for (const target of [
        '/portal/assets/app-old.js',
        '/portal/assets/notes.map',
        '/portal/assets/../../outside.txt',
      ]) {
        const answer = await raw(url, { target });
        assert.equal(answer.status, 404, target);
        assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      }
    });
  });

  it('are for reading, and HEAD responds as GET does', async () => {
    await withPages(await builtPortal(), async (url) => {
      const head = await fetch(`${url}/portal/icon.svg`, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, '6']);
      const post = await fetch(`${url}/portal/`, { method: 'POST', body: '{}' });
      assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
      const call = await fetch(`${url}/portal/api/nothing`);
      assert.equal(call.status, 404);
      assert.equal(call.headers.get('content-type'), 'application/json; charset=utf-8');
    });
  });

  it('that are not built show a notice, and appear once they are built', async () => {
    const folder = path.join(await tempFolder(), 'dist');
    await withPages(folder, async (url) => {
      const missing = await fetch(`${url}/portal/`);
      assert.equal(missing.status, 503);
      assert.match(await missing.text(), /The portal is not built/);
      assert.match(String(missing.headers.get('content-security-policy')), /^default-src 'none'/);
      await mkdir(folder);
      await writeFile(path.join(folder, 'index.html'), PAGE);
      assert.equal((await fetch(`${url}/portal/`)).status, 200);
    });
  });
});

/** Sends the target unchanged; `fetch` would normalize the URL and decompress the response. */
async function raw(url: string, request: { target: string; headers?: Record<string, string> }) {
  const answer = await sendRaw(url, { method: 'HEAD', ...request });
  return answer;
}
