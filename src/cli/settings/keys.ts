/** offerbook keys: adds, replaces, revokes and lists credential sets. */
import { CommanderError, Option } from 'commander';
import { type IssuedCredential, issueCredential } from '../../access/tokens/secrets.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { planLimitFields } from '../../domain/setup/credential-roll.ts';
import {
  ALL_RIGHTS,
  MARKETPLACE_SCOPES,
  MERCHANT_SCOPES,
  SCOPE_TEXTS,
  SCOPES,
  type Scope,
  scopesIn,
} from '../../domain/setup/key-scopes.ts';
import { type KeysTarget, listCredentials } from '../../operations/setup/list-credentials.ts';
import { addCredential, revokeCredential, rollCredential } from '../../operations/setup/roll-credentials.ts';
import { EXIT_CODES } from '../failure.ts';
import {
  type AccountOptions,
  type CliCommand,
  type ConfirmOptions,
  confirm,
  durationSeconds,
  environmentsOf,
  environmentsOption,
  YES_OPTION,
} from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, NOTICE, readSetup } from './setup-session.ts';

interface OwnerOptions extends OutputOptions {
  readonly merchant?: string;
  readonly marketplace?: true;
}

interface OneAccountOptions extends OwnerOptions {
  readonly env: Environment;
}

type ListOptions = OwnerOptions & Pick<AccountOptions, 'env'>;

interface AddOptions extends OneAccountOptions {
  readonly name: string;
  readonly scope?: readonly Scope[];
  readonly skuPrefix?: string;
  readonly planOffersMax?: number;
  readonly planPercentMax?: number;
  readonly planHours?: string;
}

type RevokeOptions = OneAccountOptions & ConfirmOptions;

interface RollOptions extends OneAccountOptions, ConfirmOptions {
  readonly user?: string;
  readonly overlap?: number;
}

export function addKeysCommands(program: CliCommand, shell: Shell): void {
  const keys = program.command('keys').description('Add, replace, revoke and list API keys.');

  keys
    .command('add')
    .description('Add a key and show its secret once. The other keys do not change.')
    .addOption(merchantOption())
    .addOption(marketplaceOption())
    .addOption(environmentOption())
    .requiredOption('--name <text>', 'name of the key, such as the system that uses it')
    .addOption(
      new Option(
        '--scope <scope...>',
        'what the key may do; may be repeated (default for a merchant: everything)',
      ).choices(SCOPES),
    )
    .option('--sku-prefix <text>', 'the key can only use SKU ids that begin with this text (default: all)')
    .option('--plan-offers-max <number>', 'plans that change more offers need an approval (default: no limit)', Number)
    .option('--plan-percent-max <number>', 'plans that change a price by more percent need an approval', Number)
    .option('--plan-hours <hours>', 'outside these hours (UTC), such as 08-18, plans need an approval')
    .notes("Scopes of a merchant's key:", ...MERCHANT_SCOPES.map(scopeLine))
    .notes('Scopes of a key of the marketplace:', ...MARKETPLACE_SCOPES.map(scopeLine))
    .action((options: AddOptions) => add(shell, options))
    .examples(
      'keys add --merchant acme --env live --name ERP',
      'keys add --merchant acme --env live --name repricer --scope read --scope price --sku-prefix ACME-',
      'keys add --marketplace --env live --name shop --scope storefront',
    );

  keys
    .command('roll')
    .description(
      'Replace all keys of a merchant in one environment, or one key, and show the new secret once. A key that replaces all ' +
        'keys can do everything; a key that replaces one key has its name and its limits. Keys of the marketplace are ' +
        'replaced one by one. The replaced keys and their ' +
        'tokens stop working immediately, or after the overlap. With an overlap, keys that were rolled before keep their own ' +
        'overlap; without one, they stop working too. Asks first for live keys without an overlap, and before a key that can do ' +
        'everything replaces limited keys.',
    )
    .addOption(merchantOption())
    .addOption(marketplaceOption())
    .addOption(environmentOption())
    .option('--user <user>', 'user of the key to replace (default: all keys)')
    .option(
      '--overlap <duration>',
      'how long the replaced keys keep working, such as 90s, 30m, 2h or 1d (default: not at all)',
      durationSeconds,
    )
    .option(...YES_OPTION)
    .action((options: RollOptions) => roll(shell, options))
    .examples('keys roll --merchant acme --env test', 'keys roll --merchant acme --env live --overlap 1d');

  keys
    .command('revoke')
    .description('Revoke one key. The key and its tokens stop working immediately. Asks first for a live key.')
    .argument('<user>', 'user of the key')
    .addOption(merchantOption())
    .addOption(marketplaceOption())
    .addOption(environmentOption())
    .option(...YES_OPTION)
    .action((user: string, options: RevokeOptions) => revoke(shell, user, options))
    .examples('keys revoke test-0123456789abcdef --merchant acme --env test');

  keys
    .command('list')
    .description('List active keys and when each was last used, without the secrets.')
    .addOption(merchantOption())
    .addOption(marketplaceOption())
    .addOption(environmentsOption())
    .action((options: ListOptions) => list(shell, options))
    .examples('keys list --merchant acme', 'keys list --merchant acme --env live --json', 'keys list --marketplace');
}

function merchantOption(): Option {
  return new Option('--merchant <id>', 'id of the merchant that the keys belong to');
}

function marketplaceOption(): Option {
  return new Option('--marketplace', 'use keys of the marketplace, which belong to no merchant').conflicts('merchant');
}

function scopeLine(scope: Scope): string {
  return `  ${scope.padEnd(10)} ${SCOPE_TEXTS[scope]}`;
}

/** The owner of the keys as in results: null for the marketplace. */
function merchantIdOf({ merchant, marketplace }: OwnerOptions): string | null {
  if (marketplace) return null;
  if (merchant === undefined) throw usageError('Add --merchant <id> or --marketplace.');
  return merchant;
}

function usageError(text: string): CommanderError {
  return new CommanderError(EXIT_CODES.usage, 'offerbook.usage', text);
}

function ownerText(merchantId: string | null): string {
  return merchantId === null ? 'the marketplace' : `merchant ${merchantId}`;
}

function environmentOption(): Option {
  return new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).makeOptionMandatory();
}

async function add(shell: Shell, options: AddOptions): Promise<void> {
  const { env: environment, name, scope: scopes, skuPrefix: sku_prefix } = options;
  const merchantId = merchantIdOf(options);
  const next = issueCredential(environment);
  const { planOffersMax: plan_offers_max, planPercentMax: plan_price_percent_max, planHours: plan_hours } = options;
  const limits = { plan_offers_max, plan_price_percent_max, plan_hours };
  await changeSetup(shell, { name, scopes, sku_prefix, ...limits }, (context, body) =>
    addCredential(context, { merchantId, environment }, body, next.stored),
  );
  print(shell, options, {
    json: { merchant_id: merchantId, environment, credentials: { user: next.user, secret: next.secret } },
    lines: [`A key of ${ownerText(merchantId)} was added:`, '', ...credentialLines([[environment, next]]), NOTICE],
  });
}

async function revoke(shell: Shell, user: string, options: RevokeOptions): Promise<void> {
  const { env: environment } = options;
  const merchantId = merchantIdOf(options);
  if (environment === 'live') await confirmChange(shell, options, [lossOf(await keysOf(shell, options, user))]);
  await changeSetup(shell, {}, (context) => revokeCredential(context, { merchantId, environment }, user));
  print(shell, options, {
    json: { merchant_id: merchantId, environment, user },
    lines: [`Key ${printable(user)} was revoked.`, NOTICE],
  });
}

async function roll(shell: Shell, options: RollOptions): Promise<void> {
  const { env: environment } = options;
  const merchantId = merchantIdOf(options);
  if (merchantId === null && options.user === undefined) {
    throw usageError('Add --user <user>: keys of the marketplace are replaced one by one.');
  }
  const next = issueCredential(environment);
  const replaced = await keysOf(shell, options, options.user);
  const loss = environment === 'live' && !options.overlap ? lossOf(replaced) : '';
  await confirmChange(shell, options, [
    loss && `${loss} To give clients time to switch to the new key, use --overlap, such as --overlap 1d.`,
    options.user === undefined ? limitsLostBy(replaced) : '',
  ]);
  const { value } = await changeSetup(shell, { overlap_seconds: options.overlap }, (context, body) =>
    rollCredential(context, { merchantId, environment }, options.user ?? null, body, next.stored),
  );
  const previousEnd = new Date(value.previousEndMs).toISOString();
  const rolled =
    options.user === undefined
      ? { what: `The keys of ${ownerText(merchantId)}`, were: 'were', old: 'The replaced keys and their tokens' }
      : { what: `Key ${printable(options.user)}`, were: 'was', old: 'The replaced key and its tokens' };
  print(shell, options, {
    json: {
      merchant_id: merchantId,
      environment,
      credentials: { user: next.user, secret: next.secret },
      previous_end: previousEnd,
    },
    lines: [
      `${rolled.what} ${rolled.were} replaced. The new key:`,
      '',
      ...credentialLines([[environment, next]]),
      options.overlap
        ? `${rolled.old} stop working at ${previousEnd}.`
        : `${rolled.old} stop working within ${LIMITS.setup_notice_seconds_max} seconds.`,
    ],
  });
}

function targetOf(options: ListOptions): KeysTarget {
  return { merchantId: merchantIdOf(options), environments: environmentsOf(options) };
}

async function keysOf(shell: Shell, options: OneAccountOptions, user: string | undefined) {
  const { value: listed } = await readSetup(shell, (context) => listCredentials(context, targetOf(options)));
  return listed.filter((key) => user === undefined || user === key.user);
}

type Keys = Awaited<ReturnType<typeof keysOf>>;

function lossOf(keys: Keys): string {
  const used = keys.map(({ user, lastUsedMs }) => {
    return `${user} (${lastUsedMs === null ? 'never used' : `last used ${new Date(lastUsedMs).toISOString()}`})`;
  });
  return keys.length === 0 ? '' : `Clients that use ${used.join(' or ')} lose access immediately.`;
}

function limitsLostBy(keys: Keys): string {
  const limited = keys.filter(({ scopes, skuPrefix, planLimits }) => {
    return scopes !== ALL_RIGHTS.scopes || skuPrefix !== '' || planLimits;
  });
  if (limited.length === 0) return '';
  const users = limited.map(({ user }) => user).join(' and ');
  return `The new key can do everything, unlike ${users}. To keep the limits of a key, use --user.`;
}

async function confirmChange(shell: Shell, options: ConfirmOptions, warnings: readonly string[]): Promise<void> {
  const what = warnings.filter((warning) => warning !== '').join(' ');
  if (what !== '') await confirm(shell, options, what);
}

async function list(shell: Shell, options: ListOptions): Promise<void> {
  const target = targetOf(options);
  const { value: credentials } = await readSetup(shell, (context) => listCredentials(context, target));
  const shown = credentials.map(({ environment, user, name, scopes, skuPrefix, planLimits, ...times }) => ({
    environment,
    user,
    name,
    scopes: scopesIn(scopes),
    sku_prefix: skuPrefix === '' ? null : skuPrefix,
    ...planLimitFields(planLimits),
    created: new Date(times.createdMs).toISOString(),
    last_used: times.lastUsedMs === null ? null : new Date(times.lastUsedMs).toISOString(),
    ends: times.endsMs === null ? null : new Date(times.endsMs).toISOString(),
  }));
  const rows = shown.map(({ environment, user, name, scopes, sku_prefix, created, last_used, ends, ...limits }) => {
    const rights = scopes.length === MERCHANT_SCOPES.length ? 'all' : scopes.join(' ');
    const times = [created, last_used ?? 'never', ends ?? ''];
    return [environment, user, name, rights, sku_prefix ?? '', planLimitsText(limits), ...times];
  });
  print(shell, options, {
    json: { merchant_id: target.merchantId, credentials: shown },
    lines: table(
      ['ENVIRONMENT', 'USER', 'NAME', 'SCOPES', 'SKU PREFIX', 'PLAN LIMITS', 'CREATED', 'LAST USED', 'ENDS'],
      rows,
      `There are no keys of ${ownerText(target.merchantId)} in ${target.environments.join(' or ')}.`,
    ),
  });
}

/** Returns '' without limits. */
function planLimitsText({ plan_offers_max, plan_price_percent_max, plan_hours }: ReturnType<typeof planLimitFields>) {
  const texts = [
    plan_offers_max !== null && `${plan_offers_max} offers`,
    plan_price_percent_max !== null && `${plan_price_percent_max}%`,
    plan_hours,
  ];
  return texts.filter(Boolean).join(', ');
}

/** Formats new credential sets. */
export function credentialLines(sets: readonly (readonly [Environment, IssuedCredential])[]): string[] {
  return [
    ...table(
      ['ENVIRONMENT', 'USER', 'SECRET'],
      sets.map(([environment, { user, secret }]) => [environment, user, secret]),
    ),
    '',
    'Secrets are shown only once: store them now. "offerbook keys roll --user USER" replaces a key.',
  ];
}
