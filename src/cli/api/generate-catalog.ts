/**
 * offerbook generate-catalog: writes a made-up catalog as a bulk file, to try out uploads and the review and to measure
 * speed.
 */
import { Option } from 'commander';
import type { CatalogPlan } from '../../catalog-generator/catalog.ts';
import { CATALOG_FILE_TYPES, type CatalogFileType, catalogFile } from '../../catalog-generator/catalog-file.ts';
import { CATALOG_LIMITS } from '../../catalog-generator/product-codes.ts';
import { readSettings } from '../../config/settings.ts';
import { DEMO_NODES } from '../../demo/demo-merchant.ts';
import { writeChunks } from '../chunk-file.ts';
import { STANDARD_STREAM } from '../data/export-file.ts';
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
  const counts = { rows: 0 };
  await writeChunks(shell, { out, what: 'The catalog' }, piecesOf(shell, plan, type, skus, counts));
  const { rows } = counts;
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

/** Yields the pieces of the catalog and counts their rows. */
function* piecesOf(shell: Shell, plan: CatalogPlan, type: CatalogFileType, skus: number, counts: { rows: number }) {
  using progress = startProgress(shell, 'Writing', 'SKUs');
  for (const piece of catalogFile(plan, type, skus)) {
    counts.rows += piece.rows;
    progress.show(piece.skus, skus);
    yield piece.bytes;
  }
}
