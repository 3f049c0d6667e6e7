/** Creates the measured bulk files: a generated catalog, compressed, as merchants send it. */
import { createWriteStream, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CatalogPlan } from '../src/catalog-generator/catalog.ts';
import { type CatalogFileType, catalogFile } from '../src/catalog-generator/catalog-file.ts';
import { DEMO_NODES } from '../src/demo/demo-merchant.ts';

export interface GeneratedFile {
  readonly type: CatalogFileType;
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Uncompressed size. */
  readonly bytesPerRow: number;
  readonly rowsPerSecond: number;
}

const IMAGES = ['a', 'b', 'c', 'd'].map((name) => `https://images.example/${name}.jpg`);

/** Plans a catalog. Catalogs of different seeds have no SKU in common. */
export function planOf(seed: number, images: readonly string[] = IMAGES): CatalogPlan {
  return { seed, images, nodeIds: DEMO_NODES.map(({ id }) => id) };
}

export async function generateFile(
  folder: string,
  type: CatalogFileType,
  seed: number,
  rows: number,
  images?: readonly string[],
): Promise<GeneratedFile> {
  const file = path.join(folder, `${type}-${seed}-${rows}.json.gz`);
  let unpackedBytes = 0;
  const pieces = function* () {
    for (const { bytes } of catalogFile(planOf(seed, images), type, rows)) {
      unpackedBytes += bytes.length;
      yield bytes;
    }
  };
  const startMs = performance.now();
  const source = Readable.from(pieces(), { objectMode: true, highWaterMark: 1 });
  await pipeline(source, createGzip({ level: 1, chunkSize: 262_144 }), createWriteStream(file));
  const seconds = (performance.now() - startMs) / 1000;
  const { size: bytes } = statSync(file);
  return { type, path: file, rows, bytes, bytesPerRow: unpackedBytes / rows, rowsPerSecond: rows / seconds };
}
