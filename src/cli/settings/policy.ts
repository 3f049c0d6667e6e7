/** offerbook policy: defines what may not be sold, and which brands only some merchants may sell. */
import { type Command, InvalidArgumentError } from 'commander';
import type { SentBody } from '../../domain/body-text.ts';
import { type Int64, readId } from '../../domain/int64.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Policy } from '../../domain/review/policies.ts';
import { type CatalogCode, readCatalogCode } from '../../domain/review/product-code.ts';
import type { PolicyUpload } from '../../domain/setup/policy.ts';
import { isBlank } from '../../domain/text.ts';
import { addPolicy, grantBrand, listPolicies, removePolicy } from '../../operations/review/change-policies.ts';
import type { ChangeGate } from '../../operations/review/rule-change.ts';
import type { SetupContext } from '../../operations/setup/setup-context.ts';
import { collect, finish } from '../options.ts';
import { printWarned } from '../serve/warnings.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { branchWarnings } from './category-warnings.ts';
import {
  impactJson,
  impactLines,
  openGate,
  PREVIEW_OPTION,
  RULE_NOTICE,
  type RuleChangeOptions,
  YES_OPTION,
} from './rule-change.ts';
import { changeSetup, readSetup } from './setup-session.ts';

interface ThingOptions extends RuleChangeOptions {
  readonly brand?: string;
  readonly category?: Int64;
  readonly code?: CatalogCode;
}

interface RemoveOptions extends ThingOptions {
  readonly restriction?: string;
  readonly merchant?: readonly string[];
}

interface MerchantsOptions extends RuleChangeOptions {
  readonly merchant?: readonly string[];
}

export function addPolicyCommands(program: Command, shell: Shell): void {
  const policy = program
    .command('policy')
    .description('Define excluded brands, categories and products, and brands that only some merchants may sell.');

  finish(
    policy
      .command('list')
      .description('List the policies.')
      .action((options: OutputOptions) => list(shell, options)),
    ['policy list', 'policy list --json'],
  );

  const exclude = policy
    .command('exclude')
    .description('Exclude a brand, a category with its subcategories, or a product: its offers become "Excluded".');
  addThingOptions(exclude).action(async (options: ThingOptions) => {
    const sent = excluded(options);
    const warnings = options.category === undefined ? [] : await branchWarnings(shell, options.category);
    await change(shell, options, sent, addPolicy, 'was added', warnings);
  });
  finish(exclude, [
    'policy exclude --brand "Copycat" --preview',
    'policy exclude --brand "Copycat"',
    'policy exclude --category 1010000',
    'policy exclude --code 012345678905',
  ]);

  finish(
    policy
      .command('restrict')
      .description('Restrict a brand: offers of merchants without a grant become "Unauthorized".')
      .argument('<brand>', 'the brand; case, spacing and punctuation are ignored', brand)
      .option('--merchant <id>', 'a merchant that may sell it; repeat for several', collect)
      .option(...PREVIEW_OPTION)
      .option(...YES_OPTION)
      .action((name: string, { merchant = [], ...options }: MerchantsOptions) =>
        change(shell, options, restricted(name, merchant), addPolicy, 'was added'),
      ),
    ['policy restrict "Potter & Sons"', 'policy restrict Acme --merchant acme'],
  );

  finish(
    policy
      .command('grant')
      .description('Grant a restricted brand to more merchants, in both environments.')
      .argument('<brand>', 'the brand; case, spacing and punctuation are ignored', brand)
      .requiredOption('--merchant <id>', 'a merchant that may sell it; repeat for several', collect)
      .option(...PREVIEW_OPTION)
      .option(...YES_OPTION)
      .action((name: string, { merchant = [], ...options }: MerchantsOptions) =>
        change(shell, options, restricted(name, merchant), grantBrand, 'was added'),
      ),
    ['policy grant "Potter & Sons" --merchant acme'],
  );

  const remove = policy.command('remove').description('Remove an exclusion, a restriction or individual grants.');
  addThingOptions(remove)
    .option('--restriction <brand>', 'the brand to stop restricting', brand)
    .option('--merchant <id>', "remove only this merchant's grant; repeat for several", collect)
    .action((options: RemoveOptions) => change(shell, options, removed(options), removePolicy, 'was removed'));
  finish(remove, [
    'policy remove --brand "Copycat"',
    'policy remove --restriction Acme',
    'policy remove --restriction Acme --merchant acme',
  ]);
}

function addThingOptions(command: Command): Command {
  return command
    .option('--brand <brand>', 'the excluded brand; case, spacing and punctuation are ignored', brand)
    .option('--category <id>', 'id of the taxonomy node', nodeId)
    .option('--code <code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN', productCode)
    .option(...PREVIEW_OPTION)
    .option(...YES_OPTION);
}

function excluded({ brand: name, category, code }: ThingOptions): PolicyUpload {
  const given: PolicyUpload[] = [
    ...(name === undefined ? [] : [{ kind: 'excluded_brand', brand: name } as const]),
    ...(category === undefined ? [] : [{ kind: 'excluded_category', category } as const]),
    ...(code === undefined ? [] : [{ kind: 'excluded_code', code } as const]),
  ];
  const [first] = given;
  if (first !== undefined && given.length === 1) return first;
  throw new InvalidArgumentError('Give exactly one of --brand, --category and --code.');
}

function restricted(name: string, merchants: readonly string[]): PolicyUpload {
  return { kind: 'restricted_brand', brand: name, merchants: [...merchants] };
}

function removed({ restriction, merchant = [], ...options }: RemoveOptions): PolicyUpload {
  if (restriction === undefined) {
    if (merchant.length > 0) throw new InvalidArgumentError('--merchant needs --restriction.');
    return excluded(options);
  }
  const isElse = options.brand !== undefined || options.category !== undefined || options.code !== undefined;
  if (isElse) throw new InvalidArgumentError('--restriction cannot be combined with --brand, --category or --code.');
  return restricted(restriction, merchant);
}

async function change(
  shell: Shell,
  options: RuleChangeOptions,
  sent: PolicyUpload,
  operation: (context: SetupContext, body: SentBody, gate: ChangeGate) => Promise<Outcome<Policy>>,
  done: string,
  warnings: readonly string[] = [],
): Promise<void> {
  const gate = openGate(shell, options);
  const { value } = await changeSetup(shell, sent, (context, body) => operation(context, body, gate));
  printWarned(shell, options, {
    json: { policy: policyJson(value), ...impactJson(gate, options) },
    lines: impactLines(gate, options, `${sentence(value)} ${done}. ${RULE_NOTICE}`),
    warnings,
  });
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value } = await readSetup(shell, listPolicies);
  const rows = value.map((policy) => {
    const { policy: kind, ...rest } = policyJson(policy);
    const granted = policy.kind === 'restricted_brand' ? policy.merchantIds.join(', ') || 'none' : '';
    return [kind.replace('_', ' '), String(Object.values(rest)[0]), granted];
  });
  print(shell, options, {
    json: { policies: value.map(policyJson) },
    lines: rows.length === 0 ? ['There are no policies.'] : table(['POLICY', 'WHAT', 'GRANTED TO'], rows),
  });
}

function policyJson(policy: Policy) {
  switch (policy.kind) {
    case 'excluded_brand':
      return { policy: policy.kind, brand: policy.brand };
    case 'excluded_category':
      return { policy: policy.kind, category: policy.nodeId };
    case 'excluded_code':
      return { policy: policy.kind, code: policy.code };
    case 'restricted_brand':
      return { policy: policy.kind, brand: policy.brand, merchants: policy.merchantIds };
  }
}

function sentence(policy: Policy): string {
  switch (policy.kind) {
    case 'excluded_brand':
      return `The exclusion of the brand ${printable(policy.brand)}`;
    case 'excluded_category':
      return `The exclusion of the category ${policy.nodeId}`;
    case 'excluded_code':
      return `The exclusion of the product ${policy.code}`;
    case 'restricted_brand': {
      const merchants = policy.merchantIds.join(', ');
      return merchants === ''
        ? `The restriction of the brand ${printable(policy.brand)}`
        : `The grant of the brand ${printable(policy.brand)} to ${merchants}`;
    }
  }
}

function brand(text: string): string {
  if (isBlank(text)) throw new InvalidArgumentError('A brand must not be blank.');
  return text;
}

function nodeId(text: string): Int64 {
  const id = readId(text);
  if (id === undefined) throw new InvalidArgumentError('It must be the id of a node.');
  return id;
}

function productCode(text: string): CatalogCode {
  const code = readCatalogCode(text);
  if (code === undefined) throw new InvalidArgumentError('It must be a valid product code.');
  return code;
}
