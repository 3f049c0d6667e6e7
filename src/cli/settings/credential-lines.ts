/** Formats new credential sets. */
import type { IssuedCredential } from '../../access/secrets.ts';
import type { Environment } from '../../domain/account.ts';
import { table } from '../table.ts';

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
