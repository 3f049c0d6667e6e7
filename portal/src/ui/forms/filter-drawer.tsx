/** Filters of a list: in one row, or in a drawer on a phone. */
import { Button, Drawer, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useIsPhone } from '../card-list.tsx';

interface FilterDrawerProps {
  /** How many filters are set. */
  readonly count: number;
  /** Renders the fields. `width` takes the width of a field in the row, and returns its width here. */
  readonly children: (width: (inRow: number) => number | '100%') => ReactNode;
}

export function FilterDrawer({ count, children }: FilterDrawerProps) {
  const isPhone = useIsPhone();
  const [isOpen, { open, close }] = useDisclosure();
  if (!isPhone) return children((inRow) => inRow);
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" onClick={open}>
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <Drawer opened={isOpen} onClose={close} title="Filters" position="right" size="85%">
        <Stack>
          {children(() => '100%')}
          <Button onClick={close}>Show results</Button>
        </Stack>
      </Drawer>
    </>
  );
}
