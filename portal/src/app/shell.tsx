/** Frames every page: header with the user menu, navigation, content. */
import {
  AppShell,
  Burger,
  Button,
  Group,
  type MantineColorScheme,
  Menu,
  ScrollArea,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { signOut, usePerson } from '../api/session.ts';
import { mayLeave } from '../ui/forms/unsaved.tsx';
import { PageNavLink, TextLink } from '../ui/links.tsx';
import { toSignIn } from './to-sign-in.ts';

export interface PageLink {
  readonly label: string;
  /** Relative to the portal's base path. */
  readonly path: string;
}

interface ShellProps {
  readonly pages: readonly PageLink[];
  readonly accountPath: string;
  /** Shown in the header, after the portal's name. */
  readonly head: ReactNode;
  /** Shown above the content. */
  readonly notice?: ReactNode;
}

export function Shell({ pages, accountPath, head, notice }: ShellProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // Target of the skip button. A `#main` link would resolve against <base> and leave the page.
  const main = useRef<HTMLElement>(null);
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <Group h="100%" px="md" gap="md" wrap="nowrap" justify="space-between">
          <Group gap="md" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
            />
            <TextLink to="/" underline="never" c="inherit" fw={700} visibleFrom="xs">
              Offerbook
            </TextLink>
            {head}
          </Group>
          <PersonMenu accountPath={accountPath} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <ScrollArea>
          {pages.map((page) => (
            <PageNavLink
              key={page.path}
              to={page.path}
              label={page.label}
              onClick={close}
              active={path === page.path || path.startsWith(`${page.path}/`)}
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1}>
        {notice}
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function PersonMenu({ accountPath }: { readonly accountPath: string }) {
  const person = usePerson();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => toSignIn(router, queryClient, 'signed-out'),
    onError: ({ message }) => notifications.show({ title: "Couldn't sign out", message, color: 'red' }),
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" color="gray" maw={220} px="xs" aria-label={`Account menu for ${person.email}`}>
          <Text size="sm" truncate>
            {person.email}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person.merchant?.name ?? 'Marketplace operator'}</Menu.Label>
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
        <Menu.Item
          onClick={() => {
            if (mayLeave()) leaving.mutate();
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
