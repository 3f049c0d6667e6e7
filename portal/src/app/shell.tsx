/** In charge of what surrounds every page: the head with the person's menu, the list of pages, and the page itself. */
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
  /** Below the portal's base. */
  readonly path: string;
}

interface ShellProps {
  readonly pages: readonly PageLink[];
  readonly accountPath: string;
  /** Beside the name of the portal. */
  readonly head: ReactNode;
  /** Above the page. */
  readonly notice?: ReactNode;
}

export function Shell({ pages, accountPath, head, notice }: ShellProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // What the first button skips to; a link to it would lead elsewhere, because the page has a base.
  const main = useRef<HTMLElement>(null);
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <AppShell.Header>
        <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
          Skip to the page
        </button>
        <Group h="100%" px="md" gap="md" wrap="nowrap" justify="space-between">
          <Group gap="md" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the list of pages' : 'Open the list of pages'}
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
    onError: ({ message }) => notifications.show({ title: 'Not signed out', message, color: 'red' }),
  });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="subtle" color="gray" maw={220} px="xs" aria-label={`Menu of ${person.email}`}>
          <Text size="sm" truncate>
            {person.email}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person.merchant?.name ?? 'Marketplace operator'}</Menu.Label>
        <Menu.Item component={Link} to={accountPath}>
          Password and sessions
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          <Menu.RadioItem value="light">Light</Menu.RadioItem>
          <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
          <Menu.RadioItem value="auto">As the system</Menu.RadioItem>
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
