/** Command palette: searches pages and the results of the shell's `useFound`, and opens the chosen result. */
import { Combobox, Group, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ChangeKind } from '../pages/merchant/offer-list/change-offers.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import type { PageGroup } from './navigation.tsx';
import classes from './shell.module.css';

const TYPING_PAUSE_MS = 150;

/** A result that opens a page or, with `run`, does something on the current one. */
export interface Found {
  readonly label: string;
  readonly detail?: string;
  readonly icon: IconName;
  /** Relative to the portal's base path; `$name` stands for a parameter. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
  /** A change that the page of offers opens for all offers. */
  readonly change?: ChangeKind;
  readonly run?: () => void;
}

interface FoundGroup {
  readonly label: string;
  readonly found: readonly Found[];
}

export interface FoundGroups {
  readonly groups: readonly FoundGroup[];
  readonly isLoading: boolean;
}

/** A hook that returns the results for the typed `words`, which are '' at first. */
export type UseFound = (words: string) => FoundGroups;

interface CommandPaletteProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly groups: readonly PageGroup[];
  readonly useFound: UseFound;
  /** The placeholder of the search field, which names what can be found. */
  readonly findable: string;
}

export function CommandPalette({ isOpen, close, ...sources }: CommandPaletteProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      withCloseButton={false}
      attributes={{ content: { 'aria-label': 'Search or jump to a page' } }}
      padding={0}
      size="lg"
      yOffset="12vh"
      // Text that is typed right after the shortcut must reach the field.
      transitionProps={{ duration: 0 }}
    >
      <Finder close={close} {...sources} />
    </Modal>
  );
}

function Finder({ close, groups, useFound, findable }: Omit<CommandPaletteProps, 'isOpen'>) {
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.trim(), TYPING_PAUSE_MS);
  const { groups: others, isLoading } = useFound(words);
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true });
  const shown = [{ label: 'Pages', found: pagesLike(groups, typed) }, ...others].filter(
    ({ found }) => found.length > 0,
  );
  const all = shown.flatMap(({ label, found }) => found.map((one) => ({ id: idOf(label, one), one })));
  const choose = (id: string) => {
    const one = all.find((option) => option.id === id)?.one;
    if (one === undefined) return;
    close();
    if (one.run) return one.run();
    const { params = {}, search = {}, change } = one;
    void navigate({ to: one.path, params, search, state: change ? { change } : {} });
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          data-autofocus
          variant="unstyled"
          size="md"
          px="md"
          py={6}
          role="combobox"
          aria-label="Search or jump to a page"
          placeholder={findable}
          leftSection={<Icon name="search" />}
          leftSectionWidth={44}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            combobox.resetSelectedOption();
          }}
          onKeyDown={(event) => {
            // Enter opens the first result if none is selected. Escape must close the dialog here, because the open list would swallow it.
            if (event.key === 'Enter' && combobox.getSelectedOptionIndex() === -1 && all[0]) choose(all[0].id);
            if (event.key === 'Escape') close();
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options p="xs" pt={0} mah="55vh" className={classes.results} aria-label="Results">
        {shown.map(({ label, found }) => (
          <Combobox.Group key={label} label={label}>
            {found.map((one) => (
              <Combobox.Option key={idOf(label, one)} value={idOf(label, one)} py={9}>
                <Group gap="sm" wrap="nowrap">
                  <Icon name={one.icon} />
                  <div className={classes.result}>
                    <Text span truncate>
                      {one.label}
                    </Text>{' '}
                    {one.detail && (
                      <Text span size="sm" c="dimmed" truncate>
                        {one.detail}
                      </Text>
                    )}
                  </div>
                </Group>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
        {all.length === 0 && !isLoading && <Combobox.Empty>Nothing found</Combobox.Empty>}
      </Combobox.Options>
    </Combobox>
  );
}

/** Files may have the same name, and pages the same path. */
function idOf(group: string, { path, params = {}, label }: Found): string {
  return [group, path, ...Object.values(params), label].join(' ');
}

function pagesLike(groups: readonly PageGroup[], typed: string): readonly Found[] {
  const words = typed.trim().toLowerCase();
  const pages = groups.flatMap(({ label, pages }) => pages.map((page) => ({ ...page, detail: label ?? '' })));
  return pages.filter((page) => `${page.label} ${page.detail}`.toLowerCase().includes(words));
}
