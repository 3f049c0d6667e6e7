/** Saves filters and sort order under a name, in the browser, for one person. */
import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { type OfferFilters, readOfferFilters } from '../../../api/offer-filters.ts';
import { usePerson } from '../../../api/session.ts';

interface SavedView {
  readonly name: string;
  readonly filters: OfferFilters;
}

const NO_VIEWS: readonly SavedView[] = [];
const VIEWS_MAX = 50;
const NAME_CHARACTERS_MAX = 60;

interface OfferViewsProps {
  readonly filters: OfferFilters;
  readonly change: (next: OfferFilters) => void;
}

export function useOfferViews() {
  const { email } = usePerson();
  return useLocalStorage<readonly SavedView[]>({
    key: `offerbook-offer-views ${email}`,
    defaultValue: NO_VIEWS,
    getInitialValueInEffect: false,
    deserialize: readViews,
  });
}

/** Returns whether the list shows this view. */
export function isView(view: SavedView, filters: OfferFilters): boolean {
  const names = Object.keys({ ...view.filters, ...filters }) as (keyof OfferFilters)[];
  return names.every((name) => view.filters[name] === filters[name]);
}

export function OfferViews({ filters, change }: OfferViewsProps) {
  const [views, setViews] = useOfferViews();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name.trim();
    if (trimmed === '') return;
    setViews([...views.filter((view) => view.name !== trimmed), { name: trimmed, filters }].slice(-VIEWS_MAX));
    setName('');
    setIsOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs" onClick={() => setIsOpen(!isOpen)}>
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" miw={240}>
          {views.length === 0 && (
            <Text size="sm" c="dimmed">
              Save the current filters and order to use them again.
            </Text>
          )}
          {views.map((view) => (
            <Group key={view.name} justify="space-between" wrap="nowrap">
              <UnstyledButton
                className="anywhere"
                onClick={() => {
                  setIsOpen(false);
                  change(view.filters);
                }}
              >
                {view.name}
              </UnstyledButton>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete view ${view.name}`}
                onClick={() => setViews(views.filter((one) => one !== view))}
              >
                ×
              </ActionIcon>
            </Group>
          ))}
          <form onSubmit={save}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                label="Save as"
                placeholder="Name"
                maxLength={NAME_CHARACTERS_MAX}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <Button type="submit" disabled={name.trim() === ''}>
                Save
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Ignores views in another format, which another release may have stored. */
function readViews(text: string | undefined): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(text ?? '');
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((view) =>
      typeof view?.name === 'string' ? [{ name: view.name, filters: readOfferFilters(view.filters ?? {}) }] : [],
    );
  } catch {
    return [];
  }
}
