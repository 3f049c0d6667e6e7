/** Updates the page when the browser's session changes outside it, for example by a sign-in or sign-out in another tab. */
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { reportSignedOut } from '../api/client.ts';
import { type Person, readSession, sessionQuery, switchTo } from '../api/session.ts';
import { isAnythingUnsaved } from '../ui/forms/unsaved.tsx';
import { isForVisitors, toSignIn } from './to-sign-in.ts';

let following: Promise<void> | undefined;

/** Reads the session once for all calls that the server refused at the same time. */
export async function followSession(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  following ??= follow(router, queryClient);
  try {
    await following;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    notifications.show({ id: 'behind', title: 'This page is out of date', message, color: 'red' });
  } finally {
    following = undefined;
  }
}

/** Handles a sign-out in another tab. A page with unsaved input asks for the password; other pages go to the sign-in page. */
export async function followSignOut(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  if (isForVisitors(router.latestLocation.pathname)) return reloadSession(queryClient);
  if (knownPerson(queryClient) === null) return;
  if (isAnythingUnsaved()) reportSignedOut();
  else await toSignIn(router, queryClient, 'ended');
}

async function follow(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  if (isForVisitors(router.latestLocation.pathname)) return reloadSession(queryClient);
  const known = knownPerson(queryClient);
  if (known === null) return;
  const session = await readSession();
  if (session.person === null) return followSignOut(router, queryClient);
  if (isSame(known, session.person)) {
    await switchTo(queryClient, session);
    await router.invalidate();
    return;
  }
  // Goes through the sign-in page, so that one person's name never appears above another person's offers.
  await toSignIn(router, queryClient, 'signed-out');
  await router.navigate({ to: '/', replace: true });
}

/** Visitor pages do not depend on the session and stay open. */
async function reloadSession(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

function knownPerson(queryClient: QueryClient): Person | null {
  return queryClient.getQueryData(sessionQuery.queryKey)?.person ?? null;
}

function isSame(one: Person, other: Person): boolean {
  return one.email === other.email && one.merchant?.id === other.merchant?.id;
}
