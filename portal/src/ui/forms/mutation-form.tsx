/** Form in a dialog that sends its values once: problems, fields and buttons. */
import { Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import { DialogButtons } from '../dialog.tsx';
import { ProblemList } from '../problem-list.tsx';

interface MutationFormProps<Values extends object> {
  readonly form: Pick<UseFormReturnType<Values>, 'onSubmit'>;
  /** The result of `useFormMutation`. */
  readonly sending: {
    readonly mutate: (values: Values) => void;
    readonly isPending: boolean;
    readonly problems: readonly Problem[];
  };
  /** Title of the problems without a field. */
  readonly failed?: string;
  /** Label of the submit button. */
  readonly action: string;
  /** Called by the Cancel button. */
  readonly close: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

export function MutationForm<Values extends object>(props: MutationFormProps<Values>) {
  const { form, sending, failed, action, close, children } = props;
  return (
    <form onSubmit={form.onSubmit((values) => sending.mutate(values))}>
      <Stack>
        <ProblemList problems={sending.problems} {...(failed !== undefined && { title: failed })} />
        {children}
        <DialogButtons close={close} isPending={sending.isPending}>
          {action}
        </DialogButtons>
      </Stack>
    </form>
  );
}
