/** Entries of the user's menu: account, appearance, sign out. */
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { signOut, usePerson } from '../api/session.ts';
import { mayLeave } from '../ui/forms/unsaved.tsx';
import { PersonButton, type PersonMenuProps } from './person-menu.tsx';
import { toSignIn } from './to-sign-in.ts';

/** Opens when it is mounted, because it replaces the button that was clicked. */
export function PersonMenuList({ accountPath }: PersonMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
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
    <Menu position="bottom-end" width={240} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <PersonButton ref={button} />
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
