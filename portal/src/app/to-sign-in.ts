/** In charge of leaving the pages of somebody who is no longer signed in. */
import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { forgetSession } from '../api/session.ts';

const SIGN_IN = '/sign-in';

/** The page goes first: it could not be shown without the session. `isToReturn`: whoever signs in comes back to it. */
export async function toSignIn(router: AnyRouter, queryClient: QueryClient, isToReturn: boolean): Promise<void> {
  const { pathname, href } = router.latestLocation;
  if (pathname === SIGN_IN) return;
  await router.navigate({ to: SIGN_IN, search: isToReturn ? { to: href } : {}, ignoreBlocker: true });
  forgetSession(queryClient);
}
