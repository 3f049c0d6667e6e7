/**
 * In charge of the pages of the portal: the files that its build left, read once and kept in memory. Every address below
 * `/portal/` that is no file is a page, and all pages are one file, which finds out by itself what to show.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';

interface PortalFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
  /** By the name of the encoding, best first; those that the build made. */
  readonly packed: readonly (readonly [encoding: string, bytes: Buffer])[];
}

interface BuiltPortal {
  /** The page, with marks in it for what differs between two answers or two places. */
  readonly page: string;
  /** By path below `/portal`. */
  readonly files: ReadonlyMap<string, PortalFile>;
}

const PAGE_FILE = '/index.html';
const NONCE_MARK = '__STYLE_NONCE__';
const BASE_MARK = '__BASE__';
const NONCE_BYTES = 18;

/** Names of files below have a hash of their content in them. */
const ASSETS = '/assets/';

const PACKED: readonly (readonly [encoding: string, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

const TYPES: Readonly<Record<string, string>> = Object.freeze({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
});

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Offerbook portal</title>
<h1>The portal was not built</h1>
<p>Its pages are made from the folder <code>portal</code> by <code>npm run build:portal</code>, which <code>npm start</code>
does by itself. The API is not affected.</p>
</html>
`;

export class PortalPages {
  readonly #folder: string;
  readonly #publicUrl: () => string;
  #built: Promise<BuiltPortal | undefined> | undefined;

  constructor(folder: string, publicUrl: () => string) {
    this.#folder = folder;
    this.#publicUrl = publicUrl;
  }

  /** `name`: what follows `/portal` in the address. */
  async serve(name: string, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const built = await this.#read();
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    const file = built?.files.get(name);
    if (built === undefined) {
      response.setHeader('content-security-policy', policy(undefined));
      end(message, response, 503, TYPES['.html'] ?? '', Buffer.from(NOT_BUILT));
    } else if (file !== undefined) {
      sendFile(message, response, name, file);
    } else if (name.startsWith(ASSETS)) {
      // Of another build: a page in its place would be taken for a script.
      end(message, response, 404, TYPES['.txt'] ?? '', Buffer.from('There is no such file.\n'));
    } else {
      this.#sendPage(message, response, built.page);
    }
  }

  #sendPage(message: IncomingMessage, response: ServerResponse, page: string): void {
    const base = `${new URL(this.#publicUrl()).pathname.replace(/\/$/, '')}/portal/`;
    const tag = etag(`${base} ${page}`);
    response.setHeader('etag', tag);
    response.setHeader('cache-control', 'no-cache');
    if (message.headers['if-none-match']?.includes(tag)) {
      // Without the policy: that of the kept page has its nonce.
      response.writeHead(304).end();
      return;
    }
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader('content-security-policy', policy(nonce));
    const text = page.replaceAll(NONCE_MARK, nonce).replaceAll(BASE_MARK, escaped(base));
    end(message, response, 200, TYPES['.html'] ?? '', Buffer.from(text));
  }

  /** Kept once it was found: a portal that is built while the server runs is served. */
  async #read(): Promise<BuiltPortal | undefined> {
    this.#built ??= readBuilt(this.#folder);
    try {
      const built = await this.#built;
      if (built === undefined) this.#built = undefined;
      return built;
    } catch (error) {
      this.#built = undefined;
      throw error;
    }
  }
}

async function readBuilt(folder: string): Promise<BuiltPortal | undefined> {
  const found = await readFolder(folder);
  const page = found.get(PAGE_FILE);
  if (page === undefined) return undefined;
  const files = new Map<string, PortalFile>();
  for (const [name, bytes] of found) {
    const type = TYPES[path.extname(name)];
    if (type === undefined || name === PAGE_FILE) continue;
    const packed = PACKED.flatMap(([encoding, ending]) => {
      const smaller = found.get(`${name}${ending}`);
      return smaller === undefined ? [] : [[encoding, smaller] as const];
    });
    files.set(name, { type, bytes, tag: etag(bytes), packed });
  }
  return { page: page.toString('utf8'), files };
}

/** All files by their path below the folder; none where there is no folder. */
async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const read = files.map(async (file) => {
    const name = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    return [name, await readFile(file)] as const;
  });
  return new Map(await Promise.all(read));
}

function sendFile(message: IncomingMessage, response: ServerResponse, name: string, file: PortalFile): void {
  response.setHeader('etag', file.tag);
  response.setHeader('vary', 'accept-encoding');
  response.setHeader('cache-control', name.startsWith(ASSETS) ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (message.headers['if-none-match']?.includes(file.tag)) {
    response.writeHead(304).end();
    return;
  }
  const accepted = String(message.headers['accept-encoding'] ?? '').split(/\s*,\s*/);
  const packed = file.packed.find(([encoding]) => accepted.includes(encoding));
  if (packed !== undefined) response.setHeader('content-encoding', packed[0]);
  end(message, response, 200, file.type, packed?.[1] ?? file.bytes);
}

function end(message: IncomingMessage, response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.end(message.method === 'HEAD' ? undefined : bytes);
}

/** Scripts and fonts come from files of this server alone; pictures of offers are where the merchants have them. */
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

function etag(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
