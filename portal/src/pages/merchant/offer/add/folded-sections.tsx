/** Optional fields of a new offer, folded by group, and the index of the groups. */
import { Button, Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { isRequired, type PlainField, SECTIONS } from '../../../../ui/forms/offer-fields.ts';
import { countOf } from '../../../../ui/numbers.ts';
import type { DataValues } from '../data-values.ts';
import { ImageFields } from '../image-fields.tsx';
import { PlainInput } from '../plain-input.tsx';

const ALL_FIELDS = SECTIONS.flatMap(({ fields }) => fields);
/** The fields that stand in the first card: above the category, and below the codes. */
export const REQUIRED_FIELDS: readonly PlainField[] = ALL_FIELDS.filter(({ name }) => isRequired(name));
export const CODE_FIELDS: readonly PlainField[] = ALL_FIELDS.filter(({ name }) => name === 'ASIN');

const IMAGES = 'Images';
const GROUPS = SECTIONS.map(({ title, fields }) => ({
  // The category and the codes are in the first card.
  title: title === 'Identity and category' ? 'Origin, tax and keywords' : title,
  fields: fields.filter((field) => !REQUIRED_FIELDS.includes(field) && !CODE_FIELDS.includes(field)),
}));

type Group = (typeof GROUPS)[number];

function errorsIn({ title, fields }: Group, errors: Readonly<Record<string, unknown>>): number {
  const names = fields.map(({ name }) => `plain.${name}`);
  return Object.keys(errors).filter((name) => names.includes(name) || (title === IMAGES && name.startsWith('images.')))
    .length;
}

/** Which groups are open. A group with an error opens by itself. */
export function useFoldedGroups(errors: Readonly<Record<string, unknown>>) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  return {
    isOpen: (group: Group) => opened.has(group.title) || errorsIn(group, errors) > 0,
    toggle: ({ title }: Group, isOpen: boolean) => {
      const next = new Set(opened);
      if (isOpen) next.add(title);
      else next.delete(title);
      setOpened(next);
    },
  };
}

interface FoldedSectionsProps {
  readonly form: UseFormReturnType<DataValues>;
  readonly folded: ReturnType<typeof useFoldedGroups>;
}

export function FoldedSections({ form, folded: { isOpen, toggle } }: FoldedSectionsProps) {
  return GROUPS.map((group) => (
    <Card
      key={group.title}
      withBorder
      component="section"
      aria-label={group.title}
      id={idOf(group)}
      style={{ scrollMarginTop: 'calc(var(--app-shell-header-offset, 0px) + 16px)' }}
    >
      <details open={isOpen(group)} onToggle={({ currentTarget }) => toggle(group, currentTarget.open)}>
        <summary style={{ cursor: 'pointer' }}>
          <Title order={2} size="h4" display="inline">
            {group.title}
          </Title>
        </summary>
        <Stack mt="md">
          <PlainInputs fields={group.fields} form={form} />
          {group.title === IMAGES && <ImageFields form={form} readOnly={false} />}
        </Stack>
      </details>
    </Card>
  ));
}

interface PlainInputsProps extends Pick<FoldedSectionsProps, 'form'> {
  readonly fields: readonly PlainField[];
}

export function PlainInputs({ fields, form }: PlainInputsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {fields.map((field) => (
        <PlainInput key={field.name} field={field} readOnly={false} {...form.getInputProps(`plain.${field.name}`)} />
      ))}
    </SimpleGrid>
  );
}

/** Opens a group and moves to it. */
export function GroupIndex({ form }: Pick<FoldedSectionsProps, 'form'>) {
  return (
    <Stack component="nav" aria-label="Groups of fields" gap={2} align="stretch">
      {GROUPS.map((group) => {
        const errors = errorsIn(group, form.errors);
        return (
          <Button
            key={group.title}
            variant="subtle"
            size="compact-sm"
            justify="space-between"
            rightSection={
              errors > 0 && (
                <Text size="xs" c="red">
                  {countOf(errors, 'problem')}
                </Text>
              )
            }
            onClick={() => {
              const card = document.getElementById(idOf(group));
              // Opened at once, because the page may be too short to scroll to a closed group.
              card?.querySelector('details')?.setAttribute('open', '');
              card?.scrollIntoView({ block: 'start' });
              card?.querySelector('summary')?.focus({ preventScroll: true });
            }}
          >
            {group.title}
          </Button>
        );
      })}
    </Stack>
  );
}

function idOf({ title }: Group): string {
  return `group-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
