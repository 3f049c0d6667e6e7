/** Asks for confirmation before a destructive or costly action. */
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
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
  dismiss = 'Cancel',
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
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={isPending}>
            {dismiss}
          </Button>
          <Button {...(isHarmless ? {} : { color: 'red' })} loading={isPending} onClick={confirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface RemoveButtonProps {
  /** Names what is removed in the button's accessible name. */
  readonly what: string;
  readonly remove: () => void;
}

export function RemoveButton({ what, remove }: RemoveButtonProps) {
  return (
    <Button size="compact-sm" variant="subtle" color="red" onClick={remove} aria-label={`Remove ${what}`}>
      Remove
    </Button>
  );
}
