/** Table of offers with selection and sortable columns. */
import { Checkbox, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import type { OfferFilters, OfferSort } from '../../api/offer-filters.ts';
import type { ListedOffer } from '../../api/offers.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { countText, priceText } from '../../ui/numbers.ts';
import { OfferImage } from '../../ui/offer-image.tsx';
import { OfferStatus } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

interface OfferTableProps {
  readonly offers: readonly ListedOffer[];
  /** Filters that produced the list, for the link back from an offer. */
  readonly filters: OfferFilters;
  readonly sort: OfferSort;
  readonly setSort: (sort: OfferSort) => void;
  /** SKU ids; undefined if the user cannot make changes. */
  readonly selected: ReadonlySet<string> | undefined;
  readonly setSelected: (selected: ReadonlySet<string>) => void;
}

export function OfferTable({ offers, filters, sort, setSort, selected, setSelected }: OfferTableProps) {
  const toggle = (sku: string) => {
    if (selected?.has(sku)) setSelected(new Set([...selected].filter((one) => one !== sku)));
    else if (selected) setSelected(new Set([...selected, sku]));
  };
  const areAllSelected = selected !== undefined && offers.every(({ sku }) => selected.has(sku));
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {selected && (
              <Table.Th w={40}>
                <Checkbox
                  aria-label="Select all offers shown"
                  checked={areAllSelected}
                  indeterminate={!areAllSelected && selected.size > 0}
                  onChange={() => setSelected(new Set(areAllSelected ? [] : offers.map(({ sku }) => sku)))}
                />
              </Table.Th>
            )}
            <SortedHead label="Title" up="title" down="-title" sort={sort} setSort={setSort} />
            <SortedHead label="SKU" up="sku" down="-sku" sort={sort} setSort={setSort} />
            <Table.Th miw={190}>Status</Table.Th>
            <Table.Th ta="right">Price</Table.Th>
            <Table.Th ta="right">Stock</Table.Th>
            <Table.Th>Category</Table.Th>
            <Table.Th>Updated</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {offers.map((offer) => (
            <OfferRow
              key={offer.sku}
              offer={offer}
              filters={filters}
              isSelected={selected?.has(offer.sku)}
              toggle={() => toggle(offer.sku)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface OfferRowProps {
  readonly offer: ListedOffer;
  readonly filters: OfferFilters;
  /** Undefined if it cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly toggle: () => void;
}

function OfferRow({ offer, filters, isSelected, toggle }: OfferRowProps) {
  const environment = useEnvironment();
  return (
    <Table.Tr>
      {isSelected !== undefined && (
        <Table.Td>
          <Checkbox aria-label={`Select ${offer.sku}`} checked={isSelected} onChange={toggle} />
        </Table.Td>
      )}
      <Table.Td className="anywhere" miw={240}>
        <Group gap="sm" wrap="nowrap">
          <OfferImage address={offer.image} size={40} />
          <Stack gap={0} miw={0}>
            <TextLink
              to="/$environment/offers/$sku"
              params={{ environment, sku: offer.sku }}
              state={{ listed: filters }}
              lineClamp={3}
            >
              {offer.title || <Text c="dimmed">No title</Text>}
            </TextLink>
            <Text size="xs" c="dimmed" lineClamp={1}>
              {offer.brand}
            </Text>
          </Stack>
        </Group>
      </Table.Td>
      <Table.Td ff="monospace" fz="sm" miw={130} className="anywhere">
        {offer.sku}
      </Table.Td>
      <Table.Td>
        <Stack gap={2} align="flex-start">
          <OfferStatus status={offer.status} quantity={offer.quantity} />
          {offer.sub_status.length > 0 && (
            <Text size="xs" c="dimmed">
              {offer.sub_status.join(', ')}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td ta="right">{offer.price === null ? <Text c="dimmed">—</Text> : priceText(offer.price)}</Table.Td>
      <Table.Td ta="right">{countText(offer.quantity)}</Table.Td>
      <Table.Td>
        <Text size="sm">{offer.category?.name ?? offer.category?.id}</Text>
      </Table.Td>
      <Table.Td>
        <Time at={offer.updated} relative size="sm" />
      </Table.Td>
    </Table.Tr>
  );
}

interface SortedHeadProps {
  readonly label: string;
  readonly up: OfferSort;
  readonly down: OfferSort;
  readonly sort: OfferSort;
  readonly setSort: (sort: OfferSort) => void;
}

function SortedHead({ label, up, down, sort, setSort }: SortedHeadProps) {
  const order = sort === up ? 'ascending' : sort === down ? 'descending' : 'none';
  const arrow = { ascending: ' ↑', descending: ' ↓', none: '' }[order];
  return (
    <Table.Th aria-sort={order}>
      <UnstyledButton fw={700} fz="sm" onClick={() => setSort(sort === up ? down : up)}>
        {label}
        {arrow}
      </UnstyledButton>
    </Table.Th>
  );
}
