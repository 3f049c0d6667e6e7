/** offerbook catalog: shows and corrects the products that the catalog knows. */
import { type Command, Option } from 'commander';
import { readSettings } from '../config/settings.ts';
import { ENVIRONMENTS, type Environment } from '../domain/account.ts';
import { type Int64, readId } from '../domain/int64.ts';
import type { Outcome } from '../domain/outcome.ts';
import { requestProblem } from '../domain/problem.ts';
import type { KnownProduct } from '../domain/review/catalog.ts';
import { type CatalogCode, readCatalogCode } from '../domain/review/product-code.ts';
import { setProduct, showProduct } from '../operations/review/correct-catalog.ts';
import { openCatalogDesk } from '../store/open-store.ts';
import type { CatalogDesk } from '../store/review-port.ts';
import { RefusedError } from './failure.ts';
import { finish } from './options.ts';
import { type OutputOptions, print, type Shell } from './shell.ts';
import { printable } from './table.ts';

interface ShowOptions extends OutputOptions {
  readonly env: Environment;
}

interface SetOptions extends ShowOptions {
  readonly brand?: string;
  readonly title?: string;
  readonly category?: string;
}

export function addCatalogCommands(program: Command, shell: Shell): void {
  const catalog = program.command('catalog').description('Shows and corrects what the catalog knows of products.');

  finish(
    catalog
      .command('show')
      .description('Shows the product of a code.')
      .argument('<code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN')
      .addOption(environmentOption())
      .action((code: string, options: ShowOptions) => show(shell, code, options)),
    ['catalog show 012345678905', 'catalog show asin:B00ABCD123 --env test --json'],
  );

  finish(
    catalog
      .command('set')
      .description(
        'Corrects the product of a code, or adds it; what is not given stays as it is. Offers of the code are judged again.',
      )
      .argument('<code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN')
      .addOption(environmentOption())
      .option('--brand <brand>', 'its brand')
      .option('--title <title>', 'what it is called')
      .option('--category <id>', 'the node of the taxonomy for offers that name none')
      .action((code: string, options: SetOptions) => set(shell, code, options)),
    ['catalog set 012345678905 --brand "Potter & Sons"', 'catalog set 012345678905 --env test --category 1010100'],
  );
}

function environmentOption(): Option {
  return new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).default('live');
}

async function show(shell: Shell, text: string, options: ShowOptions): Promise<void> {
  const code = codeOf(text);
  const product = await atDesk(shell, (desk) => showProduct(desk, options.env, code));
  print(shell, options, { json: productJson(product), lines: productLines(product) });
}

async function set(shell: Shell, text: string, options: SetOptions): Promise<void> {
  const code = codeOf(text);
  const { brand, title, category } = options;
  const given = {
    ...(brand === undefined ? {} : { brand }),
    ...(title === undefined ? {} : { title }),
    ...(category === undefined ? {} : { categoryId: categoryId(category) }),
  };
  const { product, offers } = await atDesk(shell, (desk) => setProduct(desk, options.env, code, given));
  const counted = offers === 1 ? 'One offer is' : `${offers.toLocaleString('en-US')} offers are`;
  print(shell, options, {
    json: { ...productJson(product), offers },
    lines: [...productLines(product), `${counted} judged again.`],
  });
}

async function atDesk<T>(shell: Shell, operation: (desk: CatalogDesk) => Promise<Outcome<T>>): Promise<T> {
  const desk = await openCatalogDesk(readSettings(shell.variables));
  try {
    const outcome = await operation(desk);
    if (!outcome.ok) throw new RefusedError(outcome.problems, {});
    return outcome.value;
  } finally {
    await desk.close();
  }
}

function productJson({ code, brand, title, categoryId, origin }: KnownProduct) {
  return { code, brand, title, category: categoryId, origin };
}

function productLines({ code, brand, title, categoryId, origin }: KnownProduct): string[] {
  return [
    `${code}  ${printable(title)}`,
    `Brand ${printable(brand)}, category ${categoryId ?? 'none'}; said by ${origin === 'offer' ? 'an offer' : 'the operator'}`,
  ];
}

function codeOf(text: string): CatalogCode {
  const code = readCatalogCode(text);
  if (code !== undefined) return code;
  throw new RefusedError([requestProblem('product_code_invalid', `${text} is no correct product code.`)], {});
}

function categoryId(text: string): Int64 {
  const id = readId(text);
  if (id !== undefined) return id;
  throw new RefusedError([requestProblem('taxonomy_node_not_found', `${text} is no id of a node.`)], {});
}
