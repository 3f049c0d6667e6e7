/** Menu that saves a sheet as CSV or Excel, and says when that fails. */
import { Button, Menu, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { SheetFormat } from '../../../api/sheets/download-sheet.ts';
import { Failed } from '../../../ui/states.tsx';

interface SheetMenuProps {
  readonly label: string;
  readonly isMain?: boolean;
  readonly size?: 'xs' | 'sm';
  readonly items: readonly {
    readonly label: string;
    readonly isOnlyCsv?: boolean;
    readonly save: (format: SheetFormat) => Promise<void>;
  }[];
}

const FORMATS = [
  { format: 'csv', name: 'CSV' },
  { format: 'xlsx', name: 'Excel' },
] as const satisfies readonly { format: SheetFormat; name: string }[];

export function SheetMenu({ label, isMain = false, size = 'sm', items }: SheetMenuProps) {
  const saving = useMutation({ mutationFn: (save: () => Promise<void>) => save() });
  return (
    <Stack gap="xs">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant={isMain ? 'filled' : 'default'} size={size} loading={saving.isPending}>
            {label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {items.flatMap(({ label: what, isOnlyCsv = false, save }) =>
            FORMATS.slice(0, isOnlyCsv ? 1 : undefined).map(({ format, name }) => (
              <Menu.Item key={`${what} ${format}`} onClick={() => saving.mutate(() => save(format))}>
                {what === '' ? name : `${what} (${name})`}
              </Menu.Item>
            )),
          )}
        </Menu.Dropdown>
      </Menu>
      {saving.isError && <Failed error={saving.error} />}
    </Stack>
  );
}
