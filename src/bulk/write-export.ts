/** Writes exports of the storefront, compressed. An interrupted export restarts from its first product. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Environment } from '../domain/account.ts';
import type { Report } from '../domain/bulk-files.ts';
import { FEED_FORMATS } from '../domain/vocabulary/file-types.ts';
import type { RankOrder } from '../domain/vocabulary/rank-parts.ts';
import type { FileDraft } from '../files/file-storage.ts';
import { exportTexts } from '../operations/storefront/exports.ts';
import { feedFormat, feedTexts } from '../operations/storefront/write-feed.ts';
import type { StorefrontStore } from '../store/port/storefront.ts';

export interface FeedSettings {
  readonly currency: string;
  /** Undefined if no links can be made, so that only NDJSON can be written. */
  readonly storefrontUrl: string | undefined;
}

export interface ExportParts extends FeedSettings {
  readonly storefront: Pick<StorefrontStore, 'listShopGroup' | 'listShopProducts' | 'readShopProduct'>;
  readonly order: () => Promise<RankOrder>;
  readonly environmentOf: (accountId: number) => Promise<Environment>;
}

/** The fastest level: higher levels take several times as long for a file that is a third smaller. */
const GZIP = { level: 1 };

export async function writeExport(
  parts: ExportParts,
  { accountId, format }: Pick<Report, 'accountId' | 'format'>,
  draft: FileDraft,
  signal: AbortSignal,
): Promise<void> {
  const texts = textsOf(parts, await parts.environmentOf(accountId), format, await parts.order());
  const write = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await draft.write(chunk);
  };
  await pipeline(Readable.from(texts, { objectMode: false }), createGzip(GZIP), write, { signal });
}

function textsOf(
  { storefront, currency, storefrontUrl }: ExportParts,
  environment: Environment,
  name: string,
  order: RankOrder,
) {
  const format = FEED_FORMATS.find((each) => each === name);
  if (format === undefined) return exportTexts(storefront, environment, order);
  if (storefrontUrl === undefined) throw new Error('STOREFRONT_URL is no longer set.');
  const counts = { products: 0, offers: 0, leftOut: {} };
  return feedTexts(storefront, environment, feedFormat(format, { currency, storefrontUrl }), counts, order);
}
