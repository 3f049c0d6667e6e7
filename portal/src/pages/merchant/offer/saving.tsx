/** Saves a part of an offer; shows problems at the form's fields or above the buttons. */
import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  type DataTag,
  type QueryKey,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { stringifyExact } from '../../../api/exact-json.ts';
import { type OfferKey, refreshOffer } from '../../../api/offer.ts';
import { type FieldNames, type SortedProblems, sortProblems } from '../../../ui/forms/field-problems.ts';
import type { HeldForm } from '../../../ui/forms/held-form.ts';
import { useUnsaved } from '../../../ui/forms/unsaved.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { ProblemList } from '../../../ui/problem-list.tsx';
import { inPageWords, withFieldLabel } from './page-words.ts';

export interface OfferPartProps {
  readonly offerKey: OfferKey;
  /** Whether the user may edit; false for viewers and for archived offers. */
  readonly mayChange: boolean;
}

/** Form fields that can show problems, and how JSON pointers map to them. */
export interface Fields {
  readonly names: () => readonly string[];
  readonly nameOf?: FieldNames;
}

interface PartSaving<Values extends object, Part> {
  readonly offerKey: OfferKey;
  /** Query key of the part that the form shows. */
  readonly part: DataTag<QueryKey, Part, Error>;
  /** The fields to compare for concurrent changes; by default all but timestamps. */
  readonly shownOf?: (part: Part) => unknown;
  readonly held: HeldForm<Values>;
  readonly fields: Fields;
  /** `present` is the part as just read from the server. */
  readonly save: (values: Values, present: Part) => Promise<unknown>;
}

/** Thrown when the part was changed elsewhere since it was last read. Nothing was sent. */
class ChangedElsewhere extends Error {
  override readonly name = 'ChangedElsewhere';
}

/** Saves a part and reloads the offer. */
export function useSaving<Values extends object, Part>({
  offerKey,
  part,
  shownOf = withoutTimes,
  held: { form },
  fields,
  save,
}: PartSaving<Values, Part>): UseMutationResult<unknown, Error, Values> {
  const queryClient = useQueryClient();
  const read = () => queryClient.getQueryData(part) as Part | undefined;
  const textOf = (data: Part | undefined) => (data === undefined ? '' : stringifyExact(shownOf(data)));
  return useMutation({
    mutationFn: async (values) => {
      // A PUT replaces the whole part, so check for changes since the last read. Earlier ones were already shown to the user.
      const before = textOf(read());
      await queryClient.refetchQueries({ queryKey: part, exact: true }, { throwOnError: true });
      const present = read();
      if (present === undefined || textOf(present) !== before) {
        throw new ChangedElsewhere('The part was changed elsewhere.');
      }
      return save(values, present);
    },
    onSuccess: async (_answer, sent) => {
      // Edits made after the submit stay unsaved.
      form.resetDirty(sent);
      notifications.show({ message: 'Saved.', color: 'green' });
      await refreshOffer(queryClient, offerKey);
    },
    onError: (error) => {
      const { atFields } = problemsOf(error, fields);
      form.setErrors(atFields);
      // The first field with a problem may be outside the viewport.
      form.getInputNode(Object.keys(atFields)[0] ?? '')?.focus();
    },
  });
}

/** Returns the problems at the form's fields and the problems without a field, in the words of the page. */
export function problemsOf(error: Error | null, fields: Fields): SortedProblems {
  const { atFields, above } = sortProblems(inPageWords(error), fields.names(), fields.nameOf);
  return { atFields, above: above.map(withFieldLabel) };
}

/** Room for the save bar below a focused field. */
const SAVE_BAR_PX = 100;

/** Keeps the Save button of a long form in view. */
export function SaveBar({ mayChange, children }: { readonly mayChange: boolean; readonly children: ReactNode }) {
  useEffect(() => {
    // Keeps a focused field from being hidden behind the bar.
    document.documentElement.style.scrollPaddingBottom = `${SAVE_BAR_PX}px`;
    return () => {
      document.documentElement.style.scrollPaddingBottom = '';
    };
  }, []);
  if (!mayChange) return null;
  return (
    <Paper pos="sticky" bottom={0} withBorder p="sm" style={{ zIndex: 2 }}>
      <Stack gap="xs">{children}</Stack>
    </Paper>
  );
}

interface SavingRowProps {
  readonly saving: Pick<UseMutationResult<unknown, Error, never>, 'isPending' | 'isError' | 'error' | 'reset'>;
  readonly held: Pick<HeldForm<object>, 'isDirty' | 'isBehind' | 'discard'>;
  readonly fields: Fields;
  readonly mayChange: boolean;
}

/** Problems without a field, and the Save and Discard buttons. */
export function SavingRow({ saving, held: { isDirty, isBehind, discard }, fields, mayChange }: SavingRowProps) {
  useUnsaved(isDirty && mayChange);
  if (!mayChange) return null;
  const { atFields, above } = problemsOf(saving.error, fields);
  const wasStopped = saving.error instanceof ChangedElsewhere;
  const isRefused = saving.isError && !wasStopped;
  return (
    <>
      {isRefused && <ProblemList problems={above} />}
      {isRefused && above.length === 0 && (
        <Text c="var(--mantine-color-error)" role="alert">
          Fix {countOf(Object.keys(atFields).length, 'field')} to save.
        </Text>
      )}
      {(isBehind || wasStopped) && !saving.isPending && (
        <Alert color="orange" role="alert" title="Changed elsewhere">
          Discard to see the current version, or Save to overwrite it.
        </Alert>
      )}
      <Group>
        <Button type="submit" loading={saving.isPending} disabled={!isDirty}>
          Save
        </Button>
        {isDirty && (
          <Button
            variant="subtle"
            onClick={() => {
              discard();
              saving.reset();
            }}
          >
            Discard
          </Button>
        )}
      </Group>
    </>
  );
}

/** Ignores timestamps, which change even if a program sends the same data again. */
function withoutTimes(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutTimes);
  if (typeof part !== 'object' || part === null) return part;
  const fields = Object.entries(part).filter(([name]) => !name.endsWith('_last_update'));
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutTimes(value)]));
}
