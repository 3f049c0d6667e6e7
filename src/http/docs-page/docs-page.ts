/** Serves the interactive page at /docs: Swagger UI with the API's OpenAPI document. All its files come from this server. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MalformedRequestError } from '../answers/faults.ts';
import type { JsonObject } from '../openapi/calls.ts';
import { loadOnce, REVALIDATED, readStaticFiles, type StaticFile, sendFile, staticFile } from '../static-files.ts';

const DOCS_URL = /^\/+(?:api\/+)?docs(?=[/?]|$)/i;

const PAGE_FILE = 'index.html';
const BASE_MARK = '__BASE__';
const OWN_FILES = ['swagger-initializer.js'];
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'index.css', 'favicon-32x32.png'];

/** Swagger UI sets styles by script, which needs no permission; images inside its style sheet are data. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What follows `/docs` in an address of the docs page; undefined for every other address. */
export function docsPlace(url: string): string | undefined {
  const start = DOCS_URL.exec(url)?.[0].length;
  return start === undefined ? undefined : url.slice(start).split('?', 1)[0];
}

export class DocsPage {
  readonly #read: () => Promise<ReadonlyMap<string, StaticFile> | undefined>;

  /** `document` is called at the first request. */
  constructor(document: () => JsonObject) {
    this.#read = loadOnce(() => readDocs(document));
  }

  /** `place` is what `docsPlace` returned. Returns false, without an answer, where there is no such file. */
  async serve(place: string, message: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const name = decoded(place);
    const file = (await this.#read())?.get(name);
    if (file === undefined) return false;
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
    sendFile(message, response, file, REVALIDATED);
    return true;
  }
}

/** Returns the files by their path below `/docs`. */
async function readDocs(document: () => JsonObject): Promise<Map<string, StaticFile>> {
  const swaggerFolder = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  const [page, own, swagger] = await Promise.all([
    readFile(path.join(import.meta.dirname, PAGE_FILE), 'utf8'),
    readStaticFiles(import.meta.dirname, OWN_FILES),
    readStaticFiles(swaggerFolder, SWAGGER_FILES),
  ]);
  // Relative, so that the page can try calls under whichever name it was opened.
  const shown = JSON.stringify({ ...document(), servers: [{ url: '..' }] });
  return new Map<string, StaticFile>([
    ['', staticFile(PAGE_FILE, Buffer.from(page.replaceAll(BASE_MARK, '/docs/static')))],
    ['/', staticFile(PAGE_FILE, Buffer.from(page.replaceAll(BASE_MARK, './static')))],
    ['/json', staticFile('openapi.json', Buffer.from(shown))],
    ...[...own, ...swagger].map(([name, file]) => [`/static${name}`, file] as const),
  ]);
}

function decoded(place: string): string {
  try {
    const name = decodeURIComponent(place);
    if (!name.split('/').includes('..')) return name;
  } catch {
    // Refused like a path that leaves the folder.
  }
  throw new MalformedRequestError();
}
