/** The form of the dialog that asks for the password or a passkey again. Loaded when it is needed. */
import { PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { confirmWithPasskey, type Person, signInAgain, useHasPasskeys, useSession } from '../api/session.ts';
import { PasskeyButton } from '../pages/account/passkey-button.tsx';
import { DialogButtons } from '../ui/dialog.tsx';
import { useFormMutation } from '../ui/forms/use-form-mutation.ts';
import { TextLink } from '../ui/links.tsx';
import { ProblemList } from '../ui/problem-list.tsx';

interface SignInAgainFormProps {
  readonly person: Person | null | undefined;
  readonly isEnded: boolean;
  readonly leave: () => void;
}

export function SignInAgainForm({ person, isEnded, leave }: SignInAgainFormProps) {
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
