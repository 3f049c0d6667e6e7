/** Page of a one-time link: sets the first or a new password, then signs in. */
import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { api, ask } from '../../api/client.ts';
import { setPassword } from '../../api/session.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { NewPasswordFields, NO_PASSWORD, TYPED_TWICE } from './new-password.tsx';
import { VisitorCard } from './visitor-card.tsx';

const FIELDS = ['password'];

export function SetPasswordPage() {
  // The token is in the URL fragment, which browsers never send, so it reaches no server log.
  const token = useRouterState({ select: ({ location }) => location.hash });
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => ask(api.POST('/links', { body: { token } })),
    retry: false,
  });
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
