/** In charge of saving a part of an offer: what the server refuses goes to the fields of its form, or above the buttons. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  type DataTag,
  type QueryKey,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { stringifyExact } from '../../../api/exact-json.ts';
import { type OfferKey, refreshOffer } from '../../../api/offer.ts';
import { type FieldNames, sortProblems } from '../../../ui/forms/field-problems.ts';
import type { HeldForm } from '../../../ui/forms/held-form.ts';
import { useUnsaved } from '../../../ui/forms/unsaved.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { ProblemList } from '../../../ui/problem-list.tsx';

export interface OfferPartProps {
  readonly offerKey: OfferKey;
  /** Not by viewers, and of an archived offer by nobody. */
  readonly mayChange: boolean;
}

/** The fields of a form, for the problems that the server names by JSON pointers. */
export interface Fields {
  readonly names: () => readonly string[];
  readonly nameOf?: FieldNames;
}

interface PartSaving<Values extends object, Part> {
  readonly offerKey: OfferKey;
  /** What the form is filled from. */
  readonly part: DataTag<QueryKey, Part, Error>;
  /** What of it the form shows; all but times where it is not given. */
  readonly shownOf?: (part: Part) => unknown;
  readonly held: HeldForm<Values>;
  readonly fields: Fields;
  /** `present`: the part as the server holds it now, which the page may not show yet. */
  readonly save: (values: Values, present: Part) => Promise<unknown>;
}

/** Somebody else, a program perhaps, has changed the part since it was last read: nothing was sent. */
class ChangedElsewhere extends Error {
  override readonly name = 'ChangedElsewhere';
}

/** Saves a part and shows all of the offer anew; problems go to the form's fields. */
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
      // A PUT replaces the whole part. What was changed before is told of already, and is put aside knowingly.
      const before = textOf(read());
      await queryClient.refetchQueries({ queryKey: part, exact: true }, { throwOnError: true });
      const present = read();
      if (present === undefined || textOf(present) !== before) {
        throw new ChangedElsewhere('Changed elsewhere meanwhile.');
      }
      return save(values, present);
    },
    onSuccess: async (_answer, sent) => {
      // What was typed since it was sent is still to be saved.
      form.resetDirty(sent);
      notifications.show({ message: 'Saved.', color: 'green' });
      await refreshOffer(queryClient, offerKey);
    },
    onError: (error) => {
      const { atFields } = sortProblems(error, fields.names(), fields.nameOf);
      form.setErrors(atFields);
      // The first of them may be far above the button.
      form.getInputNode(Object.keys(atFields)[0] ?? '')?.focus();
    },
  });
}

interface SavingRowProps {
  readonly saving: Pick<UseMutationResult<unknown, Error, never>, 'isPending' | 'isError' | 'error' | 'reset'>;
  readonly held: Pick<HeldForm<object>, 'isDirty' | 'isBehind' | 'undo'>;
  readonly fields: Fields;
  readonly mayChange: boolean;
}

/** What belongs to no field, and the buttons below a form. */
export function SavingRow({ saving, held: { isDirty, isBehind, undo }, fields, mayChange }: SavingRowProps) {
  useUnsaved(isDirty && mayChange);
  if (!mayChange) return null;
  const { atFields, above } = sortProblems(saving.error, fields.names(), fields.nameOf);
  const wasStopped = saving.error instanceof ChangedElsewhere;
  const isRefused = saving.isError && !wasStopped;
  return (
    <>
      {isRefused && <ProblemList problems={above} />}
      {isRefused && above.length === 0 && (
        <Text c="var(--mantine-color-error)" role="alert">
          Not saved: {countOf(Object.keys(atFields).length, 'field')} to fix.
        </Text>
      )}
      {(isBehind || wasStopped) && !saving.isPending && (
        <Alert color="orange" role="alert" title="Changed elsewhere meanwhile">
          Undo shows what it is now; Save puts yours in its place.
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
              undo();
              saving.reset();
            }}
          >
            Undo
          </Button>
        )}
      </Group>
    </>
  );
}

/** A program that sends the same once more changes nothing but them. */
function withoutTimes(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutTimes);
  if (typeof part !== 'object' || part === null) return part;
  const fields = Object.entries(part).filter(([name]) => !name.endsWith('_last_update'));
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutTimes(value)]));
}
