/** offerbook signing-key: replaces the key that tokens are signed with. */
import type { Command } from 'commander';
import { newSigningKey } from '../../access/token.ts';
import { LIMITS } from '../../domain/limits.ts';
import { rollSigningKey } from '../../operations/setup/roll-signing-key.ts';
import { finish } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { changeSetup } from './setup-session.ts';

interface RollOptions extends OutputOptions {
  readonly revoke?: true;
}

export function addSigningKeyCommands(program: Command, shell: Shell): void {
  const signingKey = program.command('signing-key').description('Replaces the key that tokens are signed with.');

  finish(
    signingKey
      .command('roll')
      .description(
        'Makes a new key that tokens are signed with. Tokens that are in use stay good until they expire, unless they ' +
          'are revoked.',
      )
      .option('--revoke', 'end every token of every merchant at once, as after a theft of the key')
      .action((options: RollOptions) => roll(shell, options)),
    ['signing-key roll', 'signing-key roll --revoke'],
  );
}

async function roll(shell: Shell, options: RollOptions): Promise<void> {
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
        : `Tokens of older keys are good until they expire, at ${previousEnd} at the latest.`,
    ],
  });
}
