/** offerbook policy: defines what may not be sold, and which brands only some merchants may sell. */
import { InvalidArgumentError } from 'commander';
import type { SentBody } from '../../domain/body-text.ts';
import { type Int64, readId } from '../../domain/int64.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Policy } from '../../domain/review/policies.ts';
import { type CatalogCode, readCatalogCode } from '../../domain/review/product-code.ts';
import type { PolicyUpload } from '../../domain/setup/policy.ts';
import { isBlank } from '../../domain/text/text-rules.ts';
import { RANK_PART_NAMES, type RankPart } from '../../domain/vocabulary/rank-parts.ts';
import {
  addPolicy,
  grantBrand,
  listPolicies,
  policyFields,
  removePolicy,
} from '../../operations/review/change-policies.ts';
import type { ChangeGate } from '../../operations/review/rule-change.ts';
import type { SetupContext } from '../../operations/setup/merchant-accounts.ts';
import { type CliCommand, collect } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { branchWarnings } from './category-warnings.ts';
import { changeRules, RULE_NOTICE, type RuleChangeOptions } from './rule-change.ts';
import { NOTICE, readSetup } from './setup-session.ts';

interface ThingOptions extends RuleChangeOptions {
  readonly brand?: string;
  readonly category?: Int64;
  readonly code?: CatalogCode;
}

interface MerchantsOptions extends RuleChangeOptions {
  readonly merchant?: readonly string[];
}

interface RemoveOptions extends ThingOptions, MerchantsOptions {
  readonly restriction?: string;
}

export function addPolicyCommands(program: CliCommand, shell: Shell): void {
  const policy = program
    .command('policy')
    .description('Define excluded brands, categories and products, and brands that only some merchants may sell.');

  policy
    .command('list')
    .description('List the policies.')
    .action((options: OutputOptions) => list(shell, options))
    .examples('policy list', 'policy list --json');

  addThingOptions(policy.command('exclude'))
    .description('Exclude a brand, a category with its subcategories, or a product: its offers become "Excluded".')
    .action(async (options: ThingOptions) => {
      const sent = excluded(options);
      const warnings = options.category === undefined ? [] : await branchWarnings(shell, options.category);
      await change(shell, options, { sent, operation: addPolicy, done: 'was added', warnings });
    })
    .examples(
      'policy exclude --brand "Copycat" --preview',
      'policy exclude --brand "Copycat"',
      'policy exclude --category 1010000',
      'policy exclude --code 012345678905',
    );

  policy
    .command('restrict')
    .description('Restrict a brand: offers of merchants without a grant become "Unauthorized".')
    .argument('<brand>', 'the brand; case, spacing and punctuation are ignored', brand)
    .option('--merchant <id>', 'a merchant that may sell it; repeat for several', collect)
    .ruleChangeOptions()
    .action((name: string, options: MerchantsOptions) =>
      change(shell, options, { sent: restricted(name, options), operation: addPolicy, done: 'was added' }),
    )
    .examples('policy restrict "Potter & Sons"', 'policy restrict Acme --merchant acme');

  policy
    .command('order')
    .description('Set what ranks the offers of a product in the storefront. The default is total,stock,time.')
    .argument('<parts>', `parts separated by commas, the first one first: ${RANK_PART_NAMES.join(', ')}`, rankOrder)
    .ruleChangeOptions()
    .action((order: RankPart[], options: RuleChangeOptions) =>
      change(shell, options, { sent: { kind: 'rank_order', order }, operation: addPolicy, done: 'was set' }),
    )
    .examples('policy order price,stock,time --preview', 'policy order price,stock,time');

  policy
    .command('grant')
    .description('Grant a restricted brand to more merchants, in both environments.')
    .argument('<brand>', 'the brand; case, spacing and punctuation are ignored', brand)
    .requiredOption('--merchant <id>', 'a merchant that may sell it; repeat for several', collect)
    .ruleChangeOptions()
    .action((name: string, options: MerchantsOptions) =>
      change(shell, options, { sent: restricted(name, options), operation: grantBrand, done: 'was added' }),
    )
    .examples('policy grant "Potter & Sons" --merchant acme');

  addThingOptions(policy.command('remove'))
    .description('Remove an exclusion, a restriction or individual grants.')
    .option('--restriction <brand>', 'the brand to stop restricting', brand)
    .option('--merchant <id>', "remove only this merchant's grant; repeat for several", collect)
    .action((options: RemoveOptions) =>
      change(shell, options, { sent: removed(options), operation: removePolicy, done: 'was removed' }),
    )
    .examples(
      'policy remove --brand "Copycat"',
      'policy remove --restriction Acme',
      'policy remove --restriction Acme --merchant acme',
    );
}

function addThingOptions(command: CliCommand): CliCommand {
  return command
    .option('--brand <brand>', 'the excluded brand; case, spacing and punctuation are ignored', brand)
    .option('--category <id>', 'id of the taxonomy node', nodeId)
    .option('--code <code>', 'the product code: UPC, EAN, ISBN, GTIN-14 or ASIN', productCode)
    .ruleChangeOptions();
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

function restricted(name: string, { merchant = [] }: MerchantsOptions): PolicyUpload {
  return { kind: 'restricted_brand', brand: name, merchants: [...merchant] };
}

function removed(options: RemoveOptions): PolicyUpload {
  const { restriction, merchant = [], brand: name, category, code } = options;
  if (restriction === undefined) {
    if (merchant.length > 0) throw new InvalidArgumentError('--merchant needs --restriction.');
    return excluded(options);
  }
  const isElse = name !== undefined || category !== undefined || code !== undefined;
  if (isElse) throw new InvalidArgumentError('--restriction cannot be combined with --brand, --category or --code.');
  return restricted(restriction, options);
}

interface PolicyChange {
  readonly sent: PolicyUpload;
  readonly operation: (context: SetupContext, body: SentBody, gate: ChangeGate) => Promise<Outcome<Policy>>;
  /** End of the sentence that describes the change. */
  readonly done: string;
  readonly warnings?: readonly string[];
}

function change(shell: Shell, options: RuleChangeOptions, { done, warnings = [], ...sent }: PolicyChange) {
  return changeRules(shell, options, {
    ...sent,
    result: (policy) => ({
      json: { policy: policyJson(policy) },
      done: `${sentence(policy)} ${done}. ${policy.kind === 'rank_order' ? NOTICE : RULE_NOTICE}`,
      warnings,
    }),
  });
}

async function list(shell: Shell, options: OutputOptions): Promise<void> {
  const { value } = await readSetup(shell, listPolicies);
  const rows = value.map((policy) => {
    const { kind, brand: name, category, code, merchants, order } = policyFields(policy);
    const granted = kind === 'restricted_brand' ? merchants.join(', ') || 'none' : '';
    return [kind.replace('_', ' '), String(name ?? category ?? code ?? order?.join(', ')), granted];
  });
  print(shell, options, {
    json: { policies: value.map(policyJson) },
    lines: table(['POLICY', 'WHAT', 'GRANTED TO'], rows, 'There are no policies.'),
  });
}

function policyJson(policy: Policy) {
  const { kind, merchants, ...things } = policyFields(policy);
  const thing = Object.fromEntries(Object.entries(things).filter(([, value]) => value !== null));
  return { policy: kind, ...thing, ...(kind === 'restricted_brand' ? { merchants } : {}) };
}

const SENTENCES: Readonly<Record<Policy['kind'], string>> = {
  excluded_brand: 'The exclusion of the brand',
  excluded_category: 'The exclusion of the category',
  excluded_code: 'The exclusion of the product',
  restricted_brand: 'The restriction of the brand',
  rank_order: 'The order of offers',
};

function sentence(policy: Policy): string {
  const { kind, brand: name, category, code, merchants, order } = policyFields(policy);
  const what = printable(String(name ?? category ?? code ?? order?.join(', ')));
  return merchants.length === 0
    ? `${SENTENCES[kind]} ${what}`
    : `The grant of the brand ${what} to ${merchants.join(', ')}`;
}

function brand(text: string): string {
  if (isBlank(text)) throw new InvalidArgumentError('A brand must not be blank.');
  return text;
}

function rankOrder(text: string): RankPart[] {
  const parts = text.split(',').map((name) => RANK_PART_NAMES.find((part) => part === name));
  if (parts.includes(undefined) || new Set(parts).size < parts.length) {
    throw new InvalidArgumentError(`It must be different ones of ${RANK_PART_NAMES.join(', ')}.`);
  }
  return parts as RankPart[];
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
