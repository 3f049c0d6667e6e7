/** Asks for the password in a dialog when the session ends while a page is open, so that unsaved input is kept. */
import { PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { whenSignedOut } from '../api/client.ts';
import { sessionQuery, signInAgain, useSession } from '../api/session.ts';
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
  const [ended, setEnded] = useState<string | null>(null);
  useEffect(() => {
    whenSignedOut(() => setEnded(queryClient.getQueryData(sessionQuery.queryKey)?.csrf_token ?? null));
  }, [queryClient]);
  const isOpen = ended !== null && session?.csrf_token === ended && !isForVisitors(path);
  const leave = () => void toSignIn(router, queryClient, 'ended');
  return (
    <Dialog isOpen={isOpen} close={leave} title="Your session has ended" hold="typed" zIndex={Z_INDEX}>
      <PasswordForm email={session?.person?.email ?? ''} leave={leave} />
    </Dialog>
  );
}

function PasswordForm({ email, leave }: { readonly email: string; readonly leave: () => void }) {
  const queryClient = useQueryClient();
  const { sign_in_provider: provider } = useSession();
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } });
  const entering = useFormMutation({
    form,
    fields: ['password'],
    mutationFn: ({ password }: { password: string }) => signInAgain(queryClient, email, password),
    // Do not keep the password in memory.
    gcTime: 0,
  });
  return (
    <form onSubmit={form.onSubmit((values) => entering.mutate(values))}>
      <Stack>
        <Text>Sign in again as {email} to continue. Your unsaved changes are still here.</Text>
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
        {/* This page notices the sign-in in the other tab, and keeps what was typed. */}
        {provider !== null && (
          <TextLink to="/sign-in" target="_blank">
            Sign in with {provider} in a new tab
          </TextLink>
        )}
        <DialogButtons close={leave} dismiss="Sign out" isPending={entering.isPending}>
          Sign in
        </DialogButtons>
      </Stack>
    </form>
  );
}
