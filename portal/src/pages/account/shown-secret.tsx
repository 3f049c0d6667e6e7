/** Dialogs that create a secret: a form, then the secret, which is shown once with copy buttons. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import { CopyValue } from '../../ui/copy-value.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { MutationForm } from '../../ui/forms/mutation-form.tsx';

interface SecretDialogProps<Values extends object, Answer> {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly form: Pick<UseFormReturnType<Values>, 'onSubmit' | 'reset'>;
  /** The result of `useFormMutation`, whose answer has the secret. */
  readonly sending: UseMutationResult<Answer, Error, Values> & { readonly problems: readonly Problem[] };
  readonly failed: string;
  readonly action: string;
  /** Shows the secret. */
  readonly shown: (answer: Answer) => ReactNode;
  /** The fields of the form. */
  readonly children: ReactNode;
}

/** Stays open after the form was sent, because the secret cannot be shown again. */
export function SecretDialog<Values extends object, Answer>(props: SecretDialogProps<Values, Answer>) {
  const { isOpen, close, title, shown, ...rest } = props;
  const { form, sending } = rest;
  return (
    <Dialog
      isOpen={isOpen}
      close={close}
      onExitTransitionEnd={() => {
        sending.reset();
        form.reset();
      }}
      size="lg"
      title={title}
      hold={sending.isPending ? 'busy' : sending.isSuccess ? 'secret' : undefined}
    >
      {sending.isSuccess ? shown(sending.data) : <MutationForm close={close} {...rest} />}
    </Dialog>
  );
}

interface ShownSecretProps {
  /** What to do if the secret is lost. */
  readonly remedy: string;
  readonly values: readonly { readonly title: string; readonly label: string; readonly value: string }[];
  readonly done: () => void;
  readonly children?: ReactNode;
}

export function ShownSecret({ remedy, values, done, children }: ShownSecretProps) {
  return (
    <Stack>
      <Alert color="orange" title="Copy the secret now">
        You won't see it again. If you lose it, {remedy}.
      </Alert>
      {values.map(({ title, label, value }) => (
        <Fragment key={label}>
          <Text fw={600}>{title}</Text>
          <CopyValue value={value} label={label} />
        </Fragment>
      ))}
      {children && <Text size="sm">{children}</Text>}
      <Group justify="flex-end">
        <Button onClick={done}>Done</Button>
      </Group>
    </Stack>
  );
}
