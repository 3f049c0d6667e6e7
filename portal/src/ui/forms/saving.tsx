/** Saves a form of stored data; shows problems at its fields or above the buttons, and says if the data changed meanwhile. */
import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { onlyIf } from '../../api/client.ts';
import { ApiError } from '../../api/problem.ts';
import { Confirm } from '../confirm.tsx';
import { lazyPart } from '../lazy.tsx';
import { countOf } from '../numbers.ts';
import { ProblemList } from '../problem-list.tsx';
import type { ConflictWords } from './conflict-table.tsx';
import { type FieldNames, type SortedProblems, sortProblems } from './field-problems.ts';
import type { HeldForm } from './held-form.ts';
import { inPageWords, withFieldLabel } from './page-words.ts';
import { useUnsaved } from './unsaved.tsx';

/** Shown only if another user saved meanwhile. */
const ConflictTable = lazyPart(() => import('./conflict-table.tsx'), 'ConflictTable');

/** Form fields that can show problems, and how JSON pointers map to them. */
export interface Fields {
  readonly names: () => readonly string[];
  readonly nameOf?: FieldNames;
}

interface PartSaving<Values extends object, Answer> {
  readonly held: HeldForm<Values>;
  readonly fields: Fields;
  /** `header` makes the server refuse the write if the stored data has changed. */
  readonly save: (values: Values, header: ReturnType<typeof onlyIf>) => Promise<Answer>;
  /** Reads the stored data again. */
  readonly refresh: () => Promise<unknown>;
  /** Returns what may be a mistake in the values. The user is asked about it once before they are saved. */
  readonly doubt?: (values: Values) => string | undefined;
  /** What to do after `save`, instead of showing the saved values in the form. */
  readonly proceed?: (answer: Answer) => unknown;
}

type SavingState = Pick<UseMutationResult, 'isPending' | 'isError' | 'error' | 'reset'>;

interface Question {
  readonly text: string;
  readonly save: () => void;
  readonly dismiss: () => void;
}

interface Saving<Values> extends SavingState {
  readonly mutate: (values: Values) => void;
  /** A question to answer before the values are saved. */
  readonly question: Question | undefined;
  /** Saves over the version that was read last. */
  readonly overwrite: () => void;
}

/** Saves the form if the stored data is still the version that the user started to edit. */
export function useSaving<Values extends object, Answer>({
  held,
  fields,
  save,
  refresh,
  doubt,
  proceed,
}: PartSaving<Values, Answer>): Saving<Values> {
  const { form, editedEtag, storedEtag, noteSaved } = held;
  const [asked, setAsked] = useState<Asked<Values>>();
  const saving = useMutation({
    mutationFn: ({ values, etag }: { readonly values: Values; readonly etag: string | null }) =>
      save(values, onlyIf(etag)),
    onSuccess: async (answer, { values }) => {
      if (proceed !== undefined) {
        await proceed(answer);
        return;
      }
      noteSaved(values);
      notifications.show({ message: 'Saved.', color: 'green' });
      await refresh();
    },
    onError: async (error) => {
      const { atFields } = problemsOf(error, fields);
      form.setErrors(atFields);
      // The first field with a problem may be outside the viewport.
      form.getInputNode(Object.keys(atFields)[0] ?? '')?.focus();
      if (isOutdated(error)) await refresh();
    },
  });
  const send = (etag: string | null) => (values: Values) => {
    const text = doubt?.(values);
    if (text === undefined) saving.mutate({ values, etag });
    else setAsked({ values, etag, text });
  };
  const question = asked && {
    text: asked.text,
    save: () => {
      setAsked(undefined);
      saving.mutate(asked);
    },
    dismiss: () => setAsked(undefined),
  };
  return {
    ...saving,
    mutate: send(editedEtag),
    overwrite: () => form.onSubmit(send(storedEtag))(),
    question,
  };
}

interface Asked<Values> {
  readonly values: Values;
  readonly etag: string | null;
  readonly text: string;
}

function isOutdated(error: Error | null): boolean {
  return error instanceof ApiError && error.has('precondition_failed');
}

/** Returns the problems at the form's fields and the problems without a field, in the words of the page. */
export function problemsOf(error: Error | null, fields: Fields): SortedProblems {
  const { atFields, above } = sortProblems(inPageWords(error), fields.names(), fields.nameOf);
  return { atFields, above: above.map(withFieldLabel) };
}

/** Room between a focused field and the save bar, which grows by a line when it names the number of problems. */
const ABOVE_SAVE_BAR_PX = 40;

/** Keeps the Save button of a long form in view. */
export function SaveBar({ mayChange, children }: { readonly mayChange: boolean; readonly children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    // Keeps a focused field from being hidden behind the bar, which is higher on a phone and with problems.
    const observer = new ResizeObserver(() => {
      style.scrollPaddingBottom = `${(bar.current?.offsetHeight ?? 0) + ABOVE_SAVE_BAR_PX}px`;
    });
    if (bar.current !== null) observer.observe(bar.current);
    return () => {
      observer.disconnect();
      style.scrollPaddingBottom = '';
    };
  }, []);
  if (!mayChange) return null;
  return (
    <Paper ref={bar} pos="sticky" bottom={0} withBorder p="sm" style={{ zIndex: 2 }}>
      <Stack gap="xs">{children}</Stack>
    </Paper>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

interface SavingRowProps {
  readonly saving: SavingState & Partial<Pick<Saving<object>, 'overwrite' | 'question'>>;
  readonly held: Pick<HeldForm<object>, 'isDirty' | 'isBehind' | 'discard'> &
    Partial<Pick<HeldForm<object>, 'differences'>>;
  readonly fields: Fields;
  readonly mayChange: boolean;
  /** Where to see what has changed. */
  readonly changesAt?: string;
  /** Words for values that only the form knows, if they were changed meanwhile. */
  readonly words?: ConflictWords;
  /** True in a dialog, which would cover the question whether to leave the page. */
  readonly isInDialog?: boolean;
}

/** Problems without a field, and the Save and Discard buttons. */
export function SavingRow({
  saving,
  held: { isDirty, isBehind, discard, differences },
  fields,
  mayChange,
  changesAt = 'The History tab shows who changed what.',
  words,
  isInDialog = false,
}: SavingRowProps) {
  useUnsaved(isDirty && mayChange && !isInDialog);
  if (!mayChange) return null;
  const { atFields, above } = problemsOf(saving.error, fields);
  const wasOutdated = isOutdated(saving.error);
  const isRefused = saving.isError && !wasOutdated;
  const discardEdits = () => {
    discard();
    saving.reset();
  };
  const question = saving.question && (
    <Confirm
      isOpen
      close={saving.question.dismiss}
      title="Check before saving"
      action="Save"
      dismiss="Go back"
      confirm={saving.question.save}
      isPending={false}
      error={null}
      isHarmless
    >
      {saving.question.text}
    </Confirm>
  );
  if (isDirty && (isBehind || wasOutdated) && !saving.isPending) {
    return (
      <>
        {question}
        <Alert
          color="orange"
          role="alert"
          // Only after Save: the page must not move while the user reads it.
          {...(wasOutdated ? { ref: scrollIntoView } : {})}
          title="Someone changed this since you opened it"
        >
          <Stack gap="xs">
            <Text size="sm">
              It was another user, a file or the API. Your input is still here, but not saved. {changesAt}
            </Text>
            {differences && <ConflictTable rows={differences()} {...(words && { words })} />}
            {/* The buttons are on the right, so that a click on Save just as the message appears does not press one of them. */}
            <Group justify="flex-end">
              <Button size="xs" variant="default" onClick={() => saving.overwrite?.()}>
                Save mine anyway
              </Button>
              <Button size="xs" onClick={discardEdits}>
                Reload current values
              </Button>
            </Group>
          </Stack>
        </Alert>
      </>
    );
  }
  return (
    <>
      {question}
      {isRefused && <ProblemList problems={above} />}
      {isRefused && above.length === 0 && (
        <Text c="var(--mantine-color-error)" role="alert">
          Fix {countOf(Object.keys(atFields).length, 'field')} to save.
        </Text>
      )}
      <Group>
        <Button type="submit" loading={saving.isPending} disabled={!isDirty}>
          Save
        </Button>
        {isDirty && (
          <Button variant="subtle" onClick={discardEdits}>
            Discard
          </Button>
        )}
      </Group>
    </>
  );
}

interface SavingFormProps<Values extends object> extends Omit<SavingRowProps, 'saving' | 'held'> {
  readonly saving: Saving<Values>;
  readonly held: HeldForm<Values>;
  readonly maw?: number;
  /** The fields. */
  readonly children: ReactNode;
}

/** Form of stored data: fields, problems, and the Save and Discard buttons. */
export function SavingForm<Values extends object>({ maw, children, ...row }: SavingFormProps<Values>) {
  return (
    <form onSubmit={row.held.form.onSubmit((values) => row.saving.mutate(values))}>
      <Stack {...(maw !== undefined && { maw })}>
        {children}
        <SavingRow {...row} />
      </Stack>
    </form>
  );
}
