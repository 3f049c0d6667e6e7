/** Frames every page: sidebar with the navigation, header with search and the user menu, content. */
import { AppShell, Box, Burger, Drawer, Group, Kbd, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { Icon } from '../ui/icons.tsx';
import { TextLink } from '../ui/links.tsx';
import { Logo } from '../ui/logo.tsx';
import { focusSearch, MOD, type Shortcut, ShortcutList, useShortcuts } from '../ui/shortcuts.tsx';
import { CommandPalette, type UseFound } from './command-palette.tsx';
import { Navigation, type PageGroup } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';
import classes from './shell.module.css';

const HEADER_PX = 56;
const STRIP_PX = 32;

interface ShellProps {
  readonly groups: readonly PageGroup[];
  readonly accountPath: string;
  /** Shown in the header, before the user menu. */
  readonly head: ReactNode;
  /** The owner of the pages, shown below the logo. */
  readonly owner: ReactNode;
  readonly isTest?: boolean;
  /** The hook that finds results besides pages. It must be the same in every render of a shell. */
  readonly useFound: UseFound;
  /** Placeholder that names what the command palette finds. */
  readonly findable: string;
  /** Shown above the content. */
  readonly notice?: ReactNode;
}

export function Shell({ groups, accountPath, head, owner, isTest = false, useFound, findable, notice }: ShellProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const [isFinding, palette] = useDisclosure();
  const [isHelping, help] = useDisclosure();
  const navigate = useNavigate();
  const shortcuts: readonly Shortcut[] = [
    { keys: 'mod+k', label: 'Search or jump to a page', run: palette.open },
    { keys: '/', label: 'Search in this page', run: focusSearch },
    ...groups.flatMap(({ pages }) =>
      pages.map((page) => ({
        keys: `g ${page.key}`,
        label: `Go to ${page.label}`,
        run: () => void navigate({ to: page.path }),
      })),
    ),
    { keys: '?', label: 'Show keyboard shortcuts', run: help.open },
  ];
  useShortcuts(shortcuts);
  // Target of the skip button. A `#main` link would resolve against <base> and leave the page.
  const main = useRef<HTMLElement>(null);
  const logo = (
    <TextLink to="/" underline="never" onClick={close}>
      <Logo />
    </TextLink>
  );
  const sidebar = (
    <>
      <Text size="sm" c="dimmed" px="sm" mb="lg" truncate>
        {owner}
      </Text>
      <Navigation groups={groups} onChoose={close} />
    </>
  );
  return (
    <AppShell
      layout="alt"
      header={{ height: HEADER_PX + (isTest ? STRIP_PX : 0) }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: true } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <AppShell.Header className={classes.header}>
        <button type="button" className="skip-link" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <Group h={HEADER_PX} px={{ base: 'sm', sm: 'xl' }} gap="sm" wrap="nowrap" justify="space-between">
          <Burger opened={false} onClick={open} hiddenFrom="sm" size="sm" aria-label="Open navigation" />
          <UnstyledButton className={classes.find} onClick={palette.open} aria-keyshortcuts="Control+K Meta+K">
            <Icon name="search" size={16} />
            <Text span size="sm" flex={1} truncate>
              Search or jump to a page…
            </Text>
            <Kbd size="xs" visibleFrom="sm">
              {MOD} K
            </Kbd>
          </UnstyledButton>
          <Box flex={1} visibleFrom="sm" />
          {head}
          <PersonMenu accountPath={accountPath} />
        </Group>
        {isTest && (
          <div className={classes.strip}>
            <Icon name="flask" size={16} />
            Test environment: customers never see these offers
          </div>
        )}
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.sidebar}
        visibleFrom="sm"
        p="sm"
        pt="md"
        component="aside"
        aria-label="Sidebar"
      >
        <ScrollArea flex={1}>
          <Box px="sm" mb={6}>
            {logo}
          </Box>
          {sidebar}
        </ScrollArea>
        <UnstyledButton className={classes.help} onClick={help.open}>
          <Icon name="keyboard" />
          Keyboard shortcuts
        </UnstyledButton>
      </AppShell.Navbar>
      <Drawer
        opened={isOpen}
        onClose={close}
        size={272}
        title={logo}
        closeButtonProps={{ 'aria-label': 'Close navigation' }}
        hiddenFrom="sm"
        classNames={{ content: classes.sidebar ?? '', header: classes.sidebar ?? '' }}
      >
        {sidebar}
      </Drawer>
      <CommandPalette
        isOpen={isFinding}
        close={palette.close}
        groups={groups}
        useFound={useFound}
        findable={findable}
      />
      <ShortcutList isOpen={isHelping} close={help.close} />
      <AppShell.Main ref={main} tabIndex={-1}>
        <Box maw={1320} mx="auto">
          {notice}
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}
