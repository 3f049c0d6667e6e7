/**
 * Stores what a release leaves behind, so that every later version is tested with it: the database of its demo, the answers that it gave about
 * each offer, and the hashes of its migrations, which are never edited again.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { demoOffers } from '../../src/demo/demo-offers.ts';
import { MIGRATIONS as POSTGRES_MIGRATIONS } from '../../src/store/postgres/schema/migration-list.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from '../../src/store/sqlite/schema/migration-list.ts';
import { requestToken } from './api-client.ts';
import { startServeProcess } from './serve-process.ts';
import { ROOT } from './suites.ts';
import { tempFolder } from './temp-folder.ts';
import { waitUntil } from './wait-until.ts';

export const RELEASES = path.join(ROOT, 'test/fixtures/releases');
const DATABASE = 'offerbook.db';
const PATIENCE_MS = 60_000;

export interface StoredRelease {
  /** SHA-256 of each migration, in order. */
  readonly migrations: Readonly<Record<'sqlite' | 'postgres', readonly string[]>>;
  readonly offers: Offers;
}

/** The answers of `GET /merchant-skus/{sku}/offer`, by SKU, without what the review says: a later version may review differently. */
type Offers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export function migrationHashes(): StoredRelease['migrations'] {
  const hashes = (texts: readonly string[]) => texts.map((text) => createHash('sha256').update(text).digest('hex'));
  return { sqlite: hashes(SQLITE_MIGRATIONS), postgres: hashes(POSTGRES_MIGRATIONS) };
}

/** Writes `<version>.db.gz` and `<version>.json`. */
export async function storeRelease(version: string): Promise<void> {
  const data = await tempFolder();
  const server = await startServeProcess({ DATA_DIR: data, DEMO_OFFERS: 'on' });
  const last = demoOffers('').at(-1)?.skuId ?? '';
  let offers: Offers;
  try {
    // The price of the last offer is what the demo writes last.
    await waitUntil('the offers of the demo', PATIENCE_MS, async () => (await readOffers(server.url))[last]?.price);
    offers = await readOffers(server.url);
  } finally {
    await server.stop();
  }
  await mkdir(RELEASES, { recursive: true });
  await writeFile(path.join(RELEASES, `${version}.db.gz`), gzipSync(await readFile(path.join(data, DATABASE))));
  const stored: StoredRelease = { migrations: migrationHashes(), offers };
  await writeFile(path.join(RELEASES, `${version}.json`), `${JSON.stringify(stored, null, 1)}\n`);
}

export async function readRelease(version: string): Promise<StoredRelease> {
  return JSON.parse(await readFile(path.join(RELEASES, `${version}.json`), 'utf8'));
}

/** Starts this version on a copy of the database of a release, and reads its offers. */
export async function readOffersAfterUpgrade(version: string): Promise<Offers> {
  const data = await tempFolder();
  const database = gunzipSync(await readFile(path.join(RELEASES, `${version}.db.gz`)));
  await writeFile(path.join(data, DATABASE), database, { mode: 0o600 });
  const server = await startServeProcess({ DATA_DIR: data });
  try {
    return await readOffers(server.url);
  } finally {
    await server.stop();
  }
}

async function readOffers(url: string): Promise<Offers> {
  const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
  const read = async (name: string) => (await fetch(new URL(name, url), { headers })).json();
  const { sku_urls } = (await read('/merchant-skus?limit=1000')) as { sku_urls: readonly string[] };
  const offers: Record<string, Offers[string]> = {};
  for (const name of sku_urls) {
    const { status, sub_status, issues, ...offer } = (await read(`${name}/offer`)) as Offers[string];
    offers[String(offer.merchant_sku)] = offer;
  }
  return offers;
}
