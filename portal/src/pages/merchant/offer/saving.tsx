/** In charge of saving a part of an offer: what the server refuses goes to the fields of its form, or above the buttons. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type OfferKey, refreshOffer } from '../../../api/offer.ts';
import { type FieldNames, sortProblems } from '../../../ui/field-problems.ts';
import type { HeldForm } from '../../../ui/held-form.ts';
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

interface PartSaving<Values extends object> {
  readonly offerKey: OfferKey;
  readonly held: HeldForm<Values>;
  readonly fields: Fields;
  readonly save: (values: Values) => Promise<unknown>;
}

/** Saves a part and shows all of the offer anew; problems go to the form's fields. */
export function useSaving<Values extends object>({
  offerKey,
  held: { form },
  fields,
  save,
}: PartSaving<Values>): UseMutationResult<unknown, Error, Values> {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: save,
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
  readonly saving: Pick<UseMutationResult<unknown, Error, never>, 'isPending' | 'isError' | 'error'>;
  readonly held: Pick<HeldForm<object>, 'isDirty' | 'isBehind' | 'undo'>;
  readonly fields: Fields;
  readonly mayChange: boolean;
}

/** What belongs to no field, and the buttons below a form. */
export function SavingRow({ saving, held: { isDirty, isBehind, undo }, fields, mayChange }: SavingRowProps) {
  useBlocker({
    shouldBlockFn: () => !window.confirm('What you typed is not saved. Leave the page all the same?'),
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  });
  if (!mayChange) return null;
  const { atFields, above } = sortProblems(saving.error, fields.names(), fields.nameOf);
  return (
    <>
      {saving.isError && <ProblemList problems={above} />}
      {saving.isError && above.length === 0 && (
        <Text c="var(--mantine-color-error)" role="alert">
          Not saved: {countOf(Object.keys(atFields).length, 'field')} to mend.
        </Text>
      )}
      {isBehind && !saving.isPending && (
        <Alert color="orange" role="alert" title="Changed elsewhere meanwhile">
          Undo shows what it is now; Save puts yours in its place.
        </Alert>
      )}
      <Group>
        <Button type="submit" loading={saving.isPending} disabled={!isDirty}>
          Save
        </Button>
        {isDirty && (
          <Button variant="subtle" onClick={undo}>
            Undo
          </Button>
        )}
      </Group>
    </>
  );
}
