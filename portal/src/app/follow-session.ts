/** In charge of a session that is another one than this page knows: somebody signed in or out in another tab, say. */
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { tellSignedOut } from '../api/client.ts';
import { moveTo, type Person, readSession, sessionQuery } from '../api/session.ts';
import { isAnythingUnsaved } from '../ui/forms/unsaved.tsx';
import { isForVisitors, toSignIn } from './to-sign-in.ts';

let following: Promise<void> | undefined;

/** Many calls of one page may be refused for the same reason; the session is read once for all of them. */
export async function followSession(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  following ??= follow(router, queryClient);
  try {
    await following;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    notifications.show({ id: 'behind', title: 'This page is not up to date', message, color: 'red' });
  } finally {
    following = undefined;
  }
}

/** Somebody has signed out: what was typed stays, and the password is asked for over it. */
export async function followSignOut(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  if (isForVisitors(router.latestLocation.pathname)) return readAnew(queryClient);
  if (knownPerson(queryClient) === null) return;
  if (isAnythingUnsaved()) tellSignedOut();
  else await toSignIn(router, queryClient, 'ended');
}

async function follow(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  if (isForVisitors(router.latestLocation.pathname)) return readAnew(queryClient);
  const known = knownPerson(queryClient);
  if (known === null) return;
  const session = await readSession();
  if (session.person === null) return followSignOut(router, queryClient);
  if (isSame(known, session.person)) {
    await moveTo(queryClient, session);
    await router.invalidate();
    return;
  }
  // By a page that shows nothing of anybody: no moment has the one's name above the other's offers.
  await toSignIn(router, queryClient, 'signed-out');
  await router.navigate({ to: '/', replace: true });
}

/** A page for visitors stays as it is, whoever has come or gone. */
async function readAnew(queryClient: QueryClient): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

function knownPerson(queryClient: QueryClient): Person | null {
  return queryClient.getQueryData(sessionQuery.queryKey)?.person ?? null;
}

function isSame(one: Person, other: Person): boolean {
  return one.email === other.email && one.merchant?.id === other.merchant?.id;
}
