/** Account security page: change the password, manage passkeys, sign out other devices. */
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { usePerson, useSession } from '../../api/session.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Failed } from '../../ui/states.tsx';
import { NewPasswordFields, NO_PASSWORD, TYPED_TWICE } from './new-password.tsx';
import { PasskeysPanel } from './passkeys-panel.tsx';

export function AccountPage() {
  const { email, passwordless } = usePerson();
  const { sign_in_provider } = useSession();
  return (
    <Page title="Account security" about={email}>
      {passwordless ? (
        <Panel title="Password">You sign in with {sign_in_provider}, so you have no password here.</Panel>
      ) : (
        <>
          <PasswordCard email={email} />
          <PasskeysPanel />
        </>
      )}
      <SessionsCard />
    </Page>
  );
}

const FIELDS = ['current_password', 'password'];

function PasswordCard({ email }: { readonly email: string }) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current_password: '', ...NO_PASSWORD },
    validate: TYPED_TWICE,
  });
  const saving = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: ({ current_password, password }: { current_password: string; password: string }) =>
      ask(api.PUT('/password', { body: { current_password, password } })),
    onSuccess: () => {
      form.reset();
      notifications.show({ message: 'Password changed. Other devices were signed out.', color: 'green' });
    },
    // Do not keep the passwords in memory.
    gcTime: 0,
  });
  return (
    <Panel title="Password">
      <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
        <Stack maw={420}>
          <ProblemList problems={saving.problems} />
          <input type="email" hidden autoComplete="username" value={email} readOnly />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            key={form.key('current_password')}
            {...form.getInputProps('current_password')}
          />
          <NewPasswordFields form={form} label="New password" />
          <Group>
            <Button type="submit" loading={saving.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function SessionsCard() {
  const ending = useMutation({
    mutationFn: () => ask(api.DELETE('/sessions')),
    onSuccess: () => notifications.show({ message: 'Other devices were signed out.', color: 'green' }),
  });
  return (
    <Panel title="Sessions">
      <Stack align="flex-start">
        <Text>Sign out of every other device. You stay signed in here.</Text>
        {ending.isError && <Failed error={ending.error} />}
        <Button variant="default" loading={ending.isPending} onClick={() => ending.mutate()}>
          Sign out other devices
        </Button>
      </Stack>
    </Panel>
  );
}
