/** Cancel and submit buttons of a form in a dialog. */
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface FormButtonsProps {
  readonly close: () => void;
  readonly isPending: boolean;
  readonly children: ReactNode;
}

export function FormButtons({ close, isPending, children }: FormButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={close} disabled={isPending}>
        Cancel
      </Button>
      <Button type="submit" loading={isPending}>
        {children}
      </Button>
    </Group>
  );
}
