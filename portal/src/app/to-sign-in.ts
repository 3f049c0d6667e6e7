/** In charge of leaving the pages of somebody who is no longer signed in. */
import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { forgetSession } from '../api/session.ts';

const SIGN_IN = '/sign-in';
const SET_PASSWORD = '/set-password';

/** `ended`: not by the person; whoever signs in comes back to the page, and is told why it went. */
export type Leaving = 'signed-out' | 'ended';

/** Pages that show nothing of whoever is signed in. */
export function isForVisitors(pathname: string): boolean {
  return pathname === SIGN_IN || pathname === SET_PASSWORD;
}

/** The page goes first: it could not be shown without the session. */
export async function toSignIn(router: AnyRouter, queryClient: QueryClient, leaving: Leaving): Promise<void> {
  const { pathname, href } = router.latestLocation;
  if (isForVisitors(pathname)) return;
  // What stands behind a number sign may be a secret, and the sign-in page's address is sent to servers.
  const to = href.replace(/#.*$/, '');
  const search = leaving === 'ended' ? { to, ended: true as const } : {};
  await router.navigate({ to: SIGN_IN, search, ignoreBlocker: true });
  forgetSession(queryClient);
}
