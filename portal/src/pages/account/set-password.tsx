/** Page that a one-time link opens: the user sets an initial or new password and is then signed in. */
import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { linkQuery, setPassword } from '../../api/session.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { NewPasswordFields, NO_PASSWORD, TYPED_TWICE } from './new-password.tsx';
import { VisitorCard } from './visitor-card.tsx';

const FIELDS = ['password'];

export function SetPasswordPage() {
  // The token is in the URL fragment, which browsers never send, so it reaches no server log. Uses the resolved location: during the
  // navigation to the next page, the new location has no token, but this page is still open.
  const token = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).hash });
  const link = useQuery(linkQuery(token));
  return (
    <VisitorCard title="Set password">
      <QueryView query={link} what="link">
        {({ email }) => <PasswordForm key={token} email={email} token={token} />}
      </QueryView>
    </VisitorCard>
  );
}

function PasswordForm({ email, token }: { readonly email: string; readonly token: string }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { ...NO_PASSWORD },
    validate: TYPED_TWICE,
  });
  const setting = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (password: string) => setPassword(queryClient, token, password),
    onSuccess: () => navigate({ to: '/', replace: true }),
    // Do not keep the password in memory.
    gcTime: 0,
  });
  return (
    <form onSubmit={form.onSubmit(({ password }) => setting.mutate(password))}>
      <Stack>
        <ProblemList problems={setting.problems} />
        <input type="email" hidden autoComplete="username" value={email} readOnly />
        <NewPasswordFields form={form} label={`New password for ${email}`} />
        <Button type="submit" loading={setting.isPending}>
          Set password
        </Button>
      </Stack>
    </form>
  );
}
