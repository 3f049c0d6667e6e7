/** Serves files from memory, with an ETag for browser caches, and compressed if the build has compressed them. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { acceptedEncoding, compressedFor, type Encoding, isLong } from './answers/compression.ts';

export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
  /** Compressed content by encoding, best first. */
  readonly packed: readonly (readonly [encoding: Encoding, bytes: Buffer])[];
}

/** Browsers revalidate their copy each time. */
export const REVALIDATED = 'no-cache';

export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

const PACKED: readonly (readonly [encoding: Encoding, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

const TYPES: Readonly<Record<string, string>> = Object.freeze({
  '.html': HTML_TYPE,
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': JSON_TYPE,
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': TEXT_TYPE,
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
});

/** Returns the paths of all files below the folder; none if the folder does not exist. */
export async function namesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.map((file) => path.relative(folder, file).split(path.sep).join('/'));
}

/** Returns the files of known types by name, with a leading `/`. `name.br` and `name.gz` are encodings of `name`. */
export async function readStaticFiles(folder: string, names: readonly string[]): Promise<Map<string, StaticFile>> {
  const read = names.map(async (name) => [`/${name}`, await readFile(path.join(folder, name))] as const);
  const found = new Map(await Promise.all(read));
  const files = new Map<string, StaticFile>();
  for (const [name, bytes] of found) {
    if (TYPES[path.extname(name)] === undefined) continue;
    const packed = PACKED.flatMap(([encoding, ending]) => {
      const smaller = found.get(`${name}${ending}`);
      return smaller === undefined ? [] : [[encoding, smaller] as const];
    });
    files.set(name, staticFile(name, bytes, packed));
  }
  return files;
}

export function staticFile(name: string, bytes: Buffer, packed: StaticFile['packed'] = []): StaticFile {
  return { type: TYPES[path.extname(name)] ?? TEXT_TYPE, bytes, tag: entityTag(bytes), packed };
}

/** Caches the result of `load`. Calls it again after it failed or found nothing. */
export function loadOnce<T>(load: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let loading: Promise<T | undefined> | undefined;
  return async () => {
    loading ??= load();
    let loaded: T | undefined;
    try {
      loaded = await loading;
      return loaded;
    } finally {
      if (loaded === undefined) loading = undefined;
    }
  };
}

export function sendFile(message: IncomingMessage, response: ServerResponse, file: StaticFile, caching: string): void {
  response.setHeader('vary', 'accept-encoding');
  if (isCached(message, response, file.tag, caching)) return;
  const accepted = acceptedEncoding(
    message,
    Array.from(file.packed, ([encoding]) => encoding),
  );
  const packed = file.packed.find(([encoding]) => encoding === accepted);
  if (packed !== undefined) response.setHeader('content-encoding', packed[0]);
  sendBytes(message, response, 200, file.type, packed?.[1] ?? file.bytes);
}

/** Sets cache headers. Responds and returns true if the client's copy is current. */
export function isCached(message: IncomingMessage, response: ServerResponse, tag: string, caching: string): boolean {
  response.setHeader('etag', tag);
  response.setHeader('cache-control', caching);
  const isSame = message.headers['if-none-match']?.includes(tag) ?? false;
  if (isSame) response.writeHead(304).end();
  return isSame;
}

/** Sends a page that is generated for each request. */
export async function sendPage(
  message: IncomingMessage,
  response: ServerResponse,
  type: string,
  text: string,
): Promise<void> {
  if (isLong(text)) response.appendHeader('vary', 'accept-encoding');
  const compressed = await compressedFor(message, text);
  if (compressed !== undefined) response.setHeader('content-encoding', compressed.encoding);
  sendBytes(message, response, 200, type, compressed?.bytes ?? Buffer.from(text));
}

export function sendBytes(
  message: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  bytes: Buffer,
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.end(message.method === 'HEAD' ? undefined : bytes);
}

export function entityTag(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}
