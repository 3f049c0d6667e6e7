/** offerbook keys: replaces credential sets. */
import { type Command, Option } from 'commander';
import { issueCredential } from '../access/secrets.ts';
import { ENVIRONMENTS, type Environment } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import { rollCredentials } from '../operations/setup/roll-credentials.ts';
import { credentialLines } from './credential-lines.ts';
import { durationSeconds, finish, merchantOption } from './options.ts';
import { changeSetup } from './setup-desk.ts';
import { type OutputOptions, print, type Shell } from './shell.ts';

interface RollOptions extends OutputOptions {
  readonly merchant: string;
  readonly env: Environment;
  readonly overlap?: number;
}

export function addKeysCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description("Replaces merchants' credential sets.");

  finish(
    keys
      .command('roll')
      .description(
        'Replaces the credential set of a merchant in one environment and shows the new secret once. The replaced set ' +
          'and its tokens stop working at once, or after the overlap.',
      )
      .addOption(merchantOption())
      .addOption(new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).makeOptionMandatory())
      .option(
        '--overlap <duration>',
        'how long the replaced set goes on working, such as 90s, 30m, 2h or 1d (default: not at all)',
        durationSeconds,
      )
      .action((options: RollOptions) => roll(shell, options)),
    ['keys roll --merchant acme --env test', 'keys roll --merchant acme --env live --overlap 1d'],
  );
}

async function roll(shell: Shell, options: RollOptions): Promise<void> {
  const { merchant: merchantId, env: environment } = options;
  const next = issueCredential(environment);
  const { value } = await changeSetup(shell, { overlap_seconds: options.overlap }, (context, body) =>
    rollCredentials(context, { merchantId, environment }, body, next.stored),
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
      `Merchant ${merchantId} has a new credential set:`,
      '',
      ...credentialLines([[environment, next]]),
      options.overlap
        ? `The replaced set and its tokens stop working at ${previousEnd}.`
        : `The replaced set and its tokens stop working within ${LIMITS.setup_notice_seconds_max} seconds.`,
    ],
  });
}
