/**
 * Asks for the password or a passkey in a dialog when the session ends while a page is open, or when a change needs a fresh sign-in, so that unsaved
 * input is kept.
 */
import { PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { whenNotFresh, whenSignedOut } from '../api/client.ts';
import {
  confirmWithPasskey,
  type Person,
  sessionQuery,
  signInAgain,
  useHasPasskeys,
  useSession,
} from '../api/session.ts';
import { PasskeyButton } from '../pages/account/passkey-button.tsx';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { useFormMutation } from '../ui/forms/use-form-mutation.ts';
import { TextLink } from '../ui/links.tsx';
import { ProblemList } from '../ui/problem-list.tsx';
import { isForVisitors, toSignIn } from './to-sign-in.ts';

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
      <PasswordForm person={session?.person} isEnded={isEnded} leave={leave} />
    </Dialog>
  );
}

interface PasswordFormProps {
  readonly person: Person | null | undefined;
  readonly isEnded: boolean;
  readonly leave: () => void;
}

function PasswordForm({ person, isEnded, leave }: PasswordFormProps) {
  const queryClient = useQueryClient();
  const { sign_in_provider: provider } = useSession();
  const hasPasskeys = useHasPasskeys();
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } });
  const entering = useFormMutation({
    form,
    fields: ['password'],
    mutationFn: ({ password }: { password: string }) => signInAgain(queryClient, email, password),
    // Do not keep the password in memory.
    gcTime: 0,
  });
  const email = person?.email ?? '';
  const text = (
    <Text>
      Sign in again as {email} to continue. Your unsaved changes are still here.
      {!isEnded && ' Then repeat the change.'}
    </Text>
  );
  // This page notices the sign-in in the other tab, and keeps what was typed.
  const link = provider !== null && (
    <TextLink to="/sign-in" search={{ again: true }} target="_blank">
      Sign in with {provider} in a new tab
    </TextLink>
  );
  const passkey = hasPasskeys && person?.passkeys !== undefined && (
    <PasskeyButton variant="default" ask={() => confirmWithPasskey(queryClient, email)}>
      Use your passkey
    </PasskeyButton>
  );
  if (person?.passwordless || (person?.needs_passkey && passkey)) {
    return (
      <Stack>
        {text}
        {passkey || link}
      </Stack>
    );
  }
  return (
    <form onSubmit={form.onSubmit((values) => entering.mutate(values))}>
      <Stack>
        {text}
        <ProblemList title="Couldn't sign in" problems={entering.problems} />
        <input type="email" hidden autoComplete="username" value={email} readOnly />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {passkey}
        {link}
        <DialogButtons close={leave} dismiss={isEnded ? 'Sign out' : 'Cancel'} isPending={entering.isPending}>
          Sign in
        </DialogButtons>
      </Stack>
    </form>
  );
}
