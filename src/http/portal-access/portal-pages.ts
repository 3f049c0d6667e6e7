/**
 * Serves the portal's pages from the files of its build, read once and kept in memory. Every URL below `/portal/` that
 * is not a file gets the single page, which routes by itself.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapedHtml } from '../docs-page/fill.ts';
import {
  entityTag,
  HTML_TYPE,
  isCached,
  loadOnce,
  namesBelow,
  REVALIDATED,
  readStaticFiles,
  type StaticFile,
  sendBytes,
  sendFile,
  sendPage,
  TEXT_TYPE,
} from '../static-files.ts';

interface BuiltPortal {
  /** The page, with placeholders for the parts that differ between responses or deployments. */
  readonly page: string;
  /** Files by path below `/portal`. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

const PAGE_FILE = '/index.html';
const NONCE_MARK = '__STYLE_NONCE__';
const BASE_MARK = '__BASE__';
const NONCE_BYTES = 18;

/** File names below this path contain a hash of the content. */
const ASSETS = '/assets/';
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="3">
<title>Offerbook portal</title>
<h1>The portal is not built yet</h1>
<p>After <code>npm start</code>, this page opens the portal as soon as it is built, which takes about a minute. Otherwise, run
<code>npm run build:portal</code>. The API is not affected.</p>
</html>
`;

export class PortalPages {
  readonly #publicUrl: () => string;
  /** Retried until it succeeds, so that a portal built while the server runs is found. */
  readonly #read: () => Promise<BuiltPortal | undefined>;

  constructor(folder: string, publicUrl: () => string) {
    this.#publicUrl = publicUrl;
    this.#read = loadOnce(() => readBuilt(folder));
  }

  /** `name`: the part after `/portal`. Always responds. */
  async serve(name: string, message: IncomingMessage, response: ServerResponse): Promise<true> {
    const built = await this.#read();
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    const file = built?.files.get(name);
    if (built === undefined) {
      response.setHeader('content-security-policy', policy(undefined));
      sendBytes(message, response, 503, HTML_TYPE, Buffer.from(NOT_BUILT));
    } else if (file !== undefined) {
      sendFile(message, response, file, name.startsWith(ASSETS) ? KEPT_FOR_EVER : REVALIDATED);
    } else if (name.startsWith(ASSETS)) {
      // The file belongs to another build. If the page were sent instead, the browser would run it as a script.
      sendBytes(message, response, 404, TEXT_TYPE, Buffer.from('There is no such file.\n'));
    } else {
      await this.#sendPage(message, response, built.page);
    }
    return true;
  }

  async #sendPage(message: IncomingMessage, response: ServerResponse, page: string): Promise<void> {
    const base = `${new URL(this.#publicUrl()).pathname.replace(/\/$/, '')}/portal/`;
    // The policy header is left out, because the cached page keeps its own nonce.
    if (isCached(message, response, entityTag(`${base} ${page}`), REVALIDATED)) return;
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader('content-security-policy', policy(nonce));
    const text = page.replaceAll(NONCE_MARK, nonce).replaceAll(BASE_MARK, escapedHtml(base));
    await sendPage(message, response, HTML_TYPE, text);
  }
}

async function readBuilt(folder: string): Promise<BuiltPortal | undefined> {
  const files = await readStaticFiles(folder, await namesBelow(folder));
  const page = files.get(PAGE_FILE);
  if (page === undefined) return undefined;
  files.delete(PAGE_FILE);
  return { page: page.bytes.toString('utf8'), files };
}

/** Scripts and fonts load only from this server. Images of offers load from the merchants' own hosts. */
function policy(nonce: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data: https: http:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
