/** Asks for confirmation before a destructive or costly action. */
import { Button, type ButtonProps, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog, DialogButtons } from './dialog.tsx';
import { Failed } from './states.tsx';

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: string;
  /** Label of the confirm button. */
  readonly action: string;
  /** Label of the button that closes the dialog. */
  readonly dismiss?: string;
  readonly confirm: () => void;
  readonly isPending: boolean;
  readonly error: unknown;
  /** True if nothing is lost. The confirm button is then not red. */
  readonly isHarmless?: boolean;
  readonly children: ReactNode;
}

export function Confirm({
  isOpen,
  close,
  title,
  action,
  dismiss,
  confirm,
  isPending,
  error,
  isHarmless = false,
  children,
}: ConfirmProps) {
  return (
    <Dialog isOpen={isOpen} close={close} title={title} hold={isPending ? 'busy' : undefined}>
      <Stack>
        <Text>{children}</Text>
        {error !== null && error !== undefined && <Failed error={error} />}
        <DialogButtons
          close={close}
          {...(dismiss !== undefined && { dismiss })}
          isPending={isPending}
          confirm={confirm}
          {...(isHarmless ? {} : { color: 'red' })}
        >
          {action}
        </DialogButtons>
      </Stack>
    </Dialog>
  );
}

type Question = Omit<ConfirmProps, 'isOpen' | 'close' | 'confirm' | 'isPending' | 'error'>;

interface ConfirmButtonProps<Answer> extends Question {
  /** Label of the button that asks; by default that of the confirm button. */
  readonly label?: string;
  readonly button?: ButtonProps & { readonly 'aria-label'?: string };
  readonly run: () => Promise<Answer>;
  /** Called after the dialog was closed. */
  readonly done?: (answer: Answer) => unknown;
}

/** Button that runs an action once it is confirmed. */
export function ConfirmButton<Answer>({ label, button, run, done, ...question }: ConfirmButtonProps<Answer>) {
  const [isOpen, { open, close }] = useDisclosure();
  const running = useMutation({
    mutationFn: run,
    onSuccess: async (answer) => {
      close();
      await done?.(answer);
    },
  });
  const ask = () => {
    running.reset();
    open();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={ask}>
        {label ?? question.action}
      </Button>
      <Confirm
        isOpen={isOpen}
        close={close}
        confirm={() => running.mutate()}
        isPending={running.isPending}
        error={running.error}
        {...question}
      />
    </>
  );
}

/** Looks of a button that removes the row or card it stands in. */
export function removalLooks(what: string, action = 'Remove') {
  return { size: 'compact-sm', variant: 'subtle', color: 'red', 'aria-label': `${action} ${what}` } as const;
}

interface RemoveButtonProps {
  /** Names what is removed in the button's accessible name. */
  readonly what: string;
  readonly remove: () => void;
}

export function RemoveButton({ what, remove }: RemoveButtonProps) {
  return (
    <Button {...removalLooks(what)} onClick={remove}>
      Remove
    </Button>
  );
}
