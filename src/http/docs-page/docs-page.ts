/**
 * Serves the built documentation at /docs/, with this server's own names and limits. At /docs/api and /docs/marketplace-api it serves the
 * interactive references: Swagger UI, which reads /openapi.json or /marketplace/openapi.json. Serves the list of pages for language models at
 * /llms.txt. All files come from this server.
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Names } from '../../domain/names.ts';
import type { AnnouncedChange } from '../../store/port/settings.ts';
import { MalformedRequestError } from '../answers/faults.ts';
import { DOCUMENT_PATHS } from '../openapi/document.ts';
import {
  HTML_TYPE,
  loadOnce,
  namesBelow,
  REVALIDATED,
  readStaticFiles,
  type StaticFile,
  sendBytes,
  sendFile,
  staticFile,
} from '../static-files.ts';
import { brandOf, docsValues, fillHtml, fillJson, fillText } from './fill.ts';
import { acceptsHtml, DOCS_POLICY, sendSchedule } from './own-pages.ts';

export interface DocsParts {
  readonly names: Names;
  readonly publicUrl: () => string;
  /** Folder of the built pages; undefined if the server has none. */
  readonly pagesFolder: string | undefined;
  /** Values of the limits as the pages show them, by the name of the setting. */
  readonly settings: ReadonlyMap<string, string>;
  /** The announced changes of rules, from memory, because this page needs no token. */
  readonly announced: () => readonly AnnouncedChange[];
}

type Files = ReadonlyMap<string, StaticFile>;

const DOCS_URL = /^\/+(?:api\/+)?docs(?=[/?]|$)/i;

const REFERENCE_FILE = 'reference.html';
/** What the reference for the marketplace's own programs shows instead. */
const FOR_MARKETPLACE = [
  ['<title>API', '<title>Marketplace API'],
  ['<b>API</b>', '<b>Marketplace API</b>'],
  ['href="marketplace-api">Marketplace API', 'href="api">API for merchants'],
  [`href="..${DOCUMENT_PATHS.merchants}"`, `href="..${DOCUMENT_PATHS.marketplace}"`],
] as const;
const LLMS = '/llms.txt';
const SCHEDULE = '/changes-schedule';
const NOT_FOUND = '/404';
/** This page shows how to start a demo with the defaults on the reader's machine. A local demo shows its own values instead. */
const DEMO_PAGE = '/tutorial/quick-start.html';
const LOCAL_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

const OWN_FILES = ['swagger-initializer.js'];
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'];

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="3">
<title>Documentation</title>
<h1>The documentation is not built yet</h1>
<p>After <code>npm start</code>, this page opens it as soon as it is built, which takes about a minute. Otherwise, run
<code>npm run build:portal</code>. The <a href="api">API reference</a> works without it.</p>
</html>
`;

const packed = promisify(gzip);

/** Returns the part of a docs address after `/docs`, or `/llms.txt`; undefined for every other address. */
export function docsPlace(url: string): string | undefined {
  if (url === LLMS) return LLMS;
  const start = DOCS_URL.exec(url)?.[0].length;
  return start === undefined ? undefined : url.slice(start).split('?', 1)[0];
}

export class DocsPage {
  readonly #announced: DocsParts['announced'];
  readonly #reference: () => Promise<Files | undefined>;
  /** Retried until it succeeds, so that pages built while the server runs are found. */
  readonly #pages: () => Promise<Files | undefined>;

  constructor(parts: DocsParts) {
    this.#announced = parts.announced;
    this.#reference = loadOnce(readReference);
    this.#pages = loadOnce(() => readPages(parts));
  }

  /** `place` comes from `docsPlace`. If there is no such page, browsers get a page with a search; else sends nothing and returns false. */
  async serve(place: string, message: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const name = decoded(place);
    const [reference, pages] = await Promise.all([this.#reference(), this.#pages()]);
    const find = (key: string): StaticFile | undefined => reference?.get(key) ?? pages?.get(key);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', DOCS_POLICY);
    const file = find(name);
    const other = otherEnd(name);
    if (name === SCHEDULE) {
      await sendSchedule(message, response, this.#announced());
    } else if (file !== undefined && name !== NOT_FOUND) {
      sendFile(message, response, file, REVALIDATED);
    } else if (pages === undefined && name === '/') {
      sendBytes(message, response, 503, HTML_TYPE, Buffer.from(NOT_BUILT));
    } else if (name === '' || find(other.name) !== undefined) {
      response.writeHead(302, { location: other.link, 'content-length': 0 }).end();
    } else if (pages !== undefined && acceptsHtml(message)) {
      response.setHeader('vary', 'accept');
      sendBytes(message, response, 404, HTML_TYPE, notFoundPage(pages, place));
    } else {
      response.setHeader('vary', 'accept');
      response.removeHeader('content-security-policy');
      return false;
    }
    return true;
  }
}

/** Returns the built page for unknown addresses with links that work at `place`, the raw path below `/docs`. */
function notFoundPage(pages: Files, place: string): Buffer {
  const docs = '../'.repeat(place.split('/').length - 2);
  const html = pages.get(NOT_FOUND)?.bytes.toString('utf8') ?? '';
  return Buffer.from(html.replaceAll(/ (href|src|data-root)="(?!#)/g, ` $1="${docs}`));
}

/**
 * Adds or removes the trailing slash of an address, and returns it with the relative link to it. Relative links in
 * pages need the right form.
 */
function otherEnd(name: string): { name: string; link: string } {
  const last = encodeURIComponent(name.replace(/\/$/, '').split('/').at(-1) || 'docs');
  return name.endsWith('/') ? { name: name.slice(0, -1), link: `../${last}` } : { name: `${name}/`, link: `${last}/` };
}

/** Returns the files of the API reference by their path below `/docs`. */
async function readReference(): Promise<Files> {
  const swaggerFolder = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  const [page, own, swagger] = await Promise.all([
    readFile(path.join(import.meta.dirname, REFERENCE_FILE), 'utf8'),
    readStaticFiles(import.meta.dirname, OWN_FILES),
    readStaticFiles(swaggerFolder, SWAGGER_FILES),
  ]);
  const files = [...own, ...swagger].map(([name, { bytes }]) => packedFile(`/static${name}`, bytes));
  const other = FOR_MARKETPLACE.reduce((text, [own, replaced]) => text.replace(own, replaced), page);
  const pages = [
    packedFile('/api', Buffer.from(page), REFERENCE_FILE),
    packedFile('/marketplace-api', Buffer.from(other), REFERENCE_FILE),
  ];
  return new Map(await Promise.all([...pages, ...files]));
}

/** Returns the built pages by their path below `/docs`, `/guides/portal` for `guides/portal.html`; undefined if there are none. */
async function readPages({ names, publicUrl, pagesFolder, settings }: DocsParts): Promise<Files | undefined> {
  if (pagesFolder === undefined) return undefined;
  const built = await readStaticFiles(pagesFolder, await namesBelow(pagesFolder));
  const values = docsValues(names, publicUrl(), settings);
  const isLocal = LOCAL_HOST.test(new URL(publicUrl()).hostname);
  const demoValues = isLocal ? values : new Map([['brand', brandOf(names)]]);
  const files = Array.from(built, ([name, file]) => {
    if (name.endsWith('.html')) {
      const text = fillHtml(file.bytes.toString('utf8'), name === DEMO_PAGE ? demoValues : values);
      return packedFile(name.replace(/(?:(?<=\/)index)?\.html$/, ''), Buffer.from(text), name);
    }
    const fill = name === LLMS ? fillText : name.endsWith('.json') ? fillJson : undefined;
    return packedFile(name, fill === undefined ? file.bytes : Buffer.from(fill(file.bytes.toString('utf8'), values)));
  });
  return files.length === 0 ? undefined : new Map(await Promise.all(files));
}

async function packedFile(place: string, bytes: Buffer, name = place): Promise<readonly [string, StaticFile]> {
  return [place, staticFile(name, bytes, [['gzip', await packed(bytes)]])];
}

function decoded(place: string): string {
  try {
    const name = decodeURIComponent(place);
    if (!name.split('/').includes('..')) return name;
  } catch {
    // A path that cannot be decoded is refused like a path that leaves the folder.
  }
  throw new MalformedRequestError();
}
