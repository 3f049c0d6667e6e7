/**
 * offerbook generate-catalog: writes a made-up catalog as a bulk file, to try out uploads and the review and to measure
 * speed.
 */
import { createWriteStream } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { Option } from 'commander';
import type { CatalogPlan } from '../../catalog-generator/catalog.ts';
import { CATALOG_FILE_TYPES, type CatalogFileType, catalogFile } from '../../catalog-generator/catalog-file.ts';
import { CATALOG_LIMITS } from '../../catalog-generator/product-codes.ts';
import { readSettings } from '../../config/settings.ts';
import { DEMO_NODES } from '../../demo/demo-merchant.ts';
import { DraftFile } from '../../store/sqlite/engine/draft-file.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
import { accepted, refusal } from '../failure.ts';
import { type CliCommand, collect, wholeNumber } from '../options.ts';
import { startProgress } from '../progress.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { counted, printable } from '../table.ts';
import { listeningUrl } from './server-address.ts';

interface GenerateOptions extends OutputOptions {
  readonly out: string;
  readonly type: CatalogFileType;
  readonly seed: number;
  readonly node?: readonly string[];
  readonly image?: readonly string[];
}

const PACKED_SUFFIX = '.gz';

export function addGenerateCatalogCommand(program: CliCommand, shell: Shell): void {
  program
    .command('generate-catalog')
    .description(
      'Write a made-up catalog as a bulk file: 1.4 KB per SKU, valid product codes, clothing in sizes and colors, shoes ' +
        'and single products of the starter taxonomy. The same seed gives the same SKUs and matching prices, stock and ' +
        "groups. Without --image and --node, it uses the demo's images and nodes.",
    )
    .argument(
      '<count>',
      `number of SKUs, up to ${CATALOG_LIMITS.skus_max}`,
      wholeNumber({ from: 1, to: CATALOG_LIMITS.skus_max }),
    )
    .option(
      '--out <file>',
      'file to write, compressed if its name ends in .gz, "-" for standard output; an existing file is not overwritten',
      STANDARD_STREAM,
    )
    .addOption(new Option('--type <type>', 'type of file').choices(CATALOG_FILE_TYPES).default('MerchantSKUs'))
    .option(
      '--seed <number>',
      `seed from 1 to ${CATALOG_LIMITS.seed_max}; the same seed gives the same SKUs`,
      wholeNumber({ from: 1, to: CATALOG_LIMITS.seed_max }),
      1,
    )
    .option('--node <id>', "fulfillment node with stock; may be repeated (default: the demo's nodes)", collect)
    .option('--image <url>', "URL of an image; may be repeated (default: the demo's images)", collect)
    .action((count: number, options: GenerateOptions) => generate(shell, count, options))
    .examples(
      'generate-catalog 100000 --out catalog.json.gz',
      'generate-catalog 100000 --type Price --out prices.json.gz',
      'generate-catalog 10',
    );
}

async function generate(shell: Shell, skus: number, options: GenerateOptions): Promise<void> {
  const { out, type, seed } = options;
  const plan = {
    seed,
    images: options.image ?? (await demoImages(shell)),
    nodeIds: options.node ?? DEMO_NODES.map(({ id }) => id),
  };
  const isStandard = out === STANDARD_STREAM;
  const order = { plan, type, skus };
  const rows = isStandard
    ? await write(shell, order, { stream: shell.output, end: false, packed: false })
    : await writeFile(shell, order, out);
  // Prints to standard error if standard output holds the catalog itself.
  print(isStandard ? { ...shell, out: shell.err } : shell, options, {
    json: { file: out, file_type: type, seed, skus, rows },
    lines: [`Wrote ${counted(rows, 'row')} (${type}) to ${isStandard ? 'standard output' : printable(out)}.`],
  });
}

/** Returns the image URLs of the demo that runs on the data folder, or of one with the same settings. */
async function demoImages(shell: Shell): Promise<readonly string[]> {
  // Loaded only here, because the library that draws the images takes a while to load.
  const { imageHost } = await import('../../demo/image-server.ts');
  const { DEMO_IMAGE_NAMES } = await import('../../demo/images/demo-image.ts');
  const { port, protocol } = new URL(await listeningUrl(readSettings(shell.variables)));
  const host = imageHost(Number(port || (protocol === 'https:' ? 443 : 80)));
  return DEMO_IMAGE_NAMES.map((name) => `http://${host}/${name}.jpg`);
}

/** The catalog to write. */
interface Order {
  readonly plan: CatalogPlan;
  readonly type: CatalogFileType;
  readonly skus: number;
}

async function writeFile(shell: Shell, order: Order, file: string): Promise<number> {
  using draft = accepted(DraftFile.create(file));
  const stream = createWriteStream(draft.path);
  const rows = await write(shell, order, { stream, end: true, packed: file.endsWith(PACKED_SUFFIX) });
  accepted(draft.keep());
  return rows;
}

interface Target {
  readonly stream: Writable;
  readonly end: boolean;
  readonly packed: boolean;
}

/** Returns the number of rows. */
async function write(shell: Shell, { plan, type, skus }: Order, { stream, end, packed }: Target): Promise<number> {
  using progress = startProgress(shell, 'Writing', 'SKUs');
  let rows = 0;
  const pieces = function* () {
    for (const piece of catalogFile(plan, type, skus)) {
      rows += piece.rows;
      progress.show(piece.skus, skus);
      yield piece.bytes;
    }
  };
  // Works one chunk ahead: gzip compresses in its own thread while the next chunk is generated.
  const source = Readable.from(pieces(), { objectMode: true, highWaterMark: 1 });
  try {
    // The fastest level compresses such text to a tenth. A better level would make the generator wait.
    const stages = packed ? [createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 262_144 })] : [];
    await pipeline([source, ...stages, stream], { end });
    return rows;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'write' && code !== 'EPIPE') throw error;
    throw refusal('file_unwritable', `The catalog cannot be written: ${(error as Error).message}.`);
  }
}
