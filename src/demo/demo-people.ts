/**
 * Portal users of the demo, with a public password. A start without `--demo` removes them, unless they have another
 * password.
 */
import { issueLink } from '../access/portal/one-time-link.ts';
import { normalizePassword, Passwords } from '../access/portal/passwords.ts';
import type { SetupStore } from '../store/port.ts';

export const DEMO_PASSWORD = 'demo-password';

/** A fixed hash, because the password is public and hashing it takes about 90 ms of CPU. */
const DEMO_PASSWORD_HASH =
  '$argon2id$v=19$m=32768,t=2,p=1$jQ/xrruuNOJPpRpwQcqh6A$p24hsHNLsfIyHRkCbd6A11OqPUZyU+fvcvEwR8hjdUE';

export const DEMO_PEOPLE = Object.freeze({
  merchant: 'merchant@demo.example',
  operator: 'operator@demo.example',
});

export const DEMO_LOGINS = Object.freeze(
  Object.values(DEMO_PEOPLE).map((email) => ({ email, password: DEMO_PASSWORD })),
);

/** Whether the password is the public one; a server that was not started with `--demo` refuses it. */
export function isDemoSignIn(email: string, password: string): boolean {
  return normalizePassword(password) === DEMO_PASSWORD && Object.values<string>(DEMO_PEOPLE).includes(email);
}

/** Adds missing users and sets missing passwords. */
export async function openDemoPeople(store: SetupStore, merchantId: string, nowMs: number): Promise<void> {
  const users = [
    { email: DEMO_PEOPLE.merchant, role: 'merchant-admin', merchantId },
    { email: DEMO_PEOPLE.operator, role: 'operator', merchantId: null },
  ] as const;
  for (const user of users) {
    if (typeof (await store.people.readPasswordHash(user.email)) === 'string') continue;
    const { stored } = issueLink(nowMs);
    const added = await store.people.addPortalUser({ ...user, createdMs: nowMs }, stored);
    if (added === 'exists') await store.people.replaceLink(user.email, stored, nowMs);
    // Another process may have replaced the link, and sets the same password.
    await store.people.useLink(stored.tokenHash, DEMO_PASSWORD_HASH, null, nowMs);
  }
}

/** Removes users with the public password, and their sessions. Returns whether there were any. */
export async function closeDemoPeople(store: SetupStore): Promise<boolean> {
  const passwords = new Passwords();
  let isDone = false;
  for (const email of Object.values(DEMO_PEOPLE)) {
    const passwordHash = await store.people.readPasswordHash(email);
    if (typeof passwordHash !== 'string' || !(await passwords.fits(passwordHash, DEMO_PASSWORD))) continue;
    isDone = (await store.people.removePortalUser(email, null)) === 'stored' || isDone;
  }
  return isDone;
}
