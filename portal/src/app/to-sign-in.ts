/** In charge of leaving the pages of somebody who is no longer signed in. */
import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { forgetSession } from '../api/session.ts';

export const SIGN_IN = '/sign-in';

/** `ended`: not by the person; whoever signs in comes back to the page, and is told why it went. */
export type Leaving = 'signed-out' | 'ended';

/** The page goes first: it could not be shown without the session. */
export async function toSignIn(router: AnyRouter, queryClient: QueryClient, leaving: Leaving): Promise<void> {
  const { pathname, href } = router.latestLocation;
  if (pathname === SIGN_IN) return;
  const search = leaving === 'ended' ? { to: href, ended: true as const } : {};
  await router.navigate({ to: SIGN_IN, search, ignoreBlocker: true });
  forgetSession(queryClient);
}
