/** offerbook keys: replaces and lists credential sets. */
import { Option } from 'commander';
import { type IssuedCredential, issueCredential } from '../../access/tokens/secrets.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { listCredentials } from '../../operations/setup/list-credentials.ts';
import { rollCredential } from '../../operations/setup/roll-credentials.ts';
import {
  type AccountOptions,
  accountsOf,
  type CliCommand,
  type ConfirmOptions,
  confirm,
  durationSeconds,
  merchantOption,
  YES_OPTION,
} from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { table } from '../table.ts';
import { changeSetup, readSetup } from './setup-session.ts';

interface RollOptions extends OutputOptions, ConfirmOptions {
  readonly merchant: string;
  readonly env: Environment;
  readonly overlap?: number;
}

export function addKeysCommands(program: CliCommand, shell: Shell): void {
  const keys = program.command('keys').description("Replace and list merchants' keys.");

  keys
    .command('roll')
    .description(
      'Replace all keys of a merchant in one environment and show the new secret once. The replaced keys and their ' +
        'tokens stop working immediately, or after the overlap. With an overlap, keys that were rolled before keep their own ' +
        'overlap; without one, they stop working too. Asks first for live keys without an overlap.',
    )
    .addOption(merchantOption())
    .addOption(new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).makeOptionMandatory())
    .option(
      '--overlap <duration>',
      'how long the replaced keys keep working, such as 90s, 30m, 2h or 1d (default: not at all)',
      durationSeconds,
    )
    .option(...YES_OPTION)
    .action((options: RollOptions) => roll(shell, options))
    .examples('keys roll --merchant acme --env test', 'keys roll --merchant acme --env live --overlap 1d');

  keys
    .command('list')
    .description("List a merchant's active keys and when each was last used, without the secrets.")
    .accountOptions()
    .action((options: AccountOptions) => list(shell, options))
    .examples('keys list --merchant acme', 'keys list --merchant acme --env live --json');
}

async function roll(shell: Shell, options: RollOptions): Promise<void> {
  const { merchant: merchantId, env: environment } = options;
  const next = issueCredential(environment);
  if (environment === 'live' && !options.overlap) await confirmLoss(shell, options);
  const { value } = await changeSetup(shell, { overlap_seconds: options.overlap }, (context, body) =>
    rollCredential(context, { merchantId, environment }, null, body, next.stored),
  );
  const previousEnd = new Date(value.previousEndMs).toISOString();
  print(shell, options, {
    json: {
      merchant_id: merchantId,
      environment,
      credentials: { user: next.user, secret: next.secret },
      previous_end: previousEnd,
    },
    lines: [
      `The keys of merchant ${merchantId} were replaced. The new key:`,
      '',
      ...credentialLines([[environment, next]]),
      options.overlap
        ? `The replaced keys and their tokens stop working at ${previousEnd}.`
        : `The replaced keys and their tokens stop working within ${LIMITS.setup_notice_seconds_max} seconds.`,
    ],
  });
}

/** Lists the live credential sets that end immediately, and asks for confirmation. */
async function confirmLoss(shell: Shell, options: RollOptions): Promise<void> {
  const target = accountsOf(options);
  const { value: credentials } = await readSetup(shell, (context) => listCredentials(context, target));
  if (credentials.length === 0) return;
  const used = credentials.map(({ user, lastUsedMs }) => {
    return `${user} (${lastUsedMs === null ? 'never used' : `last used ${new Date(lastUsedMs).toISOString()}`})`;
  });
  const stops = `Clients that use ${used.join(' or ')} lose access immediately.`;
  const advice = 'To give clients time to switch to the new key, use --overlap, such as --overlap 1d.';
  await confirm(shell, options, `${stops} ${advice}`);
}

async function list(shell: Shell, options: AccountOptions): Promise<void> {
  const target = accountsOf(options);
  const { value: credentials } = await readSetup(shell, (context) => listCredentials(context, target));
  const shown = credentials.map(({ environment, user, createdMs, lastUsedMs, endsMs }) => ({
    environment,
    user,
    created: new Date(createdMs).toISOString(),
    last_used: lastUsedMs === null ? null : new Date(lastUsedMs).toISOString(),
    ends: endsMs === null ? null : new Date(endsMs).toISOString(),
  }));
  const rows = shown.map(({ environment, user, created, last_used, ends }) => {
    return [environment, user, created, last_used ?? 'never', ends ?? ''];
  });
  print(shell, options, {
    json: { merchant_id: target.merchantId, credentials: shown },
    lines: table(
      ['ENVIRONMENT', 'USER', 'CREATED', 'LAST USED', 'ENDS'],
      rows,
      `Merchant ${target.merchantId} has no keys in ${target.environments.join(' or ')}.`,
    ),
  });
}

/** Formats new credential sets. */
export function credentialLines(sets: readonly (readonly [Environment, IssuedCredential])[]): string[] {
  return [
    ...table(
      ['ENVIRONMENT', 'USER', 'SECRET'],
      sets.map(([environment, { user, secret }]) => [environment, user, secret]),
    ),
    '',
    'Secrets are shown only once: store them now. "offerbook keys roll" creates new ones.',
  ];
}
