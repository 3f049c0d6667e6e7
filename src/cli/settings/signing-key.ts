/** offerbook signing-key: replaces the key that signs tokens. */
import { newSigningKey } from '../../access/tokens/token.ts';
import { LIMITS } from '../../domain/limits.ts';
import { rollSigningKey } from '../../operations/setup/roll-credentials.ts';
import type { CliCommand } from '../options.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { changeSetup } from './setup-session.ts';

interface RollOptions extends OutputOptions, ConfirmOptions {
  readonly revoke?: true;
}

export function addSigningKeyCommands(program: CliCommand, shell: Shell): void {
  const signingKey = program.command('signing-key').description('Replace the key that signs tokens.');

  signingKey
    .command('roll')
    .description(
      'Create a new key that signs tokens. Existing tokens stay valid until they expire, unless --revoke revokes them, after confirmation.',
    )
    .option(
      '--revoke',
      "revoke all merchants' tokens and signed URLs immediately, for example after the key was stolen",
    )
    .option(...YES_OPTION)
    .action((options: RollOptions) => roll(shell, options))
    .examples('signing-key roll', 'signing-key roll --revoke');
}

async function roll(shell: Shell, options: RollOptions): Promise<void> {
  if (options.revoke) {
    await confirm(
      shell,
      options,
      "All merchants' tokens and signed URLs stop working immediately. Clients must request new ones.",
    );
  }
  const { value } = await changeSetup(shell, {}, (context) =>
    rollSigningKey(context, newSigningKey(), options.revoke ? 'revoked' : 'until_tokens_expire'),
  );
  const previousEnd = new Date(value.previousEndMs).toISOString();
  print(shell, options, {
    json: { key_id: value.keyId, previous_end: previousEnd },
    lines: [
      `Tokens are signed with the new key ${value.keyId}.`,
      options.revoke
        ? `Tokens of older keys stop working within ${LIMITS.setup_notice_seconds_max} seconds.`
        : `Tokens of older keys stay valid until they expire, at ${previousEnd} at the latest.`,
    ],
  });
}
