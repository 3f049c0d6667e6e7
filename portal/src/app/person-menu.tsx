/** Menu of the signed-in user: account, appearance, sign out. */
import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { signOut, usePerson } from '../api/session.ts';
import { mayLeave } from '../ui/forms/unsaved.tsx';
import classes from './shell.module.css';
import { toSignIn } from './to-sign-in.ts';

export function PersonMenu({ accountPath }: { readonly accountPath: string }) {
  const person = usePerson();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => toSignIn(router, queryClient, 'signed-out'),
    onError: ({ message }) => notifications.show({ title: "Couldn't sign out", message, color: 'red' }),
  });
  const leave = async () => {
    if (await mayLeave()) leaving.mutate();
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.initial} aria-label={`Account menu for ${person.email}`}>
          {person.email.charAt(0).toUpperCase()}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="anywhere">
          {person.email}
          <br />
          {person.merchant?.name ?? 'Marketplace operator'}
        </Menu.Label>
        <Menu.Item component={Link} to={accountPath}>
          Account security
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          <Menu.RadioItem value="light">Light</Menu.RadioItem>
          <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
          <Menu.RadioItem value="auto">System</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
