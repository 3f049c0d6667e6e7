/** Leaves for the sign-in page and drops all data of the ended session. */
import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { forgetSession } from '../api/session.ts';

const SIGN_IN = '/sign-in';
const VISITOR_PAGES: ReadonlySet<string> = new Set([SIGN_IN, '/sign-in/return', '/set-password']);

/** `ended`: the session expired, or ended in another tab. The sign-in page says so, and returns to this page after the sign-in. */
export type Leaving = 'signed-out' | 'ended';

/** Pages that work without a session. */
export function isForVisitors(pathname: string): boolean {
  return VISITOR_PAGES.has(pathname);
}

/** Navigates before it drops the session, because the current page cannot render without one. */
export async function toSignIn(router: AnyRouter, queryClient: QueryClient, leaving: Leaving): Promise<void> {
  const { pathname, href } = router.latestLocation;
  if (isForVisitors(pathname)) return;
  // The fragment may hold a secret, and the query of the sign-in URL is sent to the server.
  const to = href.replace(/#.*$/, '');
  const search = leaving === 'ended' ? { to, ended: true as const } : {};
  await router.navigate({ to: SIGN_IN, search, ignoreBlocker: true });
  forgetSession(queryClient);
}
