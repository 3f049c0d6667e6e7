/** The page behind a one-time link: it sets the first password, or a new one, and signs in. */
import { Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { api, ask } from '../../api/client.ts';
import { setPassword, useSession } from '../../api/session.ts';
import { sortProblems } from '../../ui/field-problems.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { VisitorCard } from './visitor-card.tsx';

const FIELDS = ['password'];

export function SetPasswordPage() {
  // Behind the number sign: this part of an address is never sent to a server, and so never in a log.
  const token = useRouterState({ select: ({ location }) => location.hash });
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => ask(api.POST('/links', { body: { token } })),
    retry: false,
  });
  return (
    <VisitorCard title="Set a password">
      <QueryView query={link} what="link">
        {({ email }) => <PasswordForm key={token} email={email} token={token} />}
      </QueryView>
    </VisitorCard>
  );
}

function PasswordForm({ email, token }: { readonly email: string; readonly token: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { limits } = useSession();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', again: '' },
    validate: { again: (again, { password }) => (again === password ? null : 'The two are not the same.') },
  });
  const setting = useMutation({
    mutationFn: (password: string) => setPassword(queryClient, token, password),
    onSuccess: () => navigate({ to: '/', replace: true }),
    onError: (error) => form.setErrors(sortProblems(error, FIELDS).atFields),
    // It holds the password.
    gcTime: 0,
  });
  return (
    <form onSubmit={form.onSubmit(({ password }) => setting.mutate(password))}>
      <Stack>
        {setting.isError && <ProblemList problems={sortProblems(setting.error, FIELDS).above} />}
        <input type="email" hidden autoComplete="username" value={email} readOnly />
        <PasswordInput
          label={`New password of ${email}`}
          description={`At least ${limits.password_characters_min} characters.`}
          autoComplete="new-password"
          required
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="The same again"
          autoComplete="new-password"
          required
          key={form.key('again')}
          {...form.getInputProps('again')}
        />
        <Button type="submit" loading={setting.isPending}>
          Set the password
        </Button>
      </Stack>
    </form>
  );
}
