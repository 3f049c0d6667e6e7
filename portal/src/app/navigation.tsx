/** Navigation of a shell: groups of pages, each with an icon and a shortcut. */
import { Stack, Text } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { Icon, type IconName } from '../ui/icons.tsx';
import { PageNavLink } from '../ui/links.tsx';
import classes from './shell.module.css';

export interface PageLink {
  readonly label: string;
  /** Relative to the portal's base path. */
  readonly path: string;
  readonly icon: IconName;
  /** The key that opens the page when it is pressed after G. */
  readonly key: string;
}

export interface PageGroup {
  /** Heading of the group, if it has one. */
  readonly label?: string;
  readonly pages: readonly PageLink[];
}

interface NavigationProps {
  readonly groups: readonly PageGroup[];
  readonly onChoose: () => void;
}

export function Navigation({ groups, onChoose }: NavigationProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <nav aria-label="Pages">
      {groups.map(({ label, pages }) => (
        <Stack key={label ?? ''} gap={2} mb="md">
          {label && (
            <Text size="xs" fw={600} c="dimmed" px="sm" mb={2}>
              {label}
            </Text>
          )}
          {pages.map((page) => (
            <PageNavLink
              key={page.path}
              className={classes.page}
              to={page.path}
              label={page.label}
              leftSection={<Icon name={page.icon} />}
              onClick={onChoose}
              active={path === page.path || path.startsWith(`${page.path}/`)}
            />
          ))}
        </Stack>
      ))}
    </nav>
  );
}
