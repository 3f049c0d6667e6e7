/**
 * Lets an operator view the pages of a merchant, read-only. A signed value names the merchant for one session, so that every
 * view goes through the call that records it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountDirectory } from '../account-directory.ts';
import type { Person } from './portal-sessions.ts';

const VALUE = /^([a-z][a-z0-9-]*)\.([\w-]{43})$/;

export async function viewValue(
  directory: Pick<AccountDirectory, 'signingKeys'>,
  { sessionId }: Person,
  merchantId: string,
): Promise<string> {
  const [key] = await directory.signingKeys();
  if (key === undefined) throw new Error('There is no signing key.');
  return `${merchantId}.${signature(key.secret, sessionId, merchantId).toString('base64url')}`;
}

/** Returns the operator as a viewer of the merchant, or the unchanged person if the value is invalid or the merchant was removed. */
export async function asViewer(
  directory: Pick<AccountDirectory, 'signingKeys' | 'merchant'>,
  person: Person,
  value: string | undefined,
): Promise<Person> {
  if (person.role !== 'operator' || value === undefined) return person;
  const [, merchantId = '', signed = ''] = VALUE.exec(value) ?? [];
  const given = Buffer.from(signed, 'base64url');
  const isSigned = (await directory.signingKeys()).some(({ secret }) => {
    const expected = signature(secret, person.sessionId, merchantId);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned || (await directory.merchant(merchantId)) === undefined) return person;
  return { ...person, role: 'merchant-viewer', merchantId, isViewing: true };
}

function signature(secret: Uint8Array, sessionId: string, merchantId: string): Buffer {
  return createHmac('sha256', secret).update(`portal view\n${sessionId}\n${merchantId}`).digest();
}
