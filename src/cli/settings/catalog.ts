/** offerbook catalog: shows and corrects the products that the catalog knows. */
import { type Command, Option } from 'commander';
import { nameSettings, readSettings } from '../../config/settings.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { readBodyValue, type SentBody } from '../../domain/body-text.ts';
import { type Int64, readId } from '../../domain/int64.ts';
import { Names } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import { createSetupChecks } from '../../domain/setup/all-setup.ts';
import { type CatalogCorrections, correctProduct, showProduct } from '../../operations/review/correct-catalog.ts';
import { openSetupStore } from '../../store/open-store.ts';
import { RefusedError } from '../failure.ts';
import { finish } from '../options.ts';
import { printWarned } from '../serve/warnings.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { counted, printable } from '../table.ts';
import { leafWarnings } from './category-warnings.ts';
import {
  impactJson,
  impactLines,
  openGate,
  PREVIEW_OPTION,
  type RuleChangeOptions,
  YES_OPTION,
} from './rule-change.ts';

interface ShowOptions extends OutputOptions {
  readonly env: Environment;
}

interface SetOptions extends ShowOptions, RuleChangeOptions {
  readonly brand?: string;
  readonly title?: string;
  readonly category?: Int64 | string;
}

export function addCatalogCommands(program: Command, shell: Shell): void {
  const catalog = program.command('catalog').description('Show and correct products of the catalog.');

  finish(
    catalog
      .command('show')
      .description('Show the product with this code.')
      .argument('<code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN')
      .addOption(environmentOption())
      .action((code: string, options: ShowOptions) => show(shell, code, options)),
    ['catalog show 012345678905', 'catalog show asin:B00ABCD123 --env test --json'],
  );

  finish(
    catalog
      .command('set')
      .description(
        'Correct or add the product with this code; omitted options keep their values. A new product needs --brand and --title. Offers with the code are re-reviewed.',
      )
      .argument('<code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN')
      .addOption(environmentOption())
      .option('--brand <brand>', 'brand of the product')
      .option('--title <title>', 'title of the product')
      .option('--category <id>', 'taxonomy node for offers without one, or "none" to remove it', categoryId)
      .option(...PREVIEW_OPTION)
      .option(...YES_OPTION)
      .action((code: string, options: SetOptions) => set(shell, code, options)),
    ['catalog set 012345678905 --brand "Potter & Sons"', 'catalog set 012345678905 --env test --category 1010100'],
  );
}

function environmentOption(): Option {
  return new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).default('live');
}

async function show(shell: Shell, code: string, options: ShowOptions): Promise<void> {
  const product = await withCatalog(shell, { environment: options.env, code }, showProduct);
  print(shell, options, { json: productJson(product), lines: productLines(product) });
}

async function set(shell: Shell, code: string, options: SetOptions): Promise<void> {
  const { env: environment, brand, title } = options;
  const category = options.category === 'none' ? null : options.category;
  const gate = openGate(shell, options);
  const sent = { environment, code, brand, title, category };
  const { product, offers } = await withCatalog(shell, sent, (context, body) => correctProduct(context, body, gate));
  const { categoryId: named } = product;
  printWarned(shell, options, {
    json: { ...productJson(product), offers, ...impactJson(gate, options) },
    lines: [
      ...impactLines(gate, options, `${counted(offers, 'offer')} will be re-reviewed.`),
      ...productLines(product),
    ],
    warnings: category === undefined || named === null ? [] : await leafWarnings(shell, named),
  });
}

async function withCatalog<T>(
  shell: Shell,
  sent: Readonly<Record<string, unknown>>,
  operation: (context: CatalogCorrections, body: SentBody) => Promise<Outcome<T>>,
): Promise<T> {
  const settings = readSettings(shell.variables);
  const checks = createSetupChecks(new Names(nameSettings(settings)));
  const session = await openSetupStore(settings);
  try {
    const outcome = await operation({ store: session.catalog, checks }, readBodyValue(sent));
    if (!outcome.ok) throw new RefusedError(outcome.problems, sent);
    return outcome.value;
  } finally {
    await session.close();
  }
}

function productJson({ code, brand, title, categoryId, origin }: KnownProduct) {
  return { code, brand, title, category: categoryId, origin };
}

function productLines({ code, brand, title, categoryId, origin }: KnownProduct): string[] {
  return [
    `${code}  ${printable(title)}`,
    `Brand ${printable(brand)}, category ${categoryId ?? 'none'}; from ${origin === 'offer' ? 'an offer' : 'the operator'}`,
  ];
}

/** Keeps text that is not an id, because the operation refuses it with its own message. */
function categoryId(text: string): Int64 | string {
  return readId(text) ?? text;
}
