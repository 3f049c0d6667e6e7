/**
 * Asks for the password or a passkey in a dialog when the session ends while a page is open, or when a change needs a fresh sign-in, so that unsaved
 * input is kept.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { whenNotFresh, whenSignedOut } from '../api/client.ts';
import { sessionQuery } from '../api/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { lazyPart } from '../ui/lazy.tsx';
import { isForVisitors, toSignIn } from './to-sign-in.ts';

const SignInAgainForm = lazyPart(() => import('./sign-in-again-form.tsx'), 'SignInAgainForm');

/** Places this dialog above the dialogs of the page. */
const Z_INDEX = 300;

export function SignInAgain() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  // The CSRF token identifies the session.
  const [asked, setAsked] = useState<{ readonly of: string | null; readonly isEnded: boolean }>();
  useEffect(() => {
    const ask = (isEnded: boolean) => () =>
      setAsked({ of: queryClient.getQueryData(sessionQuery.queryKey)?.csrf_token ?? null, isEnded });
    whenSignedOut(ask(true));
    whenNotFresh(ask(false));
  }, [queryClient]);
  const isOpen = asked !== undefined && asked.of !== null && session?.csrf_token === asked.of && !isForVisitors(path);
  const isEnded = asked?.isEnded !== false;
  const leave = () => (isEnded ? void toSignIn(router, queryClient, 'ended') : setAsked(undefined));
  const title = isEnded ? 'Your session has ended' : 'Confirm that it is you';
  return (
    <Dialog isOpen={isOpen} close={leave} title={title} hold="typed" zIndex={Z_INDEX}>
      <SignInAgainForm person={session?.person} isEnded={isEnded} leave={leave} />
    </Dialog>
  );
}
