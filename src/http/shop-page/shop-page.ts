/** Serves the page of the demo's shop at /shop/: three files without secrets, which read the calls below /shop/api. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { loadOnce, REVALIDATED, type StaticFile, sendFile, staticFile } from '../static-files.ts';

const SHOP_URL = /^\/+shop(?=[/?]|$)/i;
const PAGE = 'shop.html';

/** Images of offers load from the merchants' own hosts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Returns the part of an address after `/shop`; undefined for every other address. */
export function shopPlace(url: string): string | undefined {
  const start = SHOP_URL.exec(url)?.[0].length;
  return start === undefined ? undefined : url.slice(start).split('?', 1)[0];
}

export class ShopPage {
  readonly #read: () => Promise<ReadonlyMap<string, StaticFile>>;

  constructor(currency: string) {
    this.#read = loadOnce(() => readFiles(currency)) as () => Promise<ReadonlyMap<string, StaticFile>>;
  }

  /** Sends nothing and returns false if there is no such file. */
  async serve(place: string, message: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const file = (await this.#read()).get(place);
    if (file === undefined && place !== '') return false;
    response.setHeader('content-security-policy', POLICY);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    if (file === undefined) response.writeHead(302, { location: 'shop/', 'content-length': 0 }).end();
    else sendFile(message, response, file, REVALIDATED);
    return true;
  }
}

async function readFiles(currency: string): Promise<ReadonlyMap<string, StaticFile>> {
  const read = [PAGE, 'shop.css', 'shop.js'].map(async (name) => {
    const text = await readFile(path.join(import.meta.dirname, name), 'utf8');
    const place = name === PAGE ? '/' : `/${name}`;
    return [place, staticFile(name, Buffer.from(text.replace('__CURRENCY__', currency)))] as const;
  });
  return new Map(await Promise.all(read));
}
