/** Sign-in page. */
import { Alert, Button, Code, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { leaveForProvider, signIn, signInWithPasskey, useHasPasskeys, useSession } from '../../api/session.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Failed } from '../../ui/states.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { VisitorCard } from './visitor-card.tsx';

const FIELDS = ['email', 'password'];

export function SignInPage() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { to, ended, again } = useSearch({ from: '/sign-in' });
  const { demo_logins: logins, sign_in_provider: provider } = useSession();
  const hasPasskeys = useHasPasskeys();
  const wanted = isOwnPage(to) ? to : '/';
  const enter = () => router.navigate({ href: wanted, replace: true });
  const leaving = useMutation({ mutationFn: () => leaveForProvider(wanted, again === true) });
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '', password: '' } });
  const entering = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: ({ email, password }: { email: string; password: string }) => signIn(queryClient, email, password),
    onSuccess: enter,
    // Do not keep the password in memory.
    gcTime: 0,
  });
  return (
    <VisitorCard title="Sign in">
      <form onSubmit={form.onSubmit((values) => entering.mutate(values))}>
        <Stack>
          {ended && <Alert role="status">Your session has ended.</Alert>}
          <ProblemList title="Couldn't sign in" problems={entering.problems} />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={entering.isPending}>
            Sign in
          </Button>
          {(hasPasskeys || provider !== null) && <Divider label="or" />}
          {hasPasskeys && (
            <PasskeyButton variant="default" ask={() => signInWithPasskey(queryClient).then(enter)}>
              Sign in with a passkey
            </PasskeyButton>
          )}
          {provider !== null && (
            <>
              {leaving.isError && <Failed error={leaving.error} />}
              <Button
                variant="default"
                loading={leaving.isPending || leaving.isSuccess}
                onClick={() => leaving.mutate()}
              >
                Sign in with {provider}
              </Button>
            </>
          )}
          {logins.length > 0 && (
            <>
              <Divider label="Demo" />
              <Text size="sm">
                This server runs the demo. Continue with one of its users; the password is{' '}
                <Code>{logins[0]?.password}</Code>.
              </Text>
              {logins.map((login) => (
                <Button
                  key={login.email}
                  variant="default"
                  disabled={entering.isPending}
                  onClick={() => entering.mutate(login)}
                >
                  {login.email}
                </Button>
              ))}
            </>
          )}
        </Stack>
      </form>
    </VisitorCard>
  );
}

/** Prevents open redirects: `to` may come from a crafted link. Browsers treat \ as /. */
export function isOwnPage(to: string | undefined): to is string {
  return /^\/(?![/\\])/.test(to ?? '');
}
