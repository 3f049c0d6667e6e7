/** offerbook catalog: shows and corrects the products that the catalog knows. */
import { Option } from 'commander';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { type Int64, readId } from '../../domain/int64.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import { correctProduct, showProduct } from '../../operations/review/correct-catalog.ts';
import type { CliCommand } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { counted, printable } from '../table.ts';
import { leafWarnings } from './category-warnings.ts';
import { changeRules, type RuleChangeOptions } from './rule-change.ts';
import { changeSetup } from './setup-session.ts';

interface ShowOptions extends OutputOptions {
  readonly env: Environment;
}

interface SetOptions extends ShowOptions, RuleChangeOptions {
  readonly brand?: string;
  readonly title?: string;
  readonly category?: Int64 | string;
  readonly sameAs?: string;
}

export function addCatalogCommands(program: CliCommand, shell: Shell): void {
  const catalog = program.command('catalog').description('Show and correct products of the catalog.');

  catalog
    .command('show')
    .description('Show the product with this code.')
    .argument('<code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN')
    .addOption(environmentOption())
    .action((code: string, options: ShowOptions) => show(shell, code, options))
    .examples('catalog show 012345678905', 'catalog show asin:B00ABCD123 --env test --json');

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
    .option('--same-as <code>', 'merge into the product with this code, or "none" to separate them')
    .ruleChangeOptions()
    .action((code: string, options: SetOptions) => set(shell, code, options))
    .examples(
      'catalog set 012345678905 --brand "Potter & Sons"',
      'catalog set 012345678905 --env test --category 1010100',
      'catalog set 012345678905 --same-as 9780306406157',
    );
}

function environmentOption(): Option {
  return new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).default('live');
}

async function show(shell: Shell, code: string, options: ShowOptions): Promise<void> {
  const sent = { environment: options.env, code };
  const { value: product } = await changeSetup(shell, sent, ({ store, checks }, body) =>
    showProduct({ store: store.catalog, checks }, body),
  );
  print(shell, options, { json: productJson(product), lines: productLines(product) });
}

async function set(shell: Shell, code: string, options: SetOptions): Promise<void> {
  const { env: environment, brand, title } = options;
  const category = options.category === 'none' ? null : options.category;
  await changeRules(shell, options, {
    sent: { environment, code, brand, title, category, same_as: options.sameAs === 'none' ? null : options.sameAs },
    operation: ({ store, checks }, body, gate) => correctProduct({ store: store.catalog, checks }, body, gate),
    result: async ({ product, offers }) => ({
      json: { ...productJson(product), offers },
      done: `${counted(offers, 'offer')} will be re-reviewed.`,
      more: productLines(product),
      warnings:
        category === undefined || product.categoryId === null ? [] : await leafWarnings(shell, product.categoryId),
    }),
  });
}

function productJson({ code, brand, title, categoryId, origin, sameAs }: KnownProduct) {
  return { code, brand, title, category: categoryId, origin, same_as: sameAs ?? null };
}

function productLines({ code, brand, title, categoryId, origin, sameAs }: KnownProduct): string[] {
  return [
    `${code}  ${printable(title)}`,
    `Brand ${printable(brand)}, category ${categoryId ?? 'none'}; from ${origin === 'offer' ? 'an offer' : 'the operator'}`,
    ...(sameAs === undefined ? [] : [`Merged into ${sameAs}`]),
  ];
}

/** Keeps text that is not an id, because the operation refuses it with its own message. */
function categoryId(text: string): Int64 | string {
  return readId(text) ?? text;
}
