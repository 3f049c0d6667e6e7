/** Lets people choose the columns of the offer list; the browser remembers them. */
import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';

/** The title is always shown. */
const OFFER_COLUMNS = {
  sku: 'SKU',
  status: 'Status',
  price: 'Price',
  stock: 'Stock',
  category: 'Category',
  updated: 'Updated',
};
export type OfferColumn = keyof typeof OFFER_COLUMNS;

const ALL = Object.keys(OFFER_COLUMNS) as OfferColumn[];

export function useOfferColumns() {
  return useLocalStorage<readonly OfferColumn[]>({
    key: 'offerbook-offer-columns',
    defaultValue: ALL,
    getInitialValueInEffect: false,
    deserialize: readColumns,
  });
}

/** Ignores unknown columns, which another release may have stored. */
function readColumns(text: string | undefined): readonly OfferColumn[] {
  try {
    const stored: unknown = JSON.parse(text ?? '');
    return Array.isArray(stored) ? ALL.filter((column) => stored.includes(column)) : ALL;
  } catch {
    return ALL;
  }
}

interface OfferColumnsProps {
  readonly columns: readonly OfferColumn[];
  readonly setColumns: (columns: readonly OfferColumn[]) => void;
}

export function OfferColumns({ columns, setColumns }: OfferColumnsProps) {
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {ALL.map((column) => (
            <Checkbox
              key={column}
              label={OFFER_COLUMNS[column]}
              checked={columns.includes(column)}
              onChange={({ currentTarget: { checked } }) =>
                setColumns(ALL.filter((one) => (one === column ? checked : columns.includes(one))))
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
