/** Compares the formats of bulk files: the rates of NDJSON and CSV relative to JSON, each on a new database. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { CatalogFileType } from '../src/catalog-generator/catalog-file.ts';
import { jsonEntries } from '../src/domain/sheets/json-entries.ts';
import { csvText, sheetRows } from '../src/domain/sheets/write-rows.ts';
import { FILE_FORMATS, type FileFormat } from '../src/domain/vocabulary/file-types.ts';
import { startBulkServer } from './bulk-server.ts';
import type { FigureTable } from './floors.ts';
import { type GeneratedFile, generateFile } from './generated-files.ts';
import { watchFile } from './watched-file.ts';

const TYPES = ['MerchantSKUs', 'Price', 'Inventory'] as const satisfies readonly CatalogFileType[];
/** A multiple of the number of formats, so that each format runs first, second and last equally often. */
const ROUNDS = 6;
/** Required rates relative to JSON. */
const SHARE_MIN: Readonly<Partial<Record<FileFormat, number>>> = { NDJSON: 1, CSV: 0.6 };

/** Measures each format. Stock in CSV has more rows, because it has one for each SKU and node. */
export async function compareFormats(
  folder: string,
  rows: number,
  figures: FigureTable,
  newDatabase: ((name: string) => Promise<Readonly<Record<string, string>>>) | undefined,
): Promise<void> {
  const files: Record<FileFormat, GeneratedFile[]> = { JSON: [], NDJSON: [], CSV: [] };
  for (const type of TYPES) {
    const json = await generateFile(folder, type, 1, rows);
    for (const format of FILE_FORMATS) files[format].push(format === 'JSON' ? json : converted(json, format));
  }
  const rates = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const place of FILE_FORMATS.keys()) {
      const format = FILE_FORMATS[(round + place) % FILE_FORMATS.length] as FileFormat;
      const name = `${format.toLowerCase()}${round}`;
      const server = await startBulkServer(folder, name, (await newDatabase?.(name)) ?? {});
      try {
        for (const file of files[format]) {
          const { rowsPerSecond } = await watchFile(server.files, server.pid, file);
          const key = `${file.type} ${format}`;
          rates.set(key, [...(rates.get(key) ?? []), rowsPerSecond]);
        }
      } finally {
        await server.stop();
      }
    }
  }
  for (const type of TYPES) {
    for (const format of FILE_FORMATS) {
      const own = rates.get(`${type} ${format}`) ?? [];
      const json = rates.get(`${type} JSON`) ?? [];
      figures.figure({ what: `${type} as ${format}`, value: median(own), unit: 'rows/s' });
      const floor = SHARE_MIN[format];
      if (floor === undefined) continue;
      const share = median(own.map((rate, round) => rate / (json[round] ?? Number.NaN)));
      figures.figure({ what: `${type} as ${format}, relative to JSON`, value: share, unit: 'ratio', floor });
    }
  }
}

function converted(json: GeneratedFile, format: FileFormat): GeneratedFile {
  const text = gunzipSync(readFileSync(json.path)).toString();
  const path = json.path.replace('.json', `.${format.toLowerCase()}`);
  let written: string;
  if (format === 'NDJSON') {
    written = text.replaceAll(/^("[^"]*"):\{(.*?),?$/gm, '{"sku":$1,$2').replaceAll(/^[{}]\n/gm, '');
  } else {
    const entries = Array.from(jsonEntries(text), ([sku, body]) => ({ sku, body }));
    written = csvText(sheetRows(json.type as 'Price', entries));
  }
  const bytes = gzipSync(written, { level: 1 });
  writeFileSync(path, bytes);
  return { ...json, path, bytes: bytes.length };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
